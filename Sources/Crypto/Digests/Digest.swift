// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// The 32 bytes that SHA-256 makes of data; written as 64 lowercase hexadecimal digits.
package struct Digest: Hashable, Sendable {
    package static let byteCount = 32

    /// Exactly 32 bytes.
    package let bytes: [UInt8]

    /// nil unless there are exactly 32 bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Digest.byteCount else { return nil }
        self.bytes = bytes
    }

    /// For the hasher, which knows how many bytes it made.
    init(hashed bytes: [UInt8]) { self.bytes = bytes }

    /// Reads 64 hexadecimal digits of either case; nil for anything else.
    package init?(hex: some StringProtocol) {
        let digits = Array(hex.utf8)
        guard digits.count == 2 * Digest.byteCount else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Digest.byteCount)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = Digest.value(ofHexDigit: digits[index]),
                let low = Digest.value(ofHexDigit: digits[index + 1])
            else { return nil }
            bytes.append(high << 4 | low)
        }
        self.bytes = bytes
    }

    private static func value(ofHexDigit digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    package var hex: String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(2 * bytes.count)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 0xF)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension Digest: CustomStringConvertible {
    package var description: String { hex }
}

extension Digest: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let digest = Digest(hex: text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "a SHA-256 digest is 64 hexadecimal digits, not \"\(text.prefix(80))\""
            )
        }
        self = digest
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(hex)
    }
}
