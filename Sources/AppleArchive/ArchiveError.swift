// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// What went wrong with an archive, in reading or in writing.
package struct ArchiveError: LarderError, Equatable {
    /// The kind of failure. New kinds may come; compare with the known ones and treat the rest as `corrupt`.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        package let name: String
        private init(_ name: String) { self.name = name }
        package var description: String { name }

        /// The bytes are no Apple Archive in any form this room reads.
        package static let notAnArchive = Code("archive.notAnArchive")
        /// The file is an Apple Encrypted Archive (AEA1).
        package static let encrypted = Code("archive.encrypted")
        /// The compression is known by name but cannot be undone here.
        package static let unsupportedCompression = Code("archive.unsupportedCompression")
        /// An entry of a kind or with a feature that cannot be carried out here.
        package static let unsupportedEntry = Code("archive.unsupportedEntry")
        /// The structure or a compressed block is not what the format allows.
        package static let corrupt = Code("archive.corrupt")
        /// The archive ends before its content does.
        package static let truncated = Code("archive.truncated")
        /// A path that the path rules (AA 1.6) forbid.
        package static let unsafePath = Code("archive.unsafePath")
        /// A symbolic link that leaves the folder the archive is extracted to.
        package static let unsafeLink = Code("archive.unsafeLink")
        /// The same path twice, or a path that is there already.
        package static let duplicatePath = Code("archive.duplicatePath")
        /// A path that goes through something that is not a folder.
        package static let notAFolder = Code("archive.notAFolder")
        /// A limit that the caller set was passed.
        package static let limitExceeded = Code("archive.limitExceeded")
        /// A file entry whose content is not in the archive.
        package static let missingData = Code("archive.missingData")
        /// A checkpoint does not belong to this archive or version.
        package static let badCheckpoint = Code("archive.badCheckpoint")
        /// A file changed while it was being packed.
        package static let sourceChanged = Code("archive.sourceChanged")
        /// The system refused a read, a write or memory; `cause` says why.
        package static let inputOutput = Code("archive.io")
        /// An entry that cannot be expressed in an archive.
        package static let invalidEntry = Code("archive.invalidEntry")
    }

    package let code: Code
    package let message: String
    package let cause: (any Error)?

    package init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    package var codeName: String { code.name }

    package static func == (left: Self, right: Self) -> Bool {
        left.code == right.code && left.message == right.message
    }
}
