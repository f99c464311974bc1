// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import COpenSSL
internal import COpenSSLShim
internal import Kit

/// An authority that issues server certificates; all keys are on the curve P-256.
package struct CertificateAuthority {
    let certificate: Certificate
    let key: PrivateKey

    /// Apple's devices refuse certificates of private authorities that are valid for longer.
    package static let maximumDays: Int64 = 825
    private static let day: Int64 = 86_400

    init(certificate: Certificate, key: PrivateKey) throws {
        guard certificate.belongs(to: key) else {
            throw CryptoError(.mismatch, "The authority's key does not belong to its certificate.")
        }
        self.certificate = certificate
        self.key = key
    }

    /// Makes a new authority, valid from an hour before `now` (seconds since 1970), for clocks that are slow.
    package init(name: String, now: Int64) throws {
        let key = try PrivateKey.generate()
        let builder = try CertificateBuilder(
            name: name, key: key, from: now - 3600, until: now - 3600 + Self.maximumDays * Self.day)
        try builder.add(NID_basic_constraints, "critical,CA:TRUE,pathlen:0")
        try builder.add(NID_key_usage, "critical,keyCertSign,cRLSign")
        try builder.add(NID_subject_key_identifier, "hash")
        self.key = key
        certificate = try builder.sign(issuer: nil, key: key)
    }

    /// The authority's certificate as PEM text: what devices are to trust.
    package func pem() throws -> [UInt8] { try certificate.pem() }

    /// What a certificate is good for.
    package enum Purpose: String, Sendable {
        case server = "serverAuth"
        case client = "clientAuth"
    }

    /// A new certificate for a server of these names, with its own key; or for a client, whose name is the first.
    /// - Parameters:
    ///   - from: start of its validity, in seconds since 1970.
    ///   - days: how long it is valid; never longer than the authority.
    package func issue(
        hosts: [HostName], from: Int64, days: Int64 = 397, for purpose: Purpose = .server
    ) throws -> TLSIdentity {
        let leafKey = try PrivateKey.generate()
        let authorityEnd = from + certificate.secondsLeft(at: from)
        let until = min(from + min(days, Self.maximumDays) * Self.day, max(authorityEnd, from))
        let name = hosts.first.map { host in
            switch host {
            case .name(let name), .address(let name): name
            }
        }
        let builder = try CertificateBuilder(
            name: String((name ?? "server").prefix(64)), key: leafKey, from: from, until: until)
        try builder.add(NID_basic_constraints, "critical,CA:FALSE")
        try builder.add(NID_key_usage, "critical,digitalSignature")
        try builder.add(NID_ext_key_usage, purpose.rawValue)
        try builder.add(NID_subject_key_identifier, "hash")
        try builder.add(NID_authority_key_identifier, "keyid:always", issuer: certificate)
        if !hosts.isEmpty {
            try builder.add(NID_subject_alt_name, hosts.map(\.alternativeName).joined(separator: ","))
        }
        let leaf = try builder.sign(issuer: certificate, key: key)
        return try TLSIdentity(certificates: try leaf.pem() + certificate.pem(), key: try leafKey.pem())
    }
}

/// A certificate in the making.
private struct CertificateBuilder {
    private let certificate: Certificate

    init(name: String, key: PrivateKey, from: Int64, until: Int64) throws {
        guard let raw = X509_new() else { throw CryptoError.failed("No memory for a certificate.") }
        certificate = Certificate(raw)
        guard X509_set_version(raw, 2) == 1, larder_ossl_set_random_serial(raw) == 1,
            larder_ossl_set_validity(raw, from, until) == 1, X509_set_pubkey(raw, key.raw) == 1,
            let subject = X509_get_subject_name(raw),
            X509_NAME_add_entry_by_NID(
                subject, NID_commonName, MBSTRING_FLAG | 0, Array(name.utf8), CInt(clamping: name.utf8.count), -1, 0)
                == 1
        else { throw CryptoError.failed("The certificate could not be set up.") }
    }

    func add(_ nid: CInt, _ value: String, issuer: Certificate? = nil) throws {
        guard larder_ossl_add_extension(certificate.raw, issuer?.raw ?? certificate.raw, nid, value) == 1 else {
            throw CryptoError.failed("The certificate's extension \"\(value)\" could not be made.")
        }
    }

    /// Signed by the issuer, or by itself.
    func sign(issuer: Certificate?, key: PrivateKey) throws -> Certificate {
        let name = X509_get_subject_name(issuer?.raw ?? certificate.raw)
        guard X509_set_issuer_name(certificate.raw, name) == 1, X509_sign(certificate.raw, key.raw, EVP_sha256()) > 0
        else {
            throw CryptoError.failed("The certificate could not be signed.")
        }
        return certificate
    }
}
