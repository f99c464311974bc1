// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System

/// What trees take on the disk, each file counted once however many names it has in them.
struct DiskUse: Sendable {
    /// What some trees take together, in bytes.
    struct Share: Hashable, Sendable {
        /// On the disk.
        var allocated: Int64 = 0
        /// Of that, what nobody else has: it would be free without them.
        var unique: Int64 = 0
        /// In the files, by name.
        var logical: Int64 = 0
    }

    /// What there is in all, and of each part and owner, by their numbers.
    struct Result: Hashable, Sendable {
        var parts: [Share]
        var owners: [Int: Share] = [:]
        var total: Int64
    }

    /// A name of a file that has several. Only those are kept, 40 bytes for each.
    private struct Name {
        let device, inode: UInt64
        let allocated: Int64
        let part: Int
        /// How many names the file has, anywhere.
        let count: Int
    }

    private var shares: [Share] = []
    private var owners: [Int?] = []
    private var names: [Name] = []

    /// Adds trees that are one part of what `owner` has, and says its number. What is not there takes nothing. Blocks.
    /// - Parameter omitted: the name of an entry right below each path that does not count.
    /// - Throws: `Errno`
    mutating func add(_ paths: [FilePath], of owner: Int? = nil, except omitted: String? = nil) throws -> Int {
        let part = shares.count
        shares.append(Share())
        owners.append(owner)
        for path in paths {
            let size = try TreeSize.measure(path, except: omitted) { add($0, to: part) }
            shares[part].logical = shares[part].logical.addingClamped(size.logical)
        }
        return part
    }

    private mutating func add(_ status: FileStatus, to part: Int) {
        guard status.kind != .directory, status.linkCount > 1 else {
            return shares[part].add(status.allocatedSize, isUnique: true)
        }
        names.append(
            Name(
                device: status.device, inode: status.inode, allocated: status.allocatedSize, part: part,
                count: status.linkCount))
    }

    /// What was added, put together.
    consuming func result() -> Result {
        names.sort { ($0.device, $0.inode, $0.part) < ($1.device, $1.inode, $1.part) }
        var result = Result(parts: shares, total: 0)
        for (part, share) in shares.enumerated() {
            result.total = result.total.addingClamped(share.allocated)
            guard let owner = owners[part] else { continue }
            var owned = result.owners[owner] ?? Share()
            owned.add(share.allocated, isUnique: true)
            owned.logical = owned.logical.addingClamped(share.logical)
            result.owners[owner] = owned
        }
        var start = 0
        while start < names.count {
            let file = names[start]
            var counts: [Int?: Int] = [:]
            var next = start
            while next < names.count, names[next].device == file.device, names[next].inode == file.inode {
                let part = names[next].part
                let first = next
                while next < names.count, names[next].device == file.device, names[next].inode == file.inode,
                    names[next].part == part
                { next += 1 }
                result.parts[part].add(file.allocated, isUnique: next - first == file.count)
                counts[owners[part], default: 0] += next - first
            }
            for case (let owner?, let count) in counts {
                result.owners[owner, default: Share()].add(file.allocated, isUnique: count == file.count)
            }
            result.total = result.total.addingClamped(file.allocated)
            start = next
        }
        return result
    }
}

extension DiskUse.Share {
    fileprivate mutating func add(_ bytes: Int64, isUnique: Bool) {
        allocated = allocated.addingClamped(bytes)
        if isUnique { unique = unique.addingClamped(bytes) }
    }
}
