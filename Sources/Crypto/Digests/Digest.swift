// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

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
        guard hex.utf8.count == 2 * Digest.byteCount, let bytes = Hexadecimal.decode(hex) else { return nil }
        self.bytes = bytes
    }

    package var hex: String { Hexadecimal.encode(bytes) }
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
