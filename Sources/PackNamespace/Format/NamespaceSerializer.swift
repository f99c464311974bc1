// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Lays sorted records out as the bytes of a namespace file.
struct NamespaceSerializer {
    typealias Record = NamespaceWriter.Record

    let generation: UInt64
    let packs: [NamespacePack]
    let arena: [UInt8]
    let records: [Record]

    /// Where the sections begin.
    private struct Layout {
        var packs = 0
        var entries = 0
        var slots = 0
        var collisions = 0
        var strings = 0
        var stringsSize = 0
        var fileSize = 0
    }

    func serialize() throws -> [UInt8] {
        arena.withUnsafeBytes { arena in
            let collisions = findCollisions(arena)
            let slotCount = NamespaceFormat.slotCount(forPaths: records.count)
            var layout = Layout()
            layout.packs = NamespaceFormat.headerSize
            layout.entries = layout.packs + packs.count * NamespaceFormat.packStride
            layout.slots = layout.entries + records.count * NamespaceFormat.entryStride
            layout.collisions = layout.slots + slotCount * NamespaceFormat.slotStride
            layout.strings = layout.collisions + collisions.count * NamespaceFormat.collisionStride
            layout.stringsSize = records.reduce(packStrings.reduce(0) { $0 + $1.utf8.count + 1 }) {
                $0 + Int($1.length) + 1
            }
            layout.fileSize = (layout.strings + layout.stringsSize + 7) & ~7
            var file = [UInt8](repeating: 0, count: layout.fileSize)
            file.withUnsafeMutableBytes { file in
                writeStringsAndRecords(into: file, layout, arena)
                writeIndex(into: file, layout, slotCount: slotCount, arena)
                for (index, collision) in collisions.enumerated() {
                    let offset = layout.collisions + index * NamespaceFormat.collisionStride
                    Self.store(collision.entry, file, offset)
                    Self.store(collision.losers, file, offset + 4)
                }
                writeHeader(into: file, layout, slotCount: slotCount, collisionCount: collisions.count)
            }
            return file
        }
    }

    private var packStrings: [String] {
        packs.flatMap { [$0.id, $0.directory, $0.language ?? "", $0.userInfo ?? "", $0.policy ?? ""] }
    }

    private func writeHeader(
        into file: UnsafeMutableRawBufferPointer, _ layout: Layout, slotCount: Int, collisionCount: Int
    ) {
        typealias Header = NamespaceFormat.Header
        Self.store(NamespaceFormat.magic, file, Header.magic)
        Self.store(NamespaceFormat.version, file, Header.version)
        Self.store(UInt32(NamespaceFormat.headerSize), file, Header.headerSize)
        Self.store(UInt64(file.count), file, Header.fileSize)
        Self.store(generation, file, Header.generation)
        Self.store(UInt32(packs.count), file, Header.packCount)
        Self.store(UInt32(records.count), file, Header.entryCount)
        Self.store(UInt32(slotCount), file, Header.slotCount)
        Self.store(UInt32(collisionCount), file, Header.collisionCount)
        for (field, value) in [
            (Header.packs, layout.packs), (Header.entries, layout.entries), (Header.slots, layout.slots),
            (Header.collisions, layout.collisions), (Header.strings, layout.strings),
            (Header.stringsSize, layout.stringsSize),
        ] {
            Self.store(UInt64(value), file, field)
        }
        Self.store(NamespaceFormat.checksum(of: UnsafeRawBufferPointer(file)), file, Header.checksum)
    }

    /// Pack strings first, then the paths in the order of the entries, so that a listing reads forwards.
    private func writeStringsAndRecords(
        into file: UnsafeMutableRawBufferPointer, _ layout: Layout, _ arena: UnsafeRawBufferPointer
    ) {
        var cursor = 0
        func place(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
            let start = cursor
            UnsafeMutableRawBufferPointer(rebasing: file[(layout.strings + start)...]).copyMemory(from: bytes)
            cursor += bytes.count + 1
            return UInt32(start)
        }
        for (index, pack) in packs.enumerated() {
            let base = layout.packs + index * NamespaceFormat.packStride
            typealias Field = NamespaceFormat.Pack
            for (field, value) in [
                (Field.version, pack.version), (Field.downloadSize, pack.downloadSize),
                (Field.installedSize, pack.installedSize), (Field.allocatedSize, pack.allocatedSize),
                (Field.fileCount, pack.fileCount),
            ] {
                Self.store(value, file, base + field)
            }
            for (field, string) in [
                (Field.identifier, pack.id), (Field.directory, pack.directory), (Field.language, pack.language ?? ""),
                (Field.userInfo, pack.userInfo ?? ""), (Field.policy, pack.policy ?? ""),
            ] {
                var string = string
                string.withUTF8 { bytes in
                    Self.store(place(UnsafeRawBufferPointer(bytes)), file, base + field)
                    Self.store(UInt32(bytes.count), file, base + field + 4)
                }
            }
        }
        for (index, record) in records.enumerated() {
            let base = layout.entries + index * NamespaceFormat.entryStride
            Self.store(record.size, file, base + NamespaceFormat.Entry.size)
            Self.store(place(NamespaceWriter.path(record, arena)), file, base + NamespaceFormat.Entry.pathOffset)
            Self.store(record.length, file, base + NamespaceFormat.Entry.pathLength)
            Self.store(record.pack, file, base + NamespaceFormat.Entry.pack)
        }
    }

    /// Open addressing with linear probing; a slot holds the upper half of the hash and the entry's number plus one.
    private func writeIndex(
        into file: UnsafeMutableRawBufferPointer, _ layout: Layout, slotCount: Int, _ arena: UnsafeRawBufferPointer
    ) {
        let mask = UInt64(slotCount - 1)
        for (index, record) in records.enumerated() where !repeatsPath(index, arena) {
            let hash = NamespaceFormat.hash(NamespaceWriter.path(record, arena))
            var slot = hash & mask
            while true {
                let offset = layout.slots + Int(slot) * NamespaceFormat.slotStride
                if file.loadUnaligned(fromByteOffset: offset, as: UInt64.self) == 0 {
                    Self.store((hash & 0xFFFF_FFFF_0000_0000) | UInt64(index + 1), file, offset)
                    break
                }
                slot = (slot + 1) & mask
            }
        }
    }

    /// Whether the record before has the same path: then it, or one before it, won.
    private func repeatsPath(_ index: Int, _ arena: UnsafeRawBufferPointer) -> Bool {
        guard index > 0 else { return false }
        return NamespaceTable.compare(
            NamespaceWriter.path(records[index - 1], arena), NamespaceWriter.path(records[index], arena)) == 0
    }

    private func findCollisions(_ arena: UnsafeRawBufferPointer) -> [(entry: UInt32, losers: UInt32)] {
        var result: [(entry: UInt32, losers: UInt32)] = []
        var winner = 0
        for index in records.indices {
            guard repeatsPath(index, arena) else {
                winner = index
                continue
            }
            if result.last?.entry == UInt32(winner) {
                result[result.count - 1].losers += 1
            } else {
                result.append((UInt32(winner), 1))
            }
        }
        return result
    }

    @inline(__always)
    private static func store<Value: FixedWidthInteger>(
        _ value: Value, _ file: UnsafeMutableRawBufferPointer, _ offset: Int
    ) {
        file.storeBytes(of: value.littleEndian, toByteOffset: offset, as: Value.self)
    }
}
