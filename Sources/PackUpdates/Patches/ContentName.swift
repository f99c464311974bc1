// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Crypto
import Kit

/// How a patch names a content that it starts from: by the beginning of its SHA-256, which only finds it. Whole digests would be most of
/// a patch of many small files, and what is made of a wrong content does not fit its own.
package struct ContentName: Hashable, Sendable {
    static let byteCount = 6

    /// Little endian.
    let value: UInt64

    init(value: UInt64) { self.value = value }

    package init(_ digest: Digest) {
        value = digest.bytes.prefix(Self.byteCount).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    var bytes: [UInt8] {
        (0..<Self.byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    }

    package var hex: String { Hexadecimal.encode(bytes) }
}
