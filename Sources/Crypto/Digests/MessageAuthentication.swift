// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// HMAC with SHA-256 (RFC 2104): tells who wrote a message among those who know a secret.
package enum MessageAuthentication {
    private static let blockSize = 64

    package static func hmacSHA256(_ message: some Sequence<UInt8>, key: [UInt8]) -> Digest {
        let short = key.count > blockSize ? SHA256.hash(key).bytes : key
        let padded = short + [UInt8](repeating: 0, count: blockSize - short.count)
        let inner = SHA256.hash(padded.map { $0 ^ 0x36 } + Array(message))
        return SHA256.hash(padded.map { $0 ^ 0x5C } + inner.bytes)
    }

    /// Compares in a time that does not tell where the first difference is.
    package static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        guard one.count == other.count else { return false }
        return zip(one, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
