// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// The text of JSON under construction, as UTF-8.
struct JSONWriter {
    private(set) var bytes: [UInt8] = []

    init(reserving count: Int = 256) { bytes.reserveCapacity(count) }

    mutating func write(_ token: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: token.utf8Start, count: token.utf8CodeUnitCount))
    }

    mutating func write(_ value: Int64) { bytes.append(contentsOf: String(value).utf8) }

    /// What JSON has no number for becomes null.
    mutating func write(_ value: Double) {
        if value.isFinite { bytes.append(contentsOf: value.description.utf8) } else { write("null") }
    }

    mutating func write(string: String) {
        bytes.append(UInt8(ascii: "\""))
        var string = string
        string.withUTF8 { text in
            var start = 0
            for (index, byte) in text.enumerated() where byte < 0x20 || byte == 0x7F || byte == 0x22 || byte == 0x5C {
                bytes.append(contentsOf: text[start..<index])
                escape(byte)
                start = index + 1
            }
            bytes.append(contentsOf: text[start...])
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): write("\\\"")
        case UInt8(ascii: "\\"): write("\\\\")
        case UInt8(ascii: "\n"): write("\\n")
        case UInt8(ascii: "\r"): write("\\r")
        case UInt8(ascii: "\t"): write("\\t")
        default:
            write("\\u00")
            for digit in [byte >> 4, byte & 0xF] {
                bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
            }
        }
    }

    /// Members in bytewise order of their keys, whatever order they come in. Of equal keys the last counts.
    static func inOrder(_ members: [JSONEncodedMember]) -> [JSONEncodedMember] {
        let isOrdered = zip(members, members.dropFirst()).allSatisfy { precedes($0.key, $1.key) }
        if isOrdered { return members }
        let places = members.indices.sorted { left, right in
            precedes(members[left].key, members[right].key)
                || (left < right && !precedes(members[right].key, members[left].key))
        }
        var result: [JSONEncodedMember] = []
        result.reserveCapacity(members.count)
        for place in places {
            if result.last?.key == members[place].key { result.removeLast() }
            result.append(members[place])
        }
        return result
    }

    private static func precedes(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }
}
