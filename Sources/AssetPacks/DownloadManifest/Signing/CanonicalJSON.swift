// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit

/// The one text of a JSON value that signatures are made over: RFC 8785, with numbers that every reader understands alike.
package enum CanonicalJSON {
    /// Whole numbers up to this, of either sign, are the same in every reader.
    package static let largestInteger: Int64 = 1 << 53 - 1

    /// - Throws: `ManifestRefusal` for numbers that readers may understand differently.
    package static func bytes(of value: JSONValue) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try write(value, into: &bytes)
        return bytes
    }

    private static func write(_ value: JSONValue, into bytes: inout [UInt8]) throws {
        switch value {
        case .null: bytes += "null".utf8
        case .bool(let flag): bytes += (flag ? "true" : "false").utf8
        case .integer(let number):
            guard (-largestInteger...largestInteger).contains(number) else { throw ambiguous("\(number)") }
            bytes += String(number).utf8
        case .number(let number):
            guard number.isFinite, abs(number) <= Double(largestInteger) else { throw ambiguous("\(number)") }
            bytes += text(of: number).utf8
        case .string(let text): write(text, into: &bytes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                try write(element, into: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            let ordered = members.sorted { $0.key.utf16.lexicographicallyPrecedes($1.key.utf16) }
            for (index, member) in ordered.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                write(member.key, into: &bytes)
                bytes.append(UInt8(ascii: ":"))
                try write(member.value, into: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    private static func ambiguous(_ number: String) -> ManifestRefusal {
        ManifestRefusal(
            .format,
            "The manifest cannot be signed: the number \(number) is beyond \(largestInteger), from where on "
                + "readers round "
                + "differently. Write it as a string.")
    }

    private static func write(_ text: String, into bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): bytes += "\\\"".utf8
            case UInt8(ascii: "\\"): bytes += "\\\\".utf8
            case 0x08: bytes += "\\b".utf8
            case 0x09: bytes += "\\t".utf8
            case 0x0A: bytes += "\\n".utf8
            case 0x0C: bytes += "\\f".utf8
            case 0x0D: bytes += "\\r".utf8
            case 0..<0x20:
                bytes += "\\u00".utf8
                bytes += [Hexadecimal.digit(byte >> 4), Hexadecimal.digit(byte)]
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// The shortest digits that mean the number, placed as ECMAScript does (ECMA-262, Number::toString).
    static func text(of number: Double) -> String {
        if number == 0 { return "0" }
        // Swift's text has the same digits: the fewest that are read back as the number, the closest of those.
        var mantissa = Array(abs(number).description.utf8)
        var exponent = 0
        if let mark = mantissa.firstIndex(of: UInt8(ascii: "e")) {
            exponent = Int(String(decoding: mantissa[(mark + 1)...], as: UTF8.self)) ?? 0
            mantissa.removeSubrange(mark...)
        }
        let point = mantissa.firstIndex(of: UInt8(ascii: ".")) ?? mantissa.count
        mantissa.removeAll { $0 == UInt8(ascii: ".") }
        let zeros = mantissa.prefix { $0 == UInt8(ascii: "0") }.count
        var digits = Array(mantissa.dropFirst(zeros))
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        let text = placed(String(decoding: digits, as: UTF8.self), count: digits.count, point: point - zeros + exponent)
        return (number < 0 ? "-" : "") + text
    }

    /// - Parameter point: how many digits stand before the decimal point; beyond them zeros do, and below 0 after it.
    private static func placed(_ digits: String, count: Int, point: Int) -> String {
        if point >= count, point <= 21 { return digits + String(repeating: "0", count: point - count) }
        if point > 0, point <= 21 { return "\(digits.prefix(point)).\(digits.dropFirst(point))" }
        if point > -6, point <= 0 { return "0." + String(repeating: "0", count: -point) + digits }
        let exponent = point - 1
        let mantissa = count == 1 ? digits : "\(digits.prefix(1)).\(digits.dropFirst())"
        return "\(mantissa)e\(exponent < 0 ? "-" : "+")\(abs(exponent))"
    }
}
