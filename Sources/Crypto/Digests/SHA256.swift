// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import COpenSSL

/// SHA-256 fed piece by piece. A value: a copy goes on independently from where the original stood.
package struct SHA256: Sendable {
    private var context: HashContext

    package init() { context = HashContext() }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        if !isKnownUniquelyReferenced(&context) { context = HashContext(copying: context) }
        context.update(bytes)
    }

    package mutating func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { update($0) }
    }

    /// The digest of everything fed so far; feeding may go on afterwards.
    package func finish() -> Digest { HashContext(copying: context).finish() }

    /// The digest so far; the hasher is then as new, without having to be made again.
    package mutating func finishAndReset() -> Digest {
        if !isKnownUniquelyReferenced(&context) { context = HashContext(copying: context) }
        let digest = context.finish()
        context.reset()
        return digest
    }

    /// The digest of bytes at hand.
    package static func hash(_ bytes: [UInt8]) -> Digest {
        var hasher = SHA256()
        hasher.update(bytes)
        return hasher.finishAndReset()
    }
}

/// Owner of libcrypto's digest state.
// Safe: SHA256 changes a context only while it holds the one reference to it.
private final class HashContext: @unchecked Sendable {
    private let raw: OpaquePointer

    init() {
        guard let raw = EVP_MD_CTX_new() else { preconditionFailure("libcrypto: no memory for a digest") }
        self.raw = raw
        reset()
    }

    init(copying other: HashContext) {
        guard let raw = EVP_MD_CTX_new(), EVP_MD_CTX_copy_ex(raw, other.raw) == 1 else {
            preconditionFailure("libcrypto: no memory for a digest")
        }
        self.raw = raw
    }

    deinit { EVP_MD_CTX_free(raw) }

    func reset() {
        guard EVP_DigestInit_ex(raw, EVP_sha256(), nil) == 1 else { preconditionFailure("libcrypto without SHA-256") }
    }

    func update(_ bytes: UnsafeRawBufferPointer) {
        guard EVP_DigestUpdate(raw, bytes.baseAddress, bytes.count) == 1 else {
            preconditionFailure("libcrypto: digest state is broken")
        }
    }

    func finish() -> Digest {
        let bytes = [UInt8](unsafeUninitializedCapacity: Digest.byteCount) { buffer, count in
            guard EVP_DigestFinal_ex(raw, buffer.baseAddress, nil) == 1 else {
                preconditionFailure("libcrypto: digest state is broken")
            }
            count = Digest.byteCount
        }
        return Digest(hashed: bytes)
    }
}
