// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import CCurlShim
internal import Kit

/// libcurl as a whole. It is loaded with the first request: it brings some forty libraries, which would make up most of
/// the start of a program that may never fetch anything.
enum CurlLibrary {
    /// Loads and prepares it, once. Where that failed a later call tries again.
    static func load() throws(HTTPClientError) {
        if let problem = larder_curl_load() {
            throw HTTPClientError(
                .noLibrary,
                "libcurl, which fetches everything, cannot be loaded. Install the package libcurl4 (version 7.85 or "
                    + "later), then try again.",
                cause: CurlDetail(text: String(cString: problem)))
        }
        guard isPrepared else { throw HTTPClientError(.failed, "libcurl could not be started.") }
    }

    private static let isPrepared = larder_curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
}

/// What the loader or libcurl says, as the cause behind an error.
struct CurlDetail: Error, CustomStringConvertible {
    let text: String
    var description: String { text }
}
