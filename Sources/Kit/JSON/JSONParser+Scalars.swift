// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

extension JSONParser {
    mutating func parseNumber() throws -> JSONNode.Content {
        let start = index
        let startPosition = position
        _ = take(UInt8(ascii: "-"))
        let leadingZero = peek == UInt8(ascii: "0")
        let wholeDigits = skipDigits()
        guard wholeDigits > 0, !(leadingZero && wholeDigits > 1) else {
            throw error("this is no number as JSON writes one", at: startPosition)
        }
        var isInteger = true
        if take(UInt8(ascii: ".")) {
            isInteger = false
            guard skipDigits() > 0 else { throw error("digits are missing after the decimal point", at: startPosition) }
        }
        if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
            isInteger = false
            index += 1
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            guard skipDigits() > 0 else { throw error("digits are missing in the exponent", at: startPosition) }
        }
        // No number of so many digits is too large.
        if isInteger, wholeDigits <= 18 { return .integer(Self.integer(bytes[start..<index])) }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        if isInteger, let value = Int64(text) { return .integer(value) }
        guard let value = Double(text), value.isFinite else {
            throw error("the number is out of range", at: startPosition)
        }
        return .number(value)
    }

    private static func integer(_ text: ArraySlice<UInt8>) -> Int64 {
        var value: Int64 = 0
        for byte in text where byte != UInt8(ascii: "-") { value = value &* 10 &+ Int64(byte &- UInt8(ascii: "0")) }
        return text.first == UInt8(ascii: "-") ? -value : value
    }

    private mutating func skipDigits() -> Int {
        let start = index
        while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { index += 1 }
        return index - start
    }

    mutating func parseString() throws -> String {
        let start = position
        index += 1
        // Most hold no escape, and are taken as they stand.
        let plain = bytes[index...].prefix { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
        index = plain.endIndex
        if take(UInt8(ascii: "\"")) { return try string(plain, start) }
        var text = Array(plain)
        while true {
            guard let byte = peek else { throw error("this string never ends", at: start) }
            switch byte {
            case UInt8(ascii: "\""):
                index += 1
                return try string(text[...], start)
            case UInt8(ascii: "\\"):
                index += 1
                try parseEscape(into: &text)
            case 0..<0x20: throw error("a control character must be written as an escape")
            default:
                text.append(byte)
                index += 1
            }
        }
    }

    private func string(_ text: ArraySlice<UInt8>, _ start: JSONPosition) throws -> String {
        guard let string = String(validating: text, as: UTF8.self) else {
            throw error("this string is not valid UTF-8", at: start)
        }
        return string
    }

    private mutating func parseEscape(into text: inout [UInt8]) throws {
        guard let byte = peek else { throw error("the text ends in an escape") }
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text.append(contentsOf: String(Character(try parseUnicodeEscape())).utf8)
        default: throw error("unknown escape; \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\uXXXX are known")
        }
    }

    private mutating func parseUnicodeEscape() throws -> Unicode.Scalar {
        let first = try parseHexadecimal()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard (0xD800..<0xDC00).contains(first), take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
            throw error("half of a surrogate pair stands alone")
        }
        let second = try parseHexadecimal()
        guard (0xDC00..<0xE000).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw error("half of a surrogate pair stands alone") }
        return scalar
    }

    private mutating func parseHexadecimal() throws -> UInt32 {
        guard index + 4 <= bytes.count else { throw error("the text ends in an escape") }
        var value: UInt32 = 0
        for byte in bytes[index..<index + 4] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
                throw error("\\u needs four hexadecimal digits")
            }
            value = value << 4 | UInt32(digit)
        }
        index += 4
        return value
    }
}
