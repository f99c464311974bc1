// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System

/// What a folder takes, in bytes.
struct TreeSize: Hashable, Sendable {
    /// In the files.
    var logical: Int64 = 0
    /// On the disk.
    var allocated: Int64 = 0
    var fileCount = 0
    /// Files, folders, links and others.
    var entryCount = 0
    /// When anything of it changed last; nil when nothing is there.
    var lastChange: Timestamp?

    /// Measures `path` and all below; links count as themselves, a file with several names once per name. Nothing being
    /// there measures 0. Blocks.
    /// - Parameters:
    ///   - omitted: the name of an entry right below `path` that does not count.
    ///   - most: where that much is on the disk, counting each entry's least, the rest is not looked at.
    ///   - visit: told of everything that counts.
    /// - Throws: `Errno`
    static func measure(
        _ path: FilePath, except omitted: String? = nil, upTo most: Int64 = .max,
        _ visit: (FileStatus) -> Void = { _ in }
    ) throws -> TreeSize {
        var size = TreeSize()
        let here = FileDescriptor.currentDirectory
        let status: FileStatus
        do {
            status = try here.status(at: path)
        } catch Errno.noSuchFileOrDirectory {
            return size
        }
        size.add(status)
        visit(status)
        guard status.kind == .directory else { return size }
        do {
            let folder = try OwnedDescriptor(path, .readOnly, options: [.directory, .noFollow])
            try size.addContents(folder.borrowed, depth: 0, except: omitted, upTo: most, visit)
        } catch Errno.noSuchFileOrDirectory {}  // Gone while we looked.
        return size
    }

    /// What is on the disk when no entry is taken for less than `least`, in bytes.
    func weight(ofEntry least: Int64) -> Int64 {
        let (entries, overflow) = least.multipliedReportingOverflow(by: Int64(clamping: entryCount))
        return overflow ? .max : max(allocated, entries)
    }

    private mutating func add(_ status: FileStatus) {
        entryCount += 1
        if status.kind == .regular {
            logical += status.size
            fileCount += 1
        }
        allocated += status.allocatedSize
        lastChange = max(lastChange ?? status.changeTime, status.changeTime)
    }

    private mutating func addContents(
        _ folder: FileDescriptor, depth: Int, except omitted: String? = nil, upTo most: Int64,
        _ visit: (FileStatus) -> Void
    ) throws {
        guard depth < TreeCopy.depthLimit else { return }
        for entry in try folder.entries() where entry.name != omitted {
            let path = FilePath(entry.name)
            do {
                let status = try folder.status(at: path)
                add(status)
                visit(status)
                if weight(ofEntry: 4096) > most { return }
                guard entry.kind == .directory else { continue }
                let inner = OwnedDescriptor(try folder.open(at: path, .readOnly, options: [.directory, .noFollow]))
                try addContents(inner.borrowed, depth: depth + 1, upTo: most, visit)
            } catch Errno.noSuchFileOrDirectory {
                continue  // Gone while we looked; it takes nothing any more.
            }
        }
    }
}
