// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import CCurlShim
internal import Crypto
internal import Kit

extension ActiveTransfer {
    /// Tells libcurl what the request proves, and has its connection watched.
    func setAuthentication() throws(HTTPClientError) {
        guard let authentication = transfer.request.authentication else { return }
        larder_curl_set_long(handle, CURLOPT_FOLLOWLOCATION, 0)
        try setWatch(
            authentication.acceptedCertificate,
            stopsWhenAsked: authentication.stopsWhenAsked)
        if authentication.needsOwnConnection {
            // Neither the connection, nor a stream of it, nor its TLS session goes to another request.
            larder_curl_set_long(handle, CURLOPT_FRESH_CONNECT, 1)
            larder_curl_set_long(handle, CURLOPT_FORBID_REUSE, 1)
            larder_curl_set_long(handle, CURLOPT_SSL_SESSIONID_CACHE, 0)
            larder_curl_set_long(handle, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
            larder_curl_set_long(handle, CURLOPT_PIPEWAIT, 0)
        }
        if let login = authentication.login { try setLogin(login) }
        if let identity = authentication.identity { try setIdentity(identity) }
    }

    private func setWatch(_ accepted: Digest?, stopsWhenAsked: Bool) throws(HTTPClientError) {
        guard let accepted else {
            watch = larder_tls_watch_new(nil, stopsWhenAsked)
            if let watch { _ = larder_tls_watch_attach(handle, watch) }
            return
        }
        watch = accepted.bytes.withUnsafeBufferPointer { larder_tls_watch_new($0.baseAddress, stopsWhenAsked) }
        guard let watch, larder_tls_watch_attach(handle, watch) == CURLE_OK else {
            throw HTTPClientError(
                .untrustedCertificate,
                "\(DisplayURL.text(transfer.request.url)): this system's libcurl cannot accept a single certificate. "
                    + "Install the one that uses OpenSSL 3, the package libcurl4.")
        }
        // The certificate stands for the server by itself, whatever name it has.
        larder_curl_set_long(handle, CURLOPT_SSL_VERIFYHOST, 0)
    }

    private func setLogin(_ login: HTTPAuthentication.Login) throws(HTTPClientError) {
        guard !(login.user + login.password).unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
        else {
            throw HTTPClientError(.badCredential, "A user name or password with control characters cannot be sent.")
        }
        larder_curl_set_string(handle, CURLOPT_USERNAME, login.user)
        larder_curl_set_string(handle, CURLOPT_PASSWORD, login.password)
        larder_curl_set_long(handle, CURLOPT_HTTPAUTH, Int(login.isDigest ? digestScheme : basicScheme))
    }

    private func setIdentity(_ identity: HTTPAuthentication.Identity) throws(HTTPClientError) {
        guard !identity.passphrase.utf8.contains(0), !identity.certificate.isEmpty else {
            throw HTTPClientError(.badCredential, "The certificate to show to the server cannot be used.")
        }
        larder_curl_set_string(handle, CURLOPT_SSLCERTTYPE, identity.format.rawValue)
        _ = identity.certificate.withUnsafeBytes {
            larder_curl_set_blob(handle, CURLOPT_SSLCERT_BLOB, $0.baseAddress, $0.count)
        }
        // Also an empty one: without, OpenSSL would ask at a terminal.
        larder_curl_set_string(handle, CURLOPT_KEYPASSWD, identity.passphrase)
        guard identity.format != .pkcs12 else { return }
        larder_curl_set_string(handle, CURLOPT_SSLKEYTYPE, identity.format.rawValue)
        _ = identity.key.withUnsafeBytes {
            larder_curl_set_blob(handle, CURLOPT_SSLKEY_BLOB, $0.baseAddress, $0.count)
        }
    }

    // MARK: What the handshake has shown

    private var origin: HTTPOrigin? { HTTPOrigin(transfer.request.url) }

    /// The server wants a certificate, and nobody has said what to do about that: the handshake was broken off.
    var certificateDemand: HTTPClientError? {
        guard let watch, larder_tls_watch_was_asked(watch), let authentication = transfer.request.authentication,
            authentication.stopsWhenAsked
        else { return nil }
        return certificateError("The server of \(DisplayURL.text(transfer.request.url)) asks for a certificate.")
    }

    /// What the server's alert says about the certificate it was shown, or missed.
    var certificateRefusal: HTTPClientError? {
        guard let watch, let authentication = transfer.request.authentication,
            authentication.identity != nil || larder_tls_watch_was_asked(watch)
        else { return nil }
        let alert = larder_tls_watch_alert(watch)
        // handshake_failure, bad_certificate to unknown_ca, access_denied, certificate_required
        guard alert == 40 || (42...46).contains(alert) || alert == 48 || alert == 49 || alert == 116 else { return nil }
        let words = authentication.identity == nil ? "takes nobody without a certificate" : "refuses the certificate"
        return certificateError("The server of \(DisplayURL.text(transfer.request.url)) \(words) (TLS alert \(alert)).")
    }

    private func certificateError(_ message: String) -> HTTPClientError {
        HTTPClientError(
            .clientCertificate, message,
            challenge: origin.map {
                HTTPChallenge(origin: $0, demands: [.clientCertificate(authorities: authorities)])
            })
    }

    private var authorities: [[UInt8]] {
        guard let watch else { return [] }
        return (0..<larder_tls_watch_authority_count(watch)).map { bytes(larder_tls_watch_authority(watch, $0)) }
    }

    /// The server's certificates, to be judged by somebody else than the system; nil when they were not seen.
    func trustChallenge(isTrusted: Bool) -> HTTPChallenge? {
        guard let watch, let origin else { return nil }
        let certificates = (0..<larder_tls_watch_certificate_count(watch)).map {
            bytes(larder_tls_watch_certificate(watch, $0))
        }
        return certificates.isEmpty
            ? nil
            : HTTPChallenge(
                origin: origin, demands: [.serverTrust(certificates: certificates, isTrusted: isTrusted)])
    }

    /// OpenSSL's reason, which libcurl does not know when the handshake ended with it.
    var trustRefusal: Int? {
        guard let watch else { return nil }
        let refusal = larder_tls_watch_refusal(watch)
        return refusal == 0 ? nil : Int(refusal)
    }

    private func bytes(_ kept: larder_tls_bytes) -> [UInt8] {
        [UInt8](UnsafeBufferPointer(start: kept.bytes, count: kept.count))
    }
}

// libcurl's CURLAUTH_BASIC and CURLAUTH_DIGEST, which Swift does not see.
private let basicScheme = 1 << 0
private let digestScheme = 1 << 1

extension HTTPAuthentication {
    /// Whether the handshake is broken off when the server asks for a certificate. The server's own comes first: while that is
    /// still to be judged, it is shown none.
    fileprivate var stopsWhenAsked: Bool { identity == nil && !goesWithoutIdentity && !asksForTrust }
}
