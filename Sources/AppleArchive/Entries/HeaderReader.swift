// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// Walks the fields of one header; every step is checked against the header's own size.
struct HeaderReader {
    static let magicAndSize = 6

    private let bytes: UnsafeRawBufferPointer
    private let offset: UInt64
    private var position = magicAndSize

    init(bytes: UnsafeRawBufferPointer, offset: UInt64) {
        self.bytes = bytes
        self.offset = offset
    }

    /// The size a header declares, from its first six bytes; nil when they are no header.
    static func headerSize(_ start: UnsafeRawBufferPointer) -> Int? {
        guard start.count >= magicAndSize else { return nil }
        let magic = UInt32(littleEndian: start.loadUnaligned(as: UInt32.self))
        guard magic == 0x3130_4141 || magic == 0x3141_4159 else { return nil }
        let size = Int(UInt16(littleEndian: start.loadUnaligned(fromByteOffset: 4, as: UInt16.self)))
        return size >= magicAndSize ? size : nil
    }

    /// The next field; nil at the header's end.
    mutating func next() throws -> HeaderField? {
        guard position < bytes.count else { return nil }
        guard bytes.count - position >= 4 else { throw corrupt("ends within a field") }
        let key = FieldKey(code: try unsigned(3, of: nil).asCode)
        guard key.bytes.allSatisfy({ (0x20...0x7e).contains($0) }) else { throw corrupt("has a field without a name") }
        let kind = bytes[position]
        position += 1
        return HeaderField(key, try value(kind, key))
    }

    private mutating func value(_ kind: UInt8, _ key: FieldKey) throws -> HeaderField.Value {
        switch UnicodeScalar(kind) {
        case "*": return .flag
        case "1": return .unsigned(try unsigned(1, of: key))
        case "2": return .unsigned(try unsigned(2, of: key))
        case "4": return .unsigned(try unsigned(4, of: key))
        case "8": return .unsigned(try unsigned(8, of: key))
        case "P": return .string(try raw(Int(try unsigned(2, of: key)), of: key))
        case "F": return .hash(try raw(4, of: key))
        case "G": return .hash(try raw(20, of: key))
        case "H": return .hash(try raw(32, of: key))
        case "I": return .hash(try raw(48, of: key))
        case "J": return .hash(try raw(64, of: key))
        case "S": return .time(Timestamp(seconds: Int64(bitPattern: try unsigned(8, of: key))))
        case "T":
            let seconds = Int64(bitPattern: try unsigned(8, of: key))
            let nanoseconds = try unsigned(4, of: key)
            guard nanoseconds < 1_000_000_000 else { throw corrupt("has \(nanoseconds) nanoseconds in \(key)") }
            return .time(Timestamp(seconds: seconds, nanoseconds: Int32(nanoseconds)))
        case "A": return .blob(try unsigned(2, of: key))
        case "B": return .blob(try unsigned(4, of: key))
        case "C": return .blob(try unsigned(8, of: key))
        default: throw corrupt("has the unknown field type 0x\(String(kind, radix: 16)) in \(key)")
        }
    }

    private mutating func unsigned(_ width: Int, of key: FieldKey?) throws -> UInt64 {
        guard bytes.count - position >= width else { throw corrupt("ends within \(key?.description ?? "a field")") }
        var number: UInt64 = 0
        for index in 0..<width { number |= UInt64(bytes[position + index]) << UInt64(8 * index) }
        position += width
        return number
    }

    private mutating func raw(_ count: Int, of key: FieldKey) throws -> [UInt8] {
        guard bytes.count - position >= count else { throw corrupt("ends within \(key)") }
        defer { position += count }
        return Array(bytes[position..<(position + count)])
    }

    private func corrupt(_ what: String) -> ArchiveError {
        ArchiveError(.corrupt, "The entry header at offset \(offset) \(what); the archive is damaged.")
    }
}

extension UInt64 {
    fileprivate var asCode: UInt32 { UInt32(truncatingIfNeeded: self) }
}
