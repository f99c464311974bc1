// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Crypto

/// How a patch or a list tells which versions it belongs to: by the beginning of a SHA-256, which keeps files apart that got mixed up.
/// Whole digests would be a third of a small update, and nothing is believed for them: who names the file names its SHA-256.
package struct VersionMark: Hashable, Sendable {
    static let byteCount = 8

    let bytes: [UInt8]

    package init(_ digest: Digest) { bytes = Array(digest.bytes.prefix(Self.byteCount)) }

    init(_ reader: inout IndexReader) throws { bytes = Array(try reader.bytes(Self.byteCount)) }
}
