// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Reads the binary form of a property list (`bplist00`). Numbers are most significant byte first.
struct BinaryPropertyListParser {
    private let bytes: [UInt8]
    private let offsets: ArraySlice<UInt8>
    private let offsetSize: Int
    private let referenceSize: Int
    private let objectCount: Int
    private var budget: Int

    /// - Parameter objectLimit: objects that are read, counting one that is referred to twice as two: references may be
    ///   shared, and a small file could unfold without end.
    /// - Throws: `PropertyListSyntaxError`
    static func parse(_ bytes: [UInt8], objectLimit: Int) throws -> PropertyListValue {
        guard bytes.count >= 40, bytes.starts(with: "bplist0".utf8) else {
            throw PropertyListSyntaxError(message: "It is cut off or of another version", place: "offset 0")
        }
        let trailer = bytes.count - 32
        let offsetSize = Int(bytes[trailer + 6])
        let referenceSize = Int(bytes[trailer + 7])
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
            let count = number(bytes[(trailer + 8)..<(trailer + 16)]),
            let top = number(bytes[(trailer + 16)..<(trailer + 24)]),
            let table = number(bytes[(trailer + 24)..<(trailer + 32)]), count > 0, top < count, table >= 8,
            table <= trailer, count <= (trailer - table) / offsetSize
        else {
            throw PropertyListSyntaxError(message: "Its trailer does not fit the file", place: "offset \(trailer)")
        }
        var parser = BinaryPropertyListParser(
            bytes: bytes, offsets: bytes[table..<(table + count * offsetSize)], offsetSize: offsetSize,
            referenceSize: referenceSize, objectCount: count, budget: objectLimit)
        return try parser.object(top, depth: 0)
    }

    private init(
        bytes: [UInt8], offsets: ArraySlice<UInt8>, offsetSize: Int, referenceSize: Int, objectCount: Int, budget: Int
    ) {
        self.bytes = bytes
        self.offsets = offsets
        self.offsetSize = offsetSize
        self.referenceSize = referenceSize
        self.objectCount = objectCount
        self.budget = budget
    }

    /// A number of up to 8 bytes; nil when it does not fit.
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
        Int(exactly: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    private func error(_ message: String, _ offset: Int) -> PropertyListSyntaxError {
        PropertyListSyntaxError(message: message, place: "offset \(offset)")
    }

    /// `count` bytes from `offset`, which lie before the table of offsets.
    private func slice(_ offset: Int, _ count: Int) throws -> ArraySlice<UInt8> {
        guard offset >= 8, count >= 0, offset <= offsets.startIndex, count <= offsets.startIndex - offset else {
            throw error("An object leaves the file", offset)
        }
        return bytes[offset..<(offset + count)]
    }

    private mutating func object(_ index: Int, depth: Int) throws -> PropertyListValue {
        budget -= 1
        guard budget > 0, depth < PropertyListFile.depthLimit else {
            throw error("It unfolds to too many objects or levels", offsets.startIndex)
        }
        guard index < objectCount else { throw error("A reference leads nowhere", offsets.startIndex) }
        let place = offsets.startIndex + index * offsetSize
        guard let offset = Self.number(offsets[place..<(place + offsetSize)]) else {
            throw error("An offset is too large", place)
        }
        guard let marker = try slice(offset, 1).first else { throw error("An object is empty", offset) }
        switch marker {
        case 0x08: return .boolean(false)
        case 0x09: return .boolean(true)
        case 0x10...0x13:
            let size = 1 << Int(marker & 0xF)
            let raw = try slice(offset + 1, size).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            // Eight bytes have a sign, fewer have none.
            return .integer(Int64(bitPattern: raw))
        case 0x22:
            let raw = try slice(offset + 1, 4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            return .real(Double(Float(bitPattern: raw)))
        case 0x23:
            return .real(Double(bitPattern: try slice(offset + 1, 8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }))
        case 0x50...0x5F:
            let (start, count) = try extent(offset, marker)
            guard let text = String(validating: try slice(start, count), as: UTF8.self) else {
                throw error("A text is not ASCII", offset)
            }
            return .string(text)
        case 0x60...0x6F: return .string(try wideText(offset, marker))
        case 0xA0...0xAF:
            return .array(try references(offset, marker, factor: 1).map { try object($0, depth: depth + 1) })
        case 0xD0...0xDF: return try dictionary(offset, marker, depth)
        default: return .other
        }
    }

    private func wideText(_ offset: Int, _ marker: UInt8) throws -> String {
        let (start, count) = try extent(offset, marker)
        guard count <= bytes.count / 2 else { throw error("A text leaves the file", offset) }
        let raw = Array(try slice(start, count * 2))
        let units = stride(from: 0, to: raw.count, by: 2).map { UInt16(raw[$0]) << 8 | UInt16(raw[$0 + 1]) }
        guard let text = String(validating: units, as: UTF16.self) else { throw error("A text is not UTF-16", offset) }
        return text
    }

    private mutating func dictionary(_ offset: Int, _ marker: UInt8, _ depth: Int) throws -> PropertyListValue {
        let all = try references(offset, marker, factor: 2)
        var values: [String: PropertyListValue] = [:]
        for (key, value) in zip(all.prefix(all.count / 2), all.suffix(all.count / 2)) {
            guard case .string(let name) = try object(key, depth: depth + 1) else {
                throw error("A key is no text", offset)
            }
            values[name] = try object(value, depth: depth + 1)
        }
        return .dictionary(values)
    }

    private func references(_ offset: Int, _ marker: UInt8, factor: Int) throws -> [Int] {
        let (start, count) = try extent(offset, marker)
        guard count <= bytes.count else { throw error("A container leaves the file", offset) }
        let raw = try slice(start, count * factor * referenceSize)
        return try (0..<(count * factor)).map { index in
            let place = raw.startIndex + index * referenceSize
            guard let reference = Self.number(raw[place..<(place + referenceSize)]) else {
                throw error("A reference is too large", place)
            }
            return reference
        }
    }

    /// Where an object's contents begin, and how many units they are.
    private func extent(_ offset: Int, _ marker: UInt8) throws -> (start: Int, count: Int) {
        guard marker & 0xF == 0xF else { return (offset + 1, Int(marker & 0xF)) }
        guard let size = try slice(offset + 1, 1).first, (0x10...0x13).contains(size) else {
            throw error("A length is no number", offset)
        }
        let width = 1 << Int(size & 0xF)
        guard let count = Self.number(try slice(offset + 2, width)) else {
            throw error("A length is too large", offset)
        }
        return (offset + 2 + width, count)
    }
}
