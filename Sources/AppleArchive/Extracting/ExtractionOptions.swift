// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// How a directory extractor treats what an archive holds.
package struct ExtractionOptions: Hashable, Sendable {
    package enum LinkPolicy: Hashable, Sendable {
        /// A symbolic link that could lead out of the folder is refused.
        case insideOnly
        /// Links are made as they are; nothing is ever written through them.
        case any
    }

    package var links = LinkPolicy.insideOnly
    /// Sets user and group, and keeps the set-user and set-group bits; has effect for root only.
    package var setsOwner = false
    package var setsModificationTimes = true
    /// How many folders may be made that stand in paths only and are no entries.
    package var maximumImpliedFolders: UInt64 = 16_000_000

    package init() {}
}

/// What an extractor must remember beside the files themselves to go on after a restart.
package struct ExtractionState: Codable, Hashable, Sendable {
    /// Mode and time of a folder, set when nothing more is put in.
    struct FolderAttributes: Codable, Hashable, Sendable {
        var mode: UInt16?
        var seconds: Int64?
        var nanoseconds: Int32 = 0
        var userID: UInt64?
        var groupID: UInt64?
    }

    /// Folders whose attributes are still to be set, by path.
    var folders: [String: FolderAttributes] = [:]
    /// The first file of each cluster of equal files, by kind and number.
    var clusters: [String: String] = [:]
    /// The last path that was begun.
    var lastPath = ""
    /// Whether every path came in byte order, so that one which is not behind `lastPath` must be a repetition.
    var isSorted = true
    package internal(set) var summary = ExtractionSummary()
}

/// What was extracted.
package struct ExtractionSummary: Codable, Hashable, Sendable {
    /// Entries of every kind.
    package internal(set) var entries: UInt64 = 0
    package internal(set) var files: UInt64 = 0
    package internal(set) var folders: UInt64 = 0
    package internal(set) var links: UInt64 = 0
    /// The sum of the files' contents.
    package internal(set) var bytes: UInt64 = 0
    /// Entries that are no file, folder or link and were left out.
    package internal(set) var skipped: UInt64 = 0
    /// The first of them, with their kind, for a message.
    package internal(set) var skippedNames: [String] = []
}
