// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HTTP
import Kit

/// The HTTP client of the service. It trusts the system's authorities and those in the trust folder, which the client
/// reads anew for each request, so a change counts from the next one on.
struct TrustedClient: HTTPClientSource {
    private let shared: HTTPClient
    private static let mostThreads = 4

    init(_ trust: TrustStore, version: String, stallTimeout: Duration, slowTimeout: Duration) {
        var configuration = HTTPClientConfiguration()
        configuration.trustedCertificates = [trust.folder]
        configuration.stallTimeout = stallTimeout
        configuration.slowTimeout = slowTimeout
        configuration.connectTimeout = stallTimeout
        configuration.userAgent = "larderd/\(version)"
        // Only a developer's override leads to plain http: manifests and bundles with such an URL are refused before.
        configuration.allowsPlainLoopback = true
        configuration.threads = min(Self.mostThreads, Processors.count)
        shared = HTTPClient(configuration)
    }

    func client() -> HTTPClient { shared }
}
