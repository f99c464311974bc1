// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit

extension SpacePlan {
    /// The refusal of an install that does not fit, with the figures.
    func refusal(of name: String) -> DeviceError {
        return DeviceError(
            .noSpace,
            "\(name) needs \(ByteCount.formatted(peak)) of disk space at its peak, and \(ByteCount.formatted(free)) are free: "
                + "\(ByteCount.formatted(toFetch)) to fetch, \(ByteCount.formatted(toWrite)) to write. "
                + "Free at least \(ByteCount.formatted(missing)) and try again.",
            details: ["toFetch": "\(toFetch)", "toWrite": "\(toWrite)", "peak": "\(peak)", "free": "\(free)"])
    }
}
