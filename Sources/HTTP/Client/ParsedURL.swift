// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import CCurlShim

/// An address taken apart by libcurl's own parser, so that what is checked is what will be opened.
struct ParsedURL {
    let scheme: String
    let host: String
    /// The scheme's own when the address names none.
    let port: Int
    /// The whole address.
    let text: String

    /// - Parameter base: the address that a relative one is to be understood from.
    init?(_ url: String, relativeTo base: String? = nil) {
        guard let handle = larder_curl_url() else { return nil }
        defer { larder_curl_url_cleanup(handle) }
        if let base, larder_curl_url_set(handle, CURLUPART_URL, base, 0) != CURLUE_OK { return nil }
        guard larder_curl_url_set(handle, CURLUPART_URL, url, 0) == CURLUE_OK,
            let scheme = ParsedURL.part(handle, CURLUPART_SCHEME), let host = ParsedURL.part(handle, CURLUPART_HOST)
        else { return nil }
        self.scheme = scheme
        self.host = host
        port = ParsedURL.part(handle, CURLUPART_PORT, defaultPort).flatMap { Int($0) } ?? 0
        text = ParsedURL.part(handle, CURLUPART_URL) ?? url
    }

    private static func part(_ handle: OpaquePointer, _ part: CURLUPart, _ flags: UInt32 = 0) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard larder_curl_url_get(handle, part, &text, flags) == CURLUE_OK, let text else { return nil }
        defer { larder_curl_free(text) }
        return String(cString: text)
    }

    /// Whether the host is this machine by its spelling alone: 127.0.0.0/8, ::1, localhost.
    var isLoopback: Bool {
        if host == "[::1]" || HTTPHeaders.same(host, "localhost") { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127"
            && numbers.allSatisfy { (ContentRange.number($0) ?? .max) <= 255 }
    }
}

// libcurl's CURLU_DEFAULT_PORT, which Swift does not see.
private let defaultPort: UInt32 = 1 << 0
