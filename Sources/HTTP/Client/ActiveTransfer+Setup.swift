// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import CCurlShim

extension ActiveTransfer {
    /// Tells libcurl what to do. Everything that is not set here stays at libcurl's default.
    func configure() throws {
        let request = transfer.request
        let plain = try checkAddress(request.url)
        let context = Unmanaged.passUnretained(self).toOpaque()

        larder_curl_set_string(handle, CURLOPT_URL, request.url)
        larder_curl_set_string(handle, CURLOPT_PROTOCOLS_STR, plain ? "http,https" : "https")
        larder_curl_set_string(handle, CURLOPT_REDIR_PROTOCOLS_STR, "https")
        larder_curl_set_long(handle, CURLOPT_FOLLOWLOCATION, 1)
        larder_curl_set_long(handle, CURLOPT_MAXREDIRS, configuration.maximumRedirects)
        larder_curl_set_long(handle, CURLOPT_NOSIGNAL, 1)
        larder_curl_set_long(handle, CURLOPT_CONNECTTIMEOUT_MS, milliseconds(configuration.connectTimeout))
        larder_curl_set_long(
            handle, CURLOPT_HTTP_VERSION, sharesConnection ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1)
        // Rather shares a connection that is being opened than opens another one.
        larder_curl_set_long(handle, CURLOPT_PIPEWAIT, sharesConnection ? 1 : 0)
        applyRate()
        larder_curl_set_long(handle, CURLOPT_BUFFERSIZE, ActiveTransfer.pieceSize)
        larder_curl_set_long(handle, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        setMethodAndBody()
        setAddressCheck()
        larder_curl_set_string(handle, CURLOPT_USERAGENT, configuration.userAgent)
        larder_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, errorText)
        larder_curl_set_write(handle, onBody, context)
        larder_curl_set_header(handle, onHeader, context)
        larder_curl_set_before_request(handle, onRequest, context)
        larder_tls_set_up(handle)
        try setTrust()
        try setAuthentication()
        try setHeaders()
    }

    /// The largest piece libcurl hands over at once, in bytes.
    static let pieceSize = 64 << 10

    private var sharesConnection: Bool {
        switch transfer.sink {
        case .memory(let limit): limit <= configuration.sharedConnectionLimit
        case .ring: configuration.letsShareConnection(transfer.request)
        }
    }

    /// Whether the address is a plain one that may be opened.
    private func checkAddress(_ url: String) throws(HTTPClientError) -> Bool {
        let place = DisplayURL.text(url)
        guard let parsed = ParsedURL(url) else { throw HTTPClientError(.badURL, "\"\(place)\" is not an address.") }
        if let permits = transfer.request.permitsHost, !permits(parsed.host) {
            throw HTTPClientError(.forbiddenHost, "\(place) is at a host from where nothing may be fetched.")
        }
        if parsed.isLoopback { larder_curl_set_string(handle, CURLOPT_PROXY, "") }
        switch parsed.scheme {
        case "https": return false
        case "http" where configuration.allowsPlainLoopback && parsed.isLoopback: return true
        case "http":
            throw HTTPClientError(.badURL, "\(place) is not secure. Only https addresses are opened.")
        default:
            throw HTTPClientError(.badURL, "\(place) is not an https address.")
        }
    }

    private func setHeaders() throws(HTTPClientError) {
        let request = transfer.request
        var lines: [String] = []
        for (name, value) in request.headers {
            guard !name.isEmpty, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }),
                !value.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F })
            else { throw HTTPClientError(.badURL, "The header field \"\(name.prefix(40))\" cannot be sent.") }
            lines.append(value.isEmpty ? "\(name);" : "\(name): \(value)")
        }
        if let field = request.rangeField {
            guard request.ranges.allSatisfy({ $0.lowerBound >= 0 && !$0.isEmpty }) else {
                throw HTTPClientError(.badURL, "Empty or negative ranges of bytes cannot be asked for.")
            }
            lines.append("Range: \(field)")
            if let validator = request.ifRange, !validator.utf8.contains(where: { $0 < 0x20 }) {
                lines.append("If-Range: \(validator)")
            }
        }
        try setHeaderList(lines)
    }

    /// The system's authorities, and the files that the configuration adds for this request.
    private func setTrust() throws(HTTPClientError) {
        let extra = try TrustFiles.load(configuration.trustedCertificates)
        if let folder = SystemTrust.hashedFolder {
            // Looked up one by one as needed, which spares reading all of the system's authorities into memory.
            larder_curl_set_string(handle, CURLOPT_CAPATH, folder)
            larder_curl_set_string(handle, CURLOPT_CAINFO, nil)
        }
        guard !extra.isEmpty else { return }
        var blob = extra
        if SystemTrust.hashedFolder == nil, let bundle = SystemTrust.bundle {
            blob += [UInt8(ascii: "\n")] + ((try? TrustFiles.read(bundle)) ?? [])
        }
        _ = blob.withUnsafeBytes { larder_curl_set_blob(handle, CURLOPT_CAINFO_BLOB, $0.baseAddress, $0.count) }
    }

    private func milliseconds(_ duration: Duration) -> Int {
        let (seconds, attoseconds) = duration.components
        return max(1, Int(clamping: min(seconds, 1 << 30) * 1000 + attoseconds / 1_000_000_000_000_000))
    }
}

private func onBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context else { return 0 }
    return Unmanaged<ActiveTransfer>.fromOpaque(context).takeUnretainedValue()
        .receive(body: UnsafeRawBufferPointer(start: bytes, count: size * count))
}

private func onHeader(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context else { return 0 }
    let goesOn = Unmanaged<ActiveTransfer>.fromOpaque(context).takeUnretainedValue()
        .receive(headerLine: UnsafeRawBufferPointer(start: bytes, count: size * count))
    return goesOn ? size * count : 0
}

private func onRequest(
    _ context: UnsafeMutableRawPointer?, _: UnsafeMutablePointer<CChar>?, _: UnsafeMutablePointer<CChar>?, _: CInt,
    _: CInt
) -> CInt {
    guard let context else { return CURL_PREREQFUNC_ABORT }
    let goesOn = Unmanaged<ActiveTransfer>.fromOpaque(context).takeUnretainedValue().requestStarts()
    return goesOn ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}
