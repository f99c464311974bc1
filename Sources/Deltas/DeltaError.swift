// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit

/// What went wrong with a delta, in making or in applying.
package typealias DeltaError = RoomError<DeltaErrorCode>

/// What goes wrong, by kind.
package struct DeltaErrorCode: ErrorCode {
    package let name: String

    /// The delta is not what the format allows, or does not fit its base.
    package static let damaged = Self(name: "delta.damaged")
    /// A library is missing or has no memory.
    package static let library = Self(name: "delta.library")
}

extension RoomError where Kind == DeltaErrorCode {
    static func damaged(_ what: String) -> Self {
        Self(.damaged, "The delta is damaged: \(what).")
    }
}
