// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// One file of the merged tree. Borrows the table's bytes.
package struct NamespaceEntry {
    /// Bytes of the file's content.
    package let size: UInt64
    /// The number of the pack that holds it.
    package let pack: Int
    /// The path relative to the pack's directory; a NUL follows the last byte.
    package let path: UnsafeRawBufferPointer
}

extension NamespaceTable {
    /// The entry with a number, or nil when there is none or the file is damaged.
    @inline(__always)
    package func entry(at index: Int) -> NamespaceEntry? {
        guard index >= 0, index < entryCount else { return nil }
        let base = entries + index * NamespaceFormat.entryStride
        let location = half(base + NamespaceFormat.Entry.pathLength)
        let pack = Int(location >> 16)
        guard pack < packCount,
            let path = string(
                offset: half(base + NamespaceFormat.Entry.pathOffset), length: location & 0xFFFF)
        else { return nil }
        return NamespaceEntry(size: word(base + NamespaceFormat.Entry.size), pack: pack, path: path)
    }

    /// The file at `path` in the merged tree, or in one pack only. Takes no time that depends on the number of files.
    /// - Parameter path: relative, normal, without a slash at either end.
    @inline(__always)
    package func lookup(_ path: UnsafeRawBufferPointer, inPackAt pack: Int? = nil) -> NamespaceEntry? {
        guard !path.isEmpty, path.count <= NamespaceFormat.maximumPathLength else { return nil }
        let hash = NamespaceFormat.hash(path)
        let mask = slotCount - 1
        var slot = Int(truncatingIfNeeded: hash) & mask
        for _ in 0..<slotCount {
            let value = word(slots + slot * NamespaceFormat.slotStride)
            if value == 0 { return nil }
            if (value ^ hash) >> 32 == 0 {
                let index = Int(value & 0xFFFF_FFFF) - 1
                if let found = entry(at: index), NamespaceTable.compare(found.path, path) == 0 {
                    guard let pack, found.pack != pack else { return found }
                    return loser(after: index, path, inPackAt: pack)
                }
            }
            slot = (slot + 1) & mask
        }
        return nil
    }

    /// The packs that lost a collision follow the winner.
    private func loser(after winner: Int, _ path: UnsafeRawBufferPointer, inPackAt pack: Int) -> NamespaceEntry? {
        var index = winner + 1
        while let next = entry(at: index), NamespaceTable.compare(next.path, path) == 0 {
            if next.pack == pack { return next }
            index += 1
        }
        return nil
    }

    // MARK: - Packs

    /// The pack with a number below `packCount`.
    package func pack(at index: Int) -> NamespacePack {
        typealias Field = NamespaceFormat.Pack
        guard index >= 0, index < packCount else { return NamespacePack(id: "", version: 0, directory: "") }
        let base = packs + index * NamespaceFormat.packStride
        func optional(_ field: Int) -> String? { half(base + field + 4) == 0 ? nil : packString(index, field) }
        return NamespacePack(
            id: packString(index, Field.identifier), version: word(base + Field.version),
            directory: packString(index, Field.directory), language: optional(Field.language),
            userInfo: optional(Field.userInfo), policy: optional(Field.policy),
            downloadSize: word(base + Field.downloadSize), installedSize: word(base + Field.installedSize),
            allocatedSize: word(base + Field.allocatedSize), fileCount: word(base + Field.fileCount))
    }

    private func packString(_ index: Int, _ field: Int) -> String {
        packBytes(index, field).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// A string of the pack table, NUL behind it.
    func packBytes(_ index: Int, _ field: Int) -> UnsafeRawBufferPointer? {
        guard index >= 0, index < packCount else { return nil }
        let base = packs + index * NamespaceFormat.packStride + field
        return string(offset: half(base), length: half(base + 4))
    }

    /// The number of the pack with an id: packs are sorted by it.
    package func packIndex(id: UnsafeRawBufferPointer) -> Int? {
        var low = 0
        var high = packCount
        while low < high {
            let middle = (low + high) / 2
            guard let other = packBytes(middle, NamespaceFormat.Pack.identifier) else { return nil }
            let order = NamespaceTable.compare(other, id)
            if order == 0 { return middle }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return nil
    }

    package func packIndex(id: String) -> Int? {
        var id = id
        return id.withUTF8 { packIndex(id: UnsafeRawBufferPointer($0)) }
    }

    package var allPacks: [NamespacePack] { (0..<packCount).map(pack(at:)) }
}
