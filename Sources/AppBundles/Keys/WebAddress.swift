// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Kit

/// The parts of an http or https URL that decisions here need.
package struct WebAddress: Hashable, Sendable {
    /// `https` or `http`.
    package let scheme: String
    /// In lower case; IPv6 addresses keep their brackets.
    package let host: String
    package let port: UInt16?
    /// Path and query as written, with a leading slash unless both are empty. A fragment is left out.
    package let resource: String

    /// nil when the text is no absolute http(s) URL, or holds a user name, blanks or control characters.
    package init?(_ text: String) {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }),
            let separator = text.utf8.firstOccurrence(of: "://".utf8)
        else { return nil }
        scheme = text[..<separator.lowerBound].lowercased()
        guard scheme == "https" || scheme == "http" else { return nil }
        let rest = text[separator.upperBound...].prefix { $0 != "#" }
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        let authority = rest[..<end]
        guard !authority.isEmpty, !authority.contains("@"), !authority.contains("\\") else { return nil }
        let tail = String(rest[end...])
        resource = tail.hasPrefix("?") ? "/" + tail : tail

        var name = authority
        var number: Substring?
        if authority.hasPrefix("[") {
            guard let close = authority.firstIndex(of: "]") else { return nil }
            name = authority[...close]
            let after = authority[authority.index(after: close)...]
            guard after.isEmpty || after.hasPrefix(":") else { return nil }
            number = after.isEmpty ? nil : after.dropFirst()
        } else if let colon = authority.firstIndex(of: ":") {
            name = authority[..<colon]
            number = authority[authority.index(after: colon)...]
        }
        guard DomainPattern(String(name)).map({ !$0.includesSubdomains }) == true else { return nil }
        host = name.lowercased()
        if let number {
            guard let value = UInt16(number), value > 0 else { return nil }
            port = value
        } else {
            port = nil
        }
    }

    package var isSecure: Bool { scheme == "https" }

    /// Whether the host can only be this machine.
    package var isLoopback: Bool {
        host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]"
            || (host.hasPrefix("127.") && host.split(separator: ".").allSatisfy { UInt8($0) != nil })
    }

    /// Scheme, host and port only, without a trailing slash.
    package var origin: String { "\(scheme)://\(host)\(port.map { ":\($0)" } ?? "")" }
}
