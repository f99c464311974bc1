// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Numbers of seven bits a byte, lowest first.
enum DeltaNumbers {
    static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Small numbers of either sign as small ones without.
    static func folded(_ number: Int64) -> UInt64 { UInt64(bitPattern: (number << 1) ^ (number >> 63)) }
    static func unfolded(_ number: UInt64) -> Int64 { Int64(bitPattern: (number >> 1) ^ (0 &- (number & 1))) }

    static func folded(_ number: Int32) -> UInt32 { UInt32(bitPattern: (number << 1) ^ (number >> 31)) }
    static func unfolded(_ number: UInt32) -> Int32 { Int32(bitPattern: (number >> 1) ^ (0 &- (number & 1))) }
}

/// Takes numbers and bytes off the front of bytes in memory.
struct DeltaReader {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var remaining: Int { bytes.count &- position }

    mutating func byte() throws -> UInt8 {
        guard position < bytes.count else { throw DeltaError.damaged("a stream ends too early") }
        defer { position &+= 1 }
        return bytes[position]
    }

    @inline(__always)
    mutating func number() throws -> UInt64 {
        let first = try byte()
        guard first >= 0x80 else { return UInt64(first) }
        return try number(from: first)
    }

    private mutating func number(from first: UInt8) throws -> UInt64 {
        var number = UInt64(first & 0x7F)
        for shift in stride(from: UInt64(7), to: 63, by: 7) {
            let byte = try byte()
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return number }
        }
        throw DeltaError.damaged("a number has too many bytes")
    }

    /// - Throws: `DeltaError.damaged` when it is larger than `limit`.
    mutating func number(upTo limit: Int) throws -> Int {
        let number = try number()
        guard number <= UInt64(clamping: limit) else { throw DeltaError.damaged("a number is out of bounds") }
        return Int(number)
    }

    mutating func bytes(_ count: Int) throws -> UnsafeRawBufferPointer {
        guard count <= remaining else { throw DeltaError.damaged("a stream ends too early") }
        defer { position &+= count }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<position &+ count])
    }
}
