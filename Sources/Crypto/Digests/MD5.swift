// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import COpenSSL

/// MD5 fed piece by piece, for checksums that App Store Connect's uploaders send. It guards against accidents, not against
/// people.
package final class MD5 {
    package static let byteCount = 16
    private let raw: OpaquePointer

    package init() {
        guard let raw = EVP_MD_CTX_new(), EVP_DigestInit_ex(raw, EVP_md5(), nil) == 1 else {
            preconditionFailure("libcrypto: no memory for a digest")
        }
        self.raw = raw
    }

    deinit { EVP_MD_CTX_free(raw) }

    package func update(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        guard EVP_DigestUpdate(raw, bytes.baseAddress, bytes.count) == 1 else {
            preconditionFailure("libcrypto: digest state is broken")
        }
    }

    /// The 16 bytes for everything fed; nothing may be fed afterwards.
    package func finish() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Self.byteCount) { buffer, count in
            guard EVP_DigestFinal_ex(raw, buffer.baseAddress, nil) == 1 else {
                preconditionFailure("libcrypto: digest state is broken")
            }
            count = Self.byteCount
        }
    }

    package static func hash(_ bytes: [UInt8]) -> [UInt8] {
        let digest = MD5()
        bytes.withUnsafeBytes { digest.update($0) }
        return digest.finish()
    }
}
