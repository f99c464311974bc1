// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HTTP
import Kit

/// The HTTP client of the service. It trusts the system's authorities and those in the trust folder, which the client
/// reads anew for each request, so a change counts from the next one on.
struct TrustedClient: HTTPClientSource {
    private let shared: HTTPClient

    /// - Parameter allowsPlainLoopback: the developer's override may name a plain server on this machine.
    init(_ trust: TrustStore, version: String, allowsPlainLoopback: Bool) {
        var configuration = HTTPClientConfiguration()
        configuration.trustedCertificates = [trust.folder]
        configuration.userAgent = "larderd/\(version)"
        configuration.allowsPlainLoopback = allowsPlainLoopback
        shared = HTTPClient(configuration)
    }

    func client() -> HTTPClient { shared }
}
