// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import CCurlShim
internal import Glibc
internal import Kit

extension ActiveTransfer {
    /// libcurl's result in this house's words.
    func error(for code: CURLcode) -> HTTPClientError {
        let place = DisplayURL.text(transfer.request.url)
        let (kind, words) = meaning(of: code)
        let detail = String(cString: errorText)
        return HTTPClientError(
            kind, "\(place): \(words).",
            challenge: kind == .untrustedCertificate ? trustChallenge(isTrusted: false) : nil,
            cause: detail.isEmpty ? nil : CurlDetail(text: detail))
    }

    private func meaning(of code: CURLcode) -> (HTTPClientError.Code, String) {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
            return (.resolve, "the server's name has no address; check it, and the network")
        case CURLE_COULDNT_CONNECT:
            return (.connect, "nobody answers there; check that the server runs, and the port")
        case CURLE_OPERATION_TIMEDOUT:
            return (.noConnection, "no connection within \(configuration.connectTimeout)")
        case CURLE_PEER_FAILED_VERIFICATION:
            return (
                .untrustedCertificate,
                CertificateProblem(trustRefusal ?? larder_curl_get_long(handle, CURLINFO_SSL_VERIFYRESULT)).words
            )
        case CURLE_SSL_CACERT_BADFILE:
            return (.badTrust, "the additional trusted certificates cannot be read")
        case CURLE_SSL_CERTPROBLEM:
            return (.badCredential, "the certificate to show to the server, or its private key, cannot be read")
        case CURLE_SSL_CONNECT_ERROR:
            return wasReset ? (.reset, "the server broke off the handshake") : (.tls, "no secure connection came about")
        case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_HTTP2, CURLE_HTTP2_STREAM:
            return wasReset
                ? (.reset, "the server broke the connection off after \(received) bytes")
                : (.cut, "the connection ended after \(received) bytes, too early")
        case CURLE_TOO_MANY_REDIRECTS:
            return (
                .tooManyRedirects, "more than \(configuration.maximumRedirects) redirects; it seems to go in circles"
            )
        case CURLE_UNSUPPORTED_PROTOCOL:
            // Only https, and plain loopback by option, got as far as here: what is left is a redirect's target, or a
            // server that does not even begin like HTTP.
            return parser.sawRedirect
                ? (.insecureRedirect, "it redirects to an address that is not https")
                : (.badResponse, "the server does not answer in HTTP")
        case CURLE_URL_MALFORMAT: return (.badURL, "it is not an address")
        case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING:
            return (.badResponse, "the server does not answer in proper HTTP")
        default: return (.failed, "the transfer failed (libcurl \(code.rawValue))")
        }
    }

    /// Whether the other side sent a TCP reset. libcurl keeps the number for plain connections and words for TLS.
    private var wasReset: Bool {
        if larder_curl_get_long(handle, CURLINFO_OS_ERRNO) == Int(ECONNRESET) { return true }
        let words = String(cString: errorText)
        return ["reset by peer", "Broken pipe", "errno \(ECONNRESET)"].contains { words.mentions($0) }
    }
}
