// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit

/// What went wrong with an archive, in reading or in writing.
package typealias ArchiveError = RoomError<ArchiveErrorCode>

/// What goes wrong, by kind.
package struct ArchiveErrorCode: ErrorCode {
    package let name: String

    /// The bytes are no Apple Archive in any form this room reads.
    package static let notAnArchive = Self(name: "archive.notAnArchive")
    /// The file is an Apple Encrypted Archive (AEA1).
    package static let encrypted = Self(name: "archive.encrypted")
    /// The compression is known by name but cannot be undone here.
    package static let unsupportedCompression = Self(name: "archive.unsupportedCompression")
    /// An entry of a kind or with a feature that cannot be carried out here.
    package static let unsupportedEntry = Self(name: "archive.unsupportedEntry")
    /// The structure or a compressed block is not what the format allows.
    package static let corrupt = Self(name: "archive.corrupt")
    /// The archive ends before its content does.
    package static let truncated = Self(name: "archive.truncated")
    /// A path that the path rules (AA 1.6) forbid.
    package static let unsafePath = Self(name: "archive.unsafePath")
    /// A symbolic link that leaves the folder the archive is extracted to.
    package static let unsafeLink = Self(name: "archive.unsafeLink")
    /// The same path twice, or a path that is there already.
    package static let duplicatePath = Self(name: "archive.duplicatePath")
    /// A path that goes through something that is not a folder.
    package static let notAFolder = Self(name: "archive.notAFolder")
    /// A limit that the caller set was passed.
    package static let limitExceeded = Self(name: "archive.limitExceeded")
    /// A file entry whose content is not in the archive.
    package static let missingData = Self(name: "archive.missingData")
    /// A checkpoint does not belong to this archive or version.
    package static let badCheckpoint = Self(name: "archive.badCheckpoint")
    /// A file changed while it was being packed.
    package static let sourceChanged = Self(name: "archive.sourceChanged")
    /// The system refused a read, a write or memory; `cause` says why.
    package static let inputOutput = Self(name: "archive.io")
    /// An entry that cannot be expressed in an archive.
    package static let invalidEntry = Self(name: "archive.invalidEntry")
}
