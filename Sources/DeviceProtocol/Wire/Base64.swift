// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Bytes as text in messages (RFC 4648, 4), with padding.
package struct Base64: Codable, Hashable, Sendable {
    package var bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let values: [UInt8: UInt32] = Dictionary(
        uniqueKeysWithValues: alphabet.enumerated().map { ($1, UInt32($0)) })

    /// nil when the text is not of that form.
    package init?(text: String) {
        var digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 4) else { return nil }
        let padding = digits.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
        digits.removeLast(padding)
        bytes = []
        bytes.reserveCapacity(digits.count / 4 * 3)
        for start in stride(from: 0, to: digits.count, by: 4) {
            let group = digits[start..<min(start + 4, digits.count)]
            var bits: UInt32 = 0
            for digit in group {
                guard let value = Self.values[digit] else { return nil }
                bits = bits << 6 | value
            }
            // 4, 3 or 2 digits are 3, 2 or 1 bytes; 1 cannot be left.
            bits <<= 6 * UInt32(4 - group.count)
            bytes += [UInt8(bits >> 16), UInt8(bits >> 8 & 0xFF), UInt8(bits & 0xFF)].prefix(group.count - 1)
        }
    }

    package var text: String {
        var digits: [UInt8] = []
        digits.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - group.count))
            for place in 0..<4 {
                digits.append(
                    place <= group.count
                        ? Self.alphabet[Int(bits >> (18 - 6 * UInt32(place)) & 0x3F)] : UInt8(ascii: "="))
            }
        }
        return String(decoding: digits, as: UTF8.self)
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let decoded = Base64(text: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "The text is not base64.")
        }
        self = decoded
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
