// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// A piece that is made of stretches of the base, with something added or not, and of literals.
///
/// Payload: the residuals' model, how places are said and whether literals have a prefix, whether there are word classes and if so which,
/// and six streams, each with its size, its coded size and its coded bytes: runs of literals, counts of copied bytes, places, gaps,
/// values, literals. Before the last stands where its prefix begins in the base and how long it is, if it has one.
enum InstructionPiece {
    private static let streamCount = 6
    /// Of a model's byte: a range of the base is the literals' prefix.
    static let literalPrefixFlag: UInt8 = 0x80

    /// All streams together have no more bytes than that.
    static func mostStreamBytes(targetSize: Int) -> Int { 2 * targetSize + DeltaFormat.payloadSlack }

    /// - Throws: `DeltaError`, or what reading the base throws.
    static func decode(
        _ payload: UnsafeRawBufferPointer, base: some DeltaSource, into target: UnsafeMutableRawBufferPointer,
        coder: StreamCoder, memory: DecodingMemory
    ) throws {
        var reader = DeltaReader(payload)
        let form = try reader.byte()
        guard let model = ResidualModel(byte: form & ~(CopyPlaces.columnsFlag | literalPrefixFlag)) else {
            throw DeltaError.damaged("what it adds has an unknown model")
        }
        let classes: WordClasses
        switch try reader.byte() {
        case 0: classes = WordClasses()
        case 1: classes = WordClasses(mask: try reader.bytes(WordClasses.maskSize))
        default: throw DeltaError.damaged("its literals have an unknown form")
        }
        let streams = try streams(
            &reader, mostStreamBytes(targetSize: target.count), form & literalPrefixFlag != 0, base, coder, memory)
        let places = try CopyPlaceReader(
            streams[2], inColumns: form & CopyPlaces.columnsFlag != 0, baseSize: base.size)
        let columns = try Columns.Reader(streams[4], width: model.unit.isInColumns ? model.unit.size : 1)
        let residuals = try ResidualDecoder(model: model, gaps: streams[3], values: streams[4], columns: columns)
        memory.lines.forget()
        try follow(
            streams[0], streams[1], places, literals: streams[5], residuals, classes, base, memory.lines, target)
    }

    private static func streams(
        _ reader: inout DeltaReader, _ limit: Int, _ hasPrefix: Bool, _ base: some DeltaSource, _ coder: StreamCoder,
        _ memory: DecodingMemory
    ) throws -> [UnsafeRawBufferPointer] {
        var coded: [(size: Int, bytes: UnsafeRawBufferPointer)] = []
        var total = 0
        var range = 0..<0
        for number in 1...streamCount {
            if number == streamCount, hasPrefix {
                let start = try reader.number(upTo: base.size)
                range = start..<start + (try reader.number(upTo: min(base.size - start, DeltaFormat.literalPrefixSize)))
            }
            let size = try reader.number(upTo: limit - total)
            total += size
            let codedSize = size == 0 ? 0 : try reader.number(upTo: reader.remaining)
            coded.append((size, try reader.bytes(codedSize)))
        }
        guard reader.remaining == 0 else { throw DeltaError.damaged("something follows a piece's streams") }
        let room = memory.streams(total + range.count)
        let prefix = UnsafeMutableRawBufferPointer(rebasing: room[total...])
        if !range.isEmpty { try base.read(into: prefix, at: range.lowerBound) }
        var position = 0
        return try coded.enumerated().map { number, stream in
            let room = UnsafeMutableRawBufferPointer(rebasing: room[position..<position + stream.size])
            position += stream.size
            let isLast = number == streamCount - 1
            let prefix = UnsafeRawBufferPointer(rebasing: isLast ? prefix[...] : prefix[..<0])
            if stream.size > 0 { try coder.decode(stream.bytes, prefix: prefix, into: room) }
            return UnsafeRawBufferPointer(room)
        }
    }

    private static func follow(
        _ runs: UnsafeRawBufferPointer, _ counts: UnsafeRawBufferPointer, _ places: consuming CopyPlaceReader,
        literals: UnsafeRawBufferPointer, _ residuals: consuming ResidualDecoder, _ classes: consuming WordClasses,
        _ base: some DeltaSource, _ lines: BaseLines, _ target: UnsafeMutableRawBufferPointer
    ) throws {
        var runs = DeltaReader(runs)
        var counts = DeltaReader(counts)
        var literals = DeltaReader(literals)
        let hasClasses = !classes.isEmpty
        var position = 0
        var expected = 0
        while position < target.count {
            let run = try literals.bytes(try runs.number(upTo: target.count - position))
            if !run.isEmpty {
                let room = UnsafeMutableRawBufferPointer(rebasing: target[position..<position + run.count])
                room.copyMemory(from: run)
                if hasClasses { classes.decode(room, at: position) }
                position += run.count
                if position == target.count { break }
            }
            let kind = try counts.number(upTo: (target.count - position) << 1 | 1)
            let count = kind >> 1
            // What is copied goes on behind what the literals are in the stead of.
            let place = try places.next(expected: expected &+ run.count)
            guard count > 0, place >= 0, count <= base.size, place <= base.size - count else {
                throw DeltaError.damaged("it points outside of its base")
            }
            let room = UnsafeMutableRawBufferPointer(rebasing: target[position..<position + count])
            try lines.read(into: room, at: place, of: base)
            if kind & 1 == 1 { try residuals.add(to: room, at: position) }
            position += count
            expected = place + count
        }
        guard runs.remaining == 0, counts.remaining == 0, places.isAtEnd, literals.remaining == 0 else {
            throw DeltaError.damaged("it says more than its target has")
        }
    }
}
