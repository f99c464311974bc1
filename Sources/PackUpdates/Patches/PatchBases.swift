// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import Synchronization
import System

/// The bases of all groups in one file. Of a group that shares chunks with its bases only what has to be compared is there at first;
/// more comes when it is asked for.
final class PatchBases: Sendable {
    let contents: MappedContents
    private let file: OwnedDescriptor
    private let layout: PatchLayout
    private let old: PatchVersion
    private let new: PatchVersion
    /// What is there, by groups that share chunks.
    private let filled: Mutex<[Int: [Range<Int>]]>

    /// - Parameter file: in which what the layout places was unpacked.
    /// - Throws: `Errno`
    init(_ file: FileDescriptor, _ layout: PatchLayout, from old: PatchVersion, to new: PatchVersion) throws {
        contents = try MappedContents(file, size: layout.baseSize)
        self.file = OwnedDescriptor(try file.duplicate())
        self.layout = layout
        self.old = old
        self.new = new
        var filled: [Int: [Range<Int>]] = [:]
        for (number, group) in layout.groups.enumerated() {
            if let shared = group.shared { filled[number] = shared.baseSpans }
        }
        self.filled = Mutex(filled)
    }

    /// Unpacks what is not there yet of a stretch of a group's bases. Blocks; one thread at a time.
    /// - Throws: as `PatchVersion.unpack`.
    func require(_ stretch: Range<Int>, of number: Int) throws {
        try filled.withLock { filled in
            guard let there = filled[number] else { return }
            let missing = there.missing(of: stretch)
            guard !missing.isEmpty else { return }
            var (old, new) = (ContentLayout(index: self.old.index), ContentLayout(index: self.new.index))
            PatchLayout.place(missing, of: layout.groups[number], &old, &new)
            try self.old.unpack(old, to: [file.borrowed], isCancelled: { false })
            try self.new.unpack(new, to: [file.borrowed], isCancelled: { false })
            var all = there + missing
            all.joinRanges()
            filled[number] = all
        }
    }
}
