// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Writes the binary form of a property list (`bplist00`). Equal values give equal bytes: keys stand in bytewise order, and
/// a text or number that occurs twice is written once.
struct BinaryPropertyListWriter {
    private enum Scalar: Hashable {
        case string([UInt8])
        case boolean(Bool)
        case integer(Int64)
        case real(UInt64)
    }

    private enum Object {
        case scalar(Scalar)
        case array([Int])
        case dictionary(keys: [Int], values: [Int])
    }

    private var objects: [Object] = []
    private var known: [Scalar: Int] = [:]

    /// nil when the value holds something that reading did not keep: data, a date or a number beyond 64 bits.
    static func write(_ value: PropertyListValue) -> [UInt8]? {
        var writer = BinaryPropertyListWriter()
        guard writer.add(value) != nil else { return nil }
        return writer.bytes
    }

    private mutating func add(_ value: PropertyListValue) -> Int? {
        switch value {
        case .string(let text): return intern(.string(Array(text.utf8)))
        case .boolean(let flag): return intern(.boolean(flag))
        case .integer(let number): return intern(.integer(number))
        case .real(let number): return intern(.real(number.bitPattern))
        case .other: return nil
        case .array(let elements):
            let place = reserve()
            let references = elements.compactMap { add($0) }
            guard references.count == elements.count else { return nil }
            objects[place] = .array(references)
            return place
        case .dictionary(let members):
            let place = reserve()
            let ordered = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            let keys = ordered.map { intern(.string(Array($0.key.utf8))) }
            let values = ordered.compactMap { add($0.value) }
            guard values.count == ordered.count else { return nil }
            objects[place] = .dictionary(keys: keys, values: values)
            return place
        }
    }

    /// Containers stand before what they hold.
    private mutating func reserve() -> Int {
        objects.append(.array([]))
        return objects.count - 1
    }

    private mutating func intern(_ scalar: Scalar) -> Int {
        if let place = known[scalar] { return place }
        objects.append(.scalar(scalar))
        known[scalar] = objects.count - 1
        return objects.count - 1
    }

    private var bytes: [UInt8] {
        var result = Array("bplist00".utf8)
        let referenceSize = Self.size(of: objects.count)
        var offsets: [Int] = []
        for object in objects {
            offsets.append(result.count)
            switch object {
            case .scalar(let scalar): Self.append(scalar, to: &result)
            case .array(let references):
                Self.append(marker: 0xA0, count: references.count, to: &result)
                for reference in references { Self.append(reference, size: referenceSize, to: &result) }
            case .dictionary(let keys, let values):
                Self.append(marker: 0xD0, count: keys.count, to: &result)
                for reference in keys + values { Self.append(reference, size: referenceSize, to: &result) }
            }
        }
        let table = result.count
        let offsetSize = Self.size(of: table)
        for offset in offsets { Self.append(offset, size: offsetSize, to: &result) }
        result += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
        for number in [objects.count, 0, table] { Self.append(number, size: 8, to: &result) }
        return result
    }

    private static func append(_ scalar: Scalar, to bytes: inout [UInt8]) {
        switch scalar {
        case .boolean(let flag): bytes.append(flag ? 0x09 : 0x08)
        case .real(let pattern):
            bytes.append(0x23)
            withUnsafeBytes(of: pattern.bigEndian) { bytes += $0 }
        case .integer(let number):
            // Only eight bytes have a sign.
            let size = number < 0 ? 8 : size(of: Int(clamping: number))
            bytes.append(0x10 | UInt8(size.trailingZeroBitCount))
            append(Int(truncatingIfNeeded: number), size: size, to: &bytes)
        case .string(let text) where text.allSatisfy { $0 < 0x80 }:
            append(marker: 0x50, count: text.count, to: &bytes)
            bytes += text
        case .string(let text):
            let units = Array(String(decoding: text, as: UTF8.self).utf16)
            append(marker: 0x60, count: units.count, to: &bytes)
            for unit in units { append(Int(unit), size: 2, to: &bytes) }
        }
    }

    private static func append(marker: UInt8, count: Int, to bytes: inout [UInt8]) {
        guard count >= 15 else {
            bytes.append(marker | UInt8(count))
            return
        }
        let size = size(of: count)
        bytes += [marker | 0xF, 0x10 | UInt8(size.trailingZeroBitCount)]
        append(count, size: size, to: &bytes)
    }

    /// The lowest `size` bytes, most significant first.
    private static func append(_ number: Int, size: Int, to bytes: inout [UInt8]) {
        for place in (0..<size).reversed() { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * place))) }
    }

    /// How many bytes hold a number that is not negative: 1, 2, 4 or 8.
    private static func size(of number: Int) -> Int {
        switch number {
        case ..<(1 << 8): 1
        case ..<(1 << 16): 2
        case ..<(1 << 32): 4
        default: 8
        }
    }
}

extension PropertyListValue {
    /// The value as a binary property list (`bplist00`).
    /// - Throws: `BundleError` when it holds data, a date or a number beyond 64 bits, whose values were not kept.
    package func binary() throws -> [UInt8] {
        guard let bytes = BinaryPropertyListWriter.write(self) else {
            throw BundleError(
                .badPropertyList,
                "The property list holds data, a date or a number beyond 64 bits and cannot be written again.")
        }
        return bytes
    }
}
