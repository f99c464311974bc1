// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// How rows of one size are laid out: vectors of words of 32 bits, and bytes between them.
struct RowLayout: Hashable {
    /// A vector of each row.
    struct Field: Hashable {
        /// Where in the row it begins.
        let start: Int
        /// The set of vectors that it belongs to: those of one set come again in place of each other.
        let set: Int
    }

    /// Of a row, in bytes.
    let size: Int
    /// In the order of the row, none over another.
    let fields: [Field]
    /// For each set how many words its vectors have.
    let wordCounts: [Int]

    /// Triangles as a binary STL file has them: a normal, three corners, and two bytes.
    static let triangles = RowLayout(
        size: 50,
        fields: [
            Field(start: 0, set: 0), Field(start: 12, set: 1), Field(start: 24, set: 1), Field(start: 36, set: 1),
        ],
        wordCounts: [3, 3])

    private static let mostSets = 4
    private static let mostFields = 16
    /// With fewer, what says which vector comes takes as much memory as the vectors.
    private static let words = 2...8

    private init(size: Int, fields: [Field], wordCounts: [Int]) {
        (self.size, self.fields, self.wordCounts) = (size, fields, wordCounts)
    }

    /// Bytes of a row that belong to no vector.
    var rest: [Range<Int>] {
        var ranges: [Range<Int>] = []
        var end = 0
        for field in fields {
            if field.start > end { ranges.append(end..<field.start) }
            end = field.start + 4 * wordCounts[field.set]
        }
        return end < size ? ranges + [end..<size] : ranges
    }

    /// Takes a layout off the front of a payload.
    /// - Throws: `DeltaError.damaged`
    init(_ reader: inout DeltaReader) throws {
        let size = Int(try reader.byte())
        let sets = Int(try reader.byte())
        guard sets <= Self.mostSets else { throw DeltaError.damaged("its rows have too many sets") }
        let wordCounts = try (0..<sets).map { _ in Int(try reader.byte()) }
        let count = Int(try reader.byte())
        guard wordCounts.allSatisfy(Self.words.contains), count <= Self.mostFields else {
            throw DeltaError.damaged("its rows have vectors of an impossible size")
        }
        var fields: [Field] = []
        var end = 0
        for _ in 0..<count {
            let (gap, set) = (Int(try reader.byte()), Int(try reader.byte()))
            guard set < sets, end + gap + 4 * wordCounts[set] <= size else {
                throw DeltaError.damaged("its vectors do not fit into a row")
            }
            fields.append(Field(start: end + gap, set: set))
            end += gap + 4 * wordCounts[set]
        }
        guard size > 0 else { throw DeltaError.damaged("its rows have no bytes") }
        self.init(size: size, fields: fields, wordCounts: wordCounts)
    }

    /// As `init(_:)` takes it.
    var encoded: [UInt8] {
        var bytes = [UInt8(size), UInt8(wordCounts.count)] + wordCounts.map { UInt8($0) } + [UInt8(fields.count)]
        var end = 0
        for field in fields {
            bytes += [UInt8(field.start - end), UInt8(field.set)]
            end = field.start + 4 * wordCounts[field.set]
        }
        return bytes
    }
}
