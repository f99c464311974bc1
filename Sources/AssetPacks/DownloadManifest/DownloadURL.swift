// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Kit

/// The rules for where archives may be: absolute https URLs with a host and nothing secret in them.
package enum DownloadURL {
    package static let maximumLength = 2048

    /// What is wrong with `url`, as the end of a sentence that starts with it; nil when it is right.
    package static func problem(with url: String, allowingPlainLoopback: Bool = false) -> String? {
        if url.utf8.isEmpty { return "is empty" }
        if url.utf8.count > maximumLength { return "is longer than \(maximumLength) bytes" }
        if url.utf8.contains(where: { $0 <= 0x20 || $0 >= 0x7F || "\"<>\\^`{|}".utf8.contains($0) }) {
            return "holds a character that URLs must percent-encode"
        }
        guard let colon = url.utf8.firstOccurrence(of: "://".utf8) else {
            return "is no absolute URL; write https://<host>/<path>"
        }
        let scheme = url[..<colon.lowerBound].lowercased()
        let authority = url[colon.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        if authority.contains("@") { return "holds a user name, which does not belong in a manifest" }
        guard let (host, port) = split(authority) else { return "has a broken host name" }
        if host.isEmpty { return "has no host" }
        if !port.isEmpty, !(UInt16(port).map { $0 > 0 } ?? false) { return "has no valid port" }
        switch scheme {
        case "https": return nil
        case "http" where allowingPlainLoopback && isLoopback(host): return nil
        default: return "must begin with https://"
        }
    }

    /// Whether `url` asks for TLS. A scheme is the same in either case (RFC 3986, 3.1).
    package static func isEncrypted(_ url: String) -> Bool {
        url.prefix("https://".count).lowercased() == "https://"
    }

    private static func split(_ authority: Substring) -> (host: Substring, port: Substring)? {
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            let host = authority[authority.index(after: authority.startIndex)..<end]
            let rest = authority[authority.index(after: end)...]
            guard rest.isEmpty || rest.first == ":", host.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }) else {
                return nil
            }
            return (host, rest.dropFirst())
        }
        let host = authority.prefix { $0 != ":" }
        let isName = host.utf8.allSatisfy {
            ($0 | 0x20 >= UInt8(ascii: "a") && $0 | 0x20 <= UInt8(ascii: "z"))
                || ($0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9")) || "-._".utf8.contains($0)
        }
        return isName ? (host, authority.dropFirst(host.count + 1)) : nil
    }

    private static func isLoopback(_ host: Substring) -> Bool {
        host == "localhost" || host == "::1"
            || (host.hasPrefix("127.") && host.split(separator: ".").compactMap { UInt8($0) }.count == 4
                && !host.contains { $0.isLetter })
    }
}
