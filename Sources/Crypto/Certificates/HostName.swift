// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Glibc
internal import Kit

/// A host as a certificate names it.
package enum HostName: Hashable, Sendable {
    case name(String)
    case address(String)

    /// - Throws: `CryptoError` for what is neither a DNS name nor a numeric address.
    package init(_ text: String) throws {
        var space = in6_addr()
        if inet_pton(AF_INET, text, &space) == 1 || inet_pton(AF_INET6, text, &space) == 1 {
            self = .address(text)
            return
        }
        let allowed = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        guard allowed, (1...253).contains(text.utf8.count), text.first != ".", text.first != "-" else {
            throw CryptoError(
                .badHost, "\"\(text.prefix(80))\" is no host name. Give a DNS name or a numeric address, without port.")
        }
        self = .name(text)
    }

    /// As OpenSSL's configuration writes an alternative name. Safe there: the characters were checked.
    var alternativeName: String {
        switch self {
        case .name(let name): "DNS:\(name)"
        case .address(let address): "IP:\(address)"
        }
    }
}
