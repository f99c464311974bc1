// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import AssetPacks
internal import HTTP

/// Where webhooks may be: a host must not be made to ask its own network for somebody outside.
enum WebhookAddress {
    /// What is wrong with an address, as the end of a sentence that starts with it; nil when it is right. What a name leads
    /// to is seen when it is asked.
    static func problem(with url: String, allowsPrivate: Bool) -> String? {
        if let problem = DownloadURL.problem(with: url, allowingPlainLoopback: allowsPrivate) { return problem }
        if allowsPrivate { return nil }
        let authority = url.drop { $0 != "/" }.dropFirst(2).prefix { !"/?#".contains($0) }
        let host =
            authority.first == "["
            ? authority.dropFirst().prefix { $0 != "]" } : authority.prefix { $0 != ":" }
        let isOwnName = host.lowercased() == "localhost" || host.lowercased().hasSuffix(".localhost")
        let isInside = NetworkAddress(String(host)).map { !$0.isPublic } ?? isOwnName
        return isInside ? "is at an address that only this network reaches" : nil
    }
}
