// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Reads a `multipart/byteranges` body that comes in pieces of any size. Each part says how long it is, so its bytes are passed on
/// and never searched; the lines between are held to strict limits.
struct MultipartReader {
    /// Bytes between two parts, and before the first.
    static let lineLimit = 16 << 10

    enum Event {
        /// A part begins: which bytes it has, and how many the whole resource has, if it says.
        case part(Range<Int64>, total: Int64?)
        /// Bytes of the part.
        case data(UnsafeRawBufferPointer)
    }

    private enum State {
        /// Before the first part, or behind the bytes of one: a line that is the boundary.
        case delimiter
        /// The fields of a part.
        case fields(ContentRange?)
        /// So many bytes of a part are to come.
        case data(Int64)
        /// Behind the last part.
        case end
    }

    private let opening: [UInt8]
    private let closing: [UInt8]
    private var state = State.delimiter
    private var line: [UInt8] = []
    private var betweenParts = 0

    init(boundary: String) {
        opening = Array("--\(boundary)".utf8)
        closing = Array("--\(boundary)--".utf8)
    }

    /// Whether the line that ends the body was read.
    var isComplete: Bool {
        if case .end = state { true } else { false }
    }

    /// Takes the next bytes.
    /// - Throws: `RangedBodyProblem`, and what `body` throws.
    mutating func take(_ bytes: UnsafeRawBufferPointer, _ body: (Event) throws -> Void) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            if case .data(let remaining) = state {
                let piece = rest.prefix(Int(clamping: remaining))
                try body(.data(UnsafeRawBufferPointer(rebasing: piece)))
                rest = rest.dropFirst(piece.count)
                state = remaining > piece.count ? .data(remaining - Int64(piece.count)) : .delimiter
                continue
            }
            let end = rest.firstIndex(of: UInt8(ascii: "\n"))
            let piece = rest[..<(end ?? rest.endIndex)]
            betweenParts += piece.count + 1
            guard betweenParts <= Self.lineLimit else { throw RangedBodyProblem("much that belongs to no part") }
            line.append(contentsOf: piece)
            rest = rest.dropFirst(piece.count + (end == nil ? 0 : 1))
            if end != nil {
                defer { line.removeAll(keepingCapacity: true) }
                try endLine(body)
            } else if line.elementsEqual(closing) {
                // Some end without a line end.
                state = .end
            }
        }
    }

    private mutating func endLine(_ body: (Event) throws -> Void) throws {
        while let last = line.last, last == 0x0D || last == 0x20 || last == 0x09 { line.removeLast() }
        switch state {
        case .delimiter:
            if line.elementsEqual(opening) {
                state = .fields(nil)
            } else if line.elementsEqual(closing) {
                state = .end
            }
        case .fields(let range):
            guard line.isEmpty else { return try field(range) }
            guard let range, let bounds = range.bounds else {
                throw RangedBodyProblem("a part that does not say which (Content-Range)")
            }
            try body(.part(bounds.lowerBound..<bounds.upperBound + 1, total: range.total))
            betweenParts = 0
            state = .data(bounds.upperBound - bounds.lowerBound + 1)
        case .data, .end: break
        }
    }

    private mutating func field(_ known: ContentRange?) throws {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
            HTTPHeaders.same(String(decoding: line[..<colon], as: UTF8.self), "Content-Range")
        else { return }
        let value = String(decoding: line[(colon + 1)...], as: UTF8.self)
        guard known == nil, let range = ContentRange(String(value.trimmedSpaces)) else {
            throw RangedBodyProblem("a part that cannot be placed (Content-Range: \(value.prefix(80)))")
        }
        state = .fields(range)
    }
}
