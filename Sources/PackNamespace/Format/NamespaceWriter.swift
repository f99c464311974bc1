// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// Builds the namespace file of one generation. Same packs and files in any order, same bytes.
package struct NamespaceWriter {
    /// One file of one pack; the path lies in `arena`, NUL-terminated.
    struct Record {
        var size: UInt64
        var offset: UInt32
        var length: UInt16
        var pack: UInt16
    }

    private(set) var generation: UInt64
    private(set) var packs: [NamespacePack] = []
    private(set) var arena: [UInt8] = []
    /// One run of records for each pack, in the order of `packs`; sorted by path when `finish` merges them.
    private(set) var runs: [[Record]] = []

    package init(generation: UInt64) { self.generation = generation }

    /// Begins a pack; the files added next are its own.
    /// - Throws: `NamespaceError` when the format cannot number one more pack.
    package mutating func begin(_ pack: NamespacePack) throws {
        guard packs.count < NamespaceFormat.maximumPackCount else {
            throw NamespaceError(
                .tooLarge, "An app can have at most \(NamespaceFormat.maximumPackCount) local packs; remove some first."
            )
        }
        packs.append(pack)
        runs.append([])
    }

    /// Adds a file of the pack that was begun last.
    /// - Parameter path: bytes relative to the pack's directory, without a slash at either end.
    /// - Throws: `NamespaceError` when the path is too long or the file would hold too many of them.
    package mutating func add(path: UnsafeRawBufferPointer, size: UInt64) throws {
        try add(path: path, size: size, to: packs.count - 1)
    }

    private mutating func add(path: UnsafeRawBufferPointer, size: UInt64, to pack: Int) throws {
        guard !path.isEmpty, path.count <= NamespaceFormat.maximumPathLength,
            arena.count + path.count + 1 < Int(UInt32.max), runs.indices.contains(pack)
        else {
            throw NamespaceError(.tooLarge, "A path of \(path.count) bytes does not fit into the namespace.")
        }
        runs[pack].append(
            Record(size: size, offset: UInt32(arena.count), length: UInt16(path.count), pack: UInt16(pack)))
        arena.append(contentsOf: path)
        arena.append(0)
    }

    package mutating func add(path: String, size: UInt64) throws {
        var path = path
        try path.withUTF8 { try add(path: UnsafeRawBufferPointer($0), size: size) }
    }

    /// Takes the packs of an older generation over, unchanged, but for those whose ids are in `excluded`.
    package mutating func carry(_ table: NamespaceTable, excluding excluded: Set<String> = []) throws {
        var numbers = [Int?](repeating: nil, count: table.packCount)
        for index in 0..<table.packCount {
            let pack = table.pack(at: index)
            guard !excluded.contains(pack.id) else { continue }
            try begin(pack)
            numbers[index] = packs.count - 1
        }
        for index in 0..<table.entryCount {
            guard let entry = table.entry(at: index), let number = numbers[entry.pack] else { continue }
            try add(path: entry.path, size: entry.size, to: number)
        }
    }

    /// The bytes of the file.
    /// - Throws: `NamespaceError` when there are more paths than the format can number.
    package consuming func finish() throws -> [UInt8] {
        let total = runs.reduce(0) { $0 + $1.count }
        guard total <= NamespaceFormat.maximumEntryCount else {
            throw NamespaceError(.tooLarge, "The app's packs hold \(total) files; a namespace can list 4,294,967,294.")
        }
        numberPacksByIdentifier()
        let records = mergedRecords()
        return try NamespaceSerializer(generation: generation, packs: packs, arena: arena, records: records).serialize()
    }

    /// Sorts the packs bytewise by id, so that the lowest number wins a collision.
    private mutating func numberPacksByIdentifier() {
        let order = packs.indices.sorted { packs[$0].id.utf8.lexicographicallyPrecedes(packs[$1].id.utf8) }
        packs = order.map { packs[$0] }
        runs = order.map { runs[$0] }
        for (number, _) in runs.enumerated() {
            for index in runs[number].indices { runs[number][index].pack = UInt16(number) }
        }
    }

    /// All records by path, then by pack. Runs taken over from a generation are sorted already and only merged.
    private mutating func mergedRecords() -> [Record] {
        arena.withUnsafeBytes { bytes in
            func precedes(_ left: Record, _ right: Record) -> Bool {
                let order = NamespaceTable.compare(Self.path(left, bytes), Self.path(right, bytes))
                return order == 0 ? left.pack < right.pack : order < 0
            }
            var pending = runs
            for index in pending.indices
            where !zip(pending[index], pending[index].dropFirst()).allSatisfy({ precedes($0, $1) }) {
                pending[index].sort(by: precedes)
            }
            while pending.count > 1 {
                var next: [[Record]] = []
                for first in stride(from: 0, to: pending.count, by: 2) {
                    next.append(
                        first + 1 < pending.count
                            ? Self.merge(pending[first], pending[first + 1], by: precedes) : pending[first])
                }
                pending = next
            }
            return pending.first ?? []
        }
    }

    private static func merge(_ left: [Record], _ right: [Record], by precedes: (Record, Record) -> Bool) -> [Record] {
        var result: [Record] = []
        result.reserveCapacity(left.count + right.count)
        var leftIndex = 0
        var rightIndex = 0
        while leftIndex < left.count, rightIndex < right.count {
            if precedes(right[rightIndex], left[leftIndex]) {
                result.append(right[rightIndex])
                rightIndex += 1
            } else {
                result.append(left[leftIndex])
                leftIndex += 1
            }
        }
        result.append(contentsOf: left[leftIndex...])
        result.append(contentsOf: right[rightIndex...])
        return result
    }

    @inline(__always)
    static func path(_ record: Record, _ arena: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let start = Int(record.offset)
        return UnsafeRawBufferPointer(rebasing: arena[start..<start + Int(record.length)])
    }
}
