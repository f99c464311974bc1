// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// A piece that is rows of vectors mostly, of which many come again: the corners of triangles, each of which has a part in
/// some six. What comes again is said by how many others came since, and what is new in columns, by how much it differs from the
/// vector before. Nothing of the base is in it.
///
/// Payload: the rows' layout, where they stand, and streams, each with its coded size and its coded bytes: plain bytes; bytes of
/// rows that belong to no vector, in columns; and for each set of vectors how many different ones it has, a stream for each
/// column of what comes again, and one for each of what is new.
enum RowPiece {
    /// How many bytes say which of so many vectors comes.
    static func width(for count: Int) -> Int { count < 1 << 8 ? 1 : count < 1 << 16 ? 2 : 3 }

    /// - Throws: `DeltaError`
    static func decode(
        _ payload: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer, coder: StreamCoder,
        memory: DecodingMemory
    ) throws {
        var reader = DeltaReader(payload)
        let layout = try RowLayout(&reader)
        let runs = try RowRuns(&reader, rowSize: layout.size, targetSize: target.count)
        let rows = runs.rowBytes / layout.size
        let rest = layout.rest
        let restCount = rest.reduce(0) { $0 + $1.count }
        let room = memory.streams(2 * target.count + DeltaFormat.payloadSlack)
        var used = 0
        // What is taken of it is never more: vectors have two words at least, and what says which comes has three bytes at most.
        func take(_ count: Int) throws -> UnsafeMutableRawBufferPointer {
            guard count <= room.count - used else { throw DeltaError.damaged("its streams are too long") }
            defer { used += count }
            return UnsafeMutableRawBufferPointer(rebasing: room[used..<used + count])
        }
        func stream(_ count: Int, columns: Int = 1) throws -> UnsafeRawBufferPointer {
            let room = try take(count * columns)
            for column in 0..<columns where count > 0 {
                let coded = try reader.bytes(try reader.number(upTo: reader.remaining))
                try coder.decode(
                    coded, into: UnsafeMutableRawBufferPointer(rebasing: room[column * count..<(column + 1) * count]))
            }
            return UnsafeRawBufferPointer(room)
        }
        var plain = DeltaReader(try stream(target.count - runs.rowBytes))
        for range in runs.plain { copy(try plain.bytes(range.count), to: target, at: range.lowerBound) }
        let between = try stream(rows, columns: restCount)
        var sets: [VectorSet] = []
        var places: [UnsafeMutableBufferPointer<UInt32>] = []
        defer { for places in places { places.deallocate() } }
        for (set, wordCount) in layout.wordCounts.enumerated() {
            let height = rows * layout.fields.count { $0.set == set }
            let count = try reader.number(upTo: height)
            places.append(.allocate(capacity: count))
            sets.append(
                VectorSet(
                    wordCount: wordCount, count: count, height: height,
                    references: try stream(height, columns: width(for: count)),
                    words: try stream(count, columns: 4 * wordCount), places: places[set]))
        }
        guard reader.remaining == 0 else { throw DeltaError.damaged("something follows a piece's streams") }
        try fill(target, layout, runs, between, rows, &sets)
        guard sets.allSatisfy(\.isAtEnd) else {
            throw DeltaError.damaged("it says more than its target has")
        }
    }

    private static func fill(
        _ target: UnsafeMutableRawBufferPointer, _ layout: RowLayout, _ runs: RowRuns,
        _ between: UnsafeRawBufferPointer,
        _ rows: Int, _ sets: inout [VectorSet]
    ) throws {
        let rest = layout.rest.flatMap { Array($0) }
        var row = 0
        for range in runs.ranges {
            for start in stride(from: range.lowerBound, to: range.upperBound, by: layout.size) {
                for field in layout.fields { try sets[field.set].next(into: target, at: start + field.start) }
                for (column, place) in rest.enumerated() { target[start + place] = between[column * rows + row] }
                row += 1
            }
        }
    }

    private static func copy(
        _ bytes: UnsafeRawBufferPointer, to target: UnsafeMutableRawBufferPointer, at place: Int
    ) {
        UnsafeMutableRawBufferPointer(rebasing: target[place..<place + bytes.count]).copyMemory(from: bytes)
    }
}
