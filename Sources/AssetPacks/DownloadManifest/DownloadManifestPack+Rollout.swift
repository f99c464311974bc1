// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

extension DownloadManifestPack {
    private static let rolloutLength = 64

    /// The rollout through which the version comes to this device, while that goes on; nil for a version for everybody.
    package var rollout: String? {
        guard let rollout = larder?.other["rollout"]?.stringValue, (1...Self.rolloutLength).contains(rollout.utf8.count)
        else { return nil }
        return rollout
    }
}
