// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import COpenSSL
internal import COpenSSLShim
internal import Kit

/// A private key, or the public half of one.
final class PrivateKey {
    let raw: OpaquePointer

    init(_ raw: OpaquePointer) { self.raw = raw }

    deinit { EVP_PKEY_free(raw) }

    static func generate() throws -> PrivateKey {
        guard let raw = larder_ossl_new_p256_key() else { throw CryptoError.failed("A new key could not be made.") }
        return PrivateKey(raw)
    }

    /// The first private key in PEM text.
    convenience init(pem: [UInt8]) throws {
        let raw = try MemoryBIO.reading(pem) { PEM_read_bio_PrivateKey($0, nil, refusePassword, nil) }
        guard let raw else {
            throw CryptoError.failed("There is no private key without password in the PEM text.", .unreadable)
        }
        self.init(raw)
    }

    /// The first public key in PEM text: a key that can verify, but not sign.
    convenience init(publicPEM pem: [UInt8]) throws {
        let raw = try MemoryBIO.reading(pem) { PEM_read_bio_PUBKEY($0, nil, refusePassword, nil) }
        guard let raw else { throw CryptoError.failed("There is no public key in the PEM text.", .unreadable) }
        self.init(raw)
    }

    func publicPEM() throws -> [UInt8] { try MemoryBIO.writing { PEM_write_bio_PUBKEY($0, raw) } }

    /// PKCS #8, not encrypted.
    func pem() throws -> [UInt8] {
        try MemoryBIO.writing { PEM_write_bio_PrivateKey($0, raw, nil, nil, 0, nil, nil) }
    }
}

/// A certificate.
final class Certificate {
    let raw: OpaquePointer

    init(_ raw: OpaquePointer) { self.raw = raw }

    deinit { X509_free(raw) }

    /// The first certificate in PEM text.
    convenience init(pem: [UInt8]) throws {
        let raw = try MemoryBIO.reading(pem) { PEM_read_bio_X509($0, nil, refusePassword, nil) }
        guard let raw else { throw CryptoError.failed("There is no certificate in the PEM text.", .unreadable) }
        self.init(raw)
    }

    func pem() throws -> [UInt8] { try MemoryBIO.writing { PEM_write_bio_X509($0, raw) } }

    /// Seconds from that time (since 1970) until the certificate is over; negative afterwards.
    func secondsLeft(at now: Int64) -> Int64 {
        var left: Int64 = 0
        return larder_ossl_seconds_left(raw, now, &left) == 1 ? left : -1
    }

    func belongs(to key: PrivateKey) -> Bool {
        defer { ERR_clear_error() }
        return X509_check_private_key(raw, key.raw) == 1
    }

    func isIssued(by issuer: Certificate, key: PrivateKey) -> Bool {
        defer { ERR_clear_error() }
        return X509_check_issued(issuer.raw, raw) == X509_V_OK && X509_verify(raw, key.raw) == 1
    }

    /// Whether it is made out to that name or numeric address.
    func covers(_ host: HostName) -> Bool {
        switch host {
        case .name(let name): X509_check_host(raw, name, 0, 0, nil) == 1
        case .address(let address): X509_check_ip_asc(raw, address, 0) == 1
        }
    }
}

/// An encrypted key is refused instead of asked for at a terminal.
private func refusePassword(
    _: UnsafeMutablePointer<CChar>?, _: CInt, _: CInt, _: UnsafeMutableRawPointer?
) -> CInt { -1 }

/// libcrypto's way to read from and write to memory.
private enum MemoryBIO {
    static func reading<Result>(_ bytes: [UInt8], _ body: (OpaquePointer) -> Result?) throws -> Result? {
        try bytes.withUnsafeBytes { buffer in
            guard let bio = BIO_new_mem_buf(buffer.baseAddress, CInt(clamping: buffer.count)) else {
                throw CryptoError.failed("No memory to read PEM text.")
            }
            defer { BIO_free(bio) }
            return body(bio)
        }
    }

    static func writing(_ body: (OpaquePointer) -> CInt) throws -> [UInt8] {
        guard let bio = BIO_new(BIO_s_mem()) else { throw CryptoError.failed("No memory to write PEM text.") }
        defer { BIO_free(bio) }
        guard body(bio) == 1 else { throw CryptoError.failed("PEM text could not be written.") }
        var bytes: UnsafeRawPointer?
        let count = larder_ossl_memory(bio, &bytes)
        return [UInt8](UnsafeRawBufferPointer(start: bytes, count: count))
    }
}
