// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit

/// What went wrong with the files by which packs are updated.
package typealias PackUpdateError = RoomError<PackUpdateErrorCode>

/// What goes wrong, by kind.
package struct PackUpdateErrorCode: ErrorCode {
    package let name: String

    /// An index that is none, is damaged, or contradicts itself.
    package static let damagedIndex = Self(name: "update.damagedIndex")
    /// A list that is none, is damaged, or contradicts itself.
    package static let damagedList = Self(name: "update.damagedList")
    /// A patch that is none, is damaged, or contradicts itself or the index it belongs to.
    package static let damagedPatch = Self(name: "update.damagedPatch")
    /// A file of a version that is not known here.
    package static let unknownVersion = Self(name: "update.unknownVersion")
    /// An archive that no index can describe.
    package static let notIndexable = Self(name: "update.notIndexable")
    /// A patch that devices would not take, because of the memory that it takes there.
    package static let tooLarge = Self(name: "update.tooLarge")
    /// An index that belongs to another archive.
    package static let mismatch = Self(name: "update.mismatch")
    /// A file could not be read or written.
    package static let io = Self(name: "update.io")

    /// A folder that was named is not there.
    package static let notFound = Self(name: "update.notFound")

    package var exitCode: ExitCode {
        switch self {
        case .io: .failure
        case .notFound: .notFound
        default: .badInput
        }
    }
}

extension PackUpdateError {
    /// What a patch gave is not what the index says.
    package static var wrongContent: PackUpdateError {
        PackUpdateError(
            .damagedPatch, "A content has not the digest that the index says; the old version may be damaged.")
    }
}
