// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// An entry of `BADownloadDomainAllowList` (BA 2.1): a host name, or `*.` and a domain for all hosts below it.
package struct DomainPattern: Hashable, Sendable {
    /// In lower case, without `*.`.
    package let domain: String
    /// Whether hosts below `domain` are meant. `domain` itself is not, as with certificates.
    package let includesSubdomains: Bool

    /// nil when the text is no host name: a scheme, port, path or a `*` anywhere else.
    package init?(_ text: String) {
        let wildcard = text.hasPrefix("*.")
        let name = (wildcard ? String(text.dropFirst(2)) : text).lowercased()
        guard Self.isHostName(name) else { return nil }
        domain = name
        includesSubdomains = wildcard
    }

    package func matches(host: String) -> Bool {
        let host = host.lowercased()
        return includesSubdomains ? host.hasSuffix("." + domain) : host == domain
    }

    private static func isHostName(_ name: String) -> Bool {
        guard !name.isEmpty, name.utf8.count <= 253 else { return false }
        // A bracketed or bare IPv6 address is no name, but development servers have one.
        if name.hasPrefix("["), name.hasSuffix("]") {
            return name.dropFirst().dropLast().allSatisfy(isAddressCharacter)
        }
        return name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
            !label.isEmpty && label.utf8.count <= 63 && label.utf8.first != UInt8(ascii: "-")
                && label.utf8.allSatisfy { byte in
                    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                        || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || byte >= 0x80
                }
        }
    }

    private static func isAddressCharacter(_ character: Character) -> Bool {
        character.isHexDigit || character == ":" || character == "."
    }
}

extension DomainPattern: CustomStringConvertible {
    package var description: String { includesSubdomains ? "*.\(domain)" : domain }
}
