// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// A name inside a directory of the merged tree.
package struct DirectoryItem: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// A file and the bytes of its content.
        case file(size: UInt64)
        case directory
    }

    package var name: String
    package var kind: Kind

    package init(name: String, kind: Kind) {
        self.name = name
        self.kind = kind
    }
}

extension NamespaceTable {
    /// Calls `body` with each file below a directory ("" is the root), sorted by path; of a collision only the winner,
    /// unless one pack is asked for.
    package func forEachFile(
        below directory: String, inPackAt pack: Int? = nil, _ body: (NamespaceEntry) throws -> Void
    ) rethrows {
        var prefix = directory.isEmpty ? "" : directory + "/"
        try prefix.withUTF8 { prefix in
            let prefix = UnsafeRawBufferPointer(prefix)
            var index = lowerBound(prefix)
            var last: UnsafeRawBufferPointer?
            while let entry = entry(at: index), NamespaceTable.hasPrefix(entry.path, prefix) {
                index += 1
                if let pack {
                    if entry.pack != pack { continue }
                } else if let last, NamespaceTable.compare(last, entry.path) == 0 {
                    continue
                }
                last = entry.path
                try body(entry)
            }
        }
    }

    /// What a directory holds, sorted by name, or nil when no pack has it. "" is the root.
    ///
    /// Takes time by the number of names in the directory, not by what lies below them. Where one pack has a file and
    /// another a directory of the same name, both are told, the file first.
    package func list(_ directory: String, inPackAt pack: Int? = nil) -> [DirectoryItem]? {
        var prefix = directory.isEmpty ? "" : directory + "/"
        let items = prefix.withUTF8 { list(below: UnsafeRawBufferPointer($0), inPackAt: pack) }
        return items.isEmpty && !directory.isEmpty ? nil : items
    }

    private func list(below prefix: UnsafeRawBufferPointer, inPackAt pack: Int?) -> [DirectoryItem] {
        var items: [DirectoryItem] = []
        var index = lowerBound(prefix)
        while let entry = entry(at: index), NamespaceTable.hasPrefix(entry.path, prefix) {
            let rest = UnsafeRawBufferPointer(rebasing: entry.path[prefix.count...])
            guard let slash = rest.firstIndex(of: UInt8(ascii: "/")) else {
                if pack == nil || entry.pack == pack {
                    let item = DirectoryItem(name: String(decoding: rest, as: UTF8.self), kind: .file(size: entry.size))
                    if items.last?.name != item.name { items.append(item) }
                }
                index += 1
                continue
            }
            // Everything below this name lies between "name/" and "name0", '0' being the byte after '/'.
            let end = lowerBound(UnsafeRawBufferPointer(rebasing: entry.path[..<(prefix.count + slash)]), before: 0x30)
            if pack == nil || (index..<max(end, index + 1)).contains(where: { self.entry(at: $0)?.pack == pack }) {
                items.append(DirectoryItem(name: String(decoding: rest[..<slash], as: UTF8.self), kind: .directory))
            }
            index = max(end, index + 1)
        }
        return items
    }

    /// The packs, by number, that hold a file below a directory.
    package func packs(below directory: String) -> [Int] {
        var found: Set<Int> = []
        for pack in 0..<packCount {
            var prefix = directory.isEmpty ? "" : directory + "/"
            prefix.withUTF8 { prefix in
                let prefix = UnsafeRawBufferPointer(prefix)
                var index = lowerBound(prefix)
                while let entry = entry(at: index), NamespaceTable.hasPrefix(entry.path, prefix) {
                    if entry.pack == pack {
                        found.insert(pack)
                        break
                    }
                    index += 1
                }
            }
        }
        return found.sorted()
    }

    /// Paths that several packs hold, at most `limit` of them, sorted by path; `collisionCount` has the whole number.
    package func collisions(limit: Int = .max) -> [PathCollision] {
        // Plain loops: the optimiser of Swift 6.3.1 fails on this function when they are lazy chains.
        var found: [PathCollision] = []
        for number in 0..<min(collisionCount, max(limit, 0)) {
            let base = collisionsOffset + number * NamespaceFormat.collisionStride
            let first = Int(half(base))
            guard let winner = entry(at: first) else { continue }
            var losers: [String] = []
            var index = first + 1
            while index <= first + Int(half(base + 4)), let loser = entry(at: index) {
                losers.append(pack(at: loser.pack).id)
                index += 1
            }
            found.append(
                PathCollision(
                    path: String(decoding: winner.path, as: UTF8.self), winner: pack(at: winner.pack).id, losers: losers
                ))
        }
        return found
    }

    /// The number of the first entry whose path is not below `path` (followed by the byte `before`, if given).
    func lowerBound(_ path: UnsafeRawBufferPointer, before next: UInt8? = nil) -> Int {
        var low = 0
        var high = entryCount
        while low < high {
            let middle = (low + high) / 2
            guard let other = entry(at: middle)?.path else { return entryCount }
            if NamespaceTable.precedes(other, path, next) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Whether `path` sorts before `bound` (+ `next`).
    private static func precedes(
        _ path: UnsafeRawBufferPointer, _ bound: UnsafeRawBufferPointer, _ next: UInt8?
    ) -> Bool {
        guard let next else { return compare(path, bound) < 0 }
        guard hasPrefix(path, bound) else { return compare(path, bound) < 0 }
        return path.count == bound.count || path[bound.count] < next
    }

    @inline(__always)
    static func hasPrefix(_ path: UnsafeRawBufferPointer, _ prefix: UnsafeRawBufferPointer) -> Bool {
        path.count >= prefix.count
            && compare(UnsafeRawBufferPointer(rebasing: path[..<prefix.count]), prefix) == 0
    }
}
