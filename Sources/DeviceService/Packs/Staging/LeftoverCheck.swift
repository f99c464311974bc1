// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import PackNamespace
import System

/// Tells a file that an interrupted run left behind its last checkpoint from one that the archive holds twice.
///
/// The journal's paths are gathered only when the question comes up, which is rarely.
struct LeftoverCheck {
    private let journal: FilePath
    /// nil when the run did not go on from a checkpoint: then nothing can be left.
    private let journalLength: UInt64?
    private var finished: Set<String>?
    private var completed: Set<String> = []

    init(_ staged: StagedPack, journalLength: UInt64?) {
        journal = staged.journal
        self.journalLength = journalLength
    }

    /// Whether `path` was not complete at the checkpoint, nor completed since.
    mutating func isLeftover(_ path: String) throws -> Bool {
        guard let journalLength else { return false }
        if finished == nil { finished = try readPaths(journalLength) }
        return finished?.contains(path) == false && !completed.contains(path)
    }

    /// A file was completed in this run.
    mutating func complete(_ path: String) {
        if journalLength != nil { completed.insert(path) }
    }

    private func readPaths(_ length: UInt64) throws -> Set<String> {
        var paths: Set<String> = []
        let file = try OwnedDescriptor(journal, .readOnly)
        let mapping = try MappedFile(file.borrowed)
        try withExtendedLifetime(mapping) {
            let counted = UnsafeRawBufferPointer(rebasing: mapping.bytes.prefix(Int(clamping: length)))
            try StagingJournal.forEachFile(counted) {
                paths.insert(String(decoding: $0.path, as: UTF8.self))
            }
        }
        return paths
    }
}
