// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// A `WWW-Authenticate` field taken apart (RFC 9110, 11.6.1): the schemes in which a server lets somebody log in.
package struct AuthenticateField: Sendable {
    package struct Scheme: Hashable, Sendable {
        /// In lower case.
        package let name: String
        /// Names in lower case; of one that comes twice, the first.
        package var parameters: [String: String] = [:]
    }

    /// Schemes beyond these are not looked at.
    private static let limit = 16

    package private(set) var schemes: [Scheme] = []

    /// - Parameter values: of all the fields of that name. What does not fit the grammar is passed over.
    package init(_ values: [String]) {
        for value in values { read(value) }
    }

    private mutating func read(_ value: String) {
        var rest = value.utf8[...]
        var current: Int?
        while schemes.count <= Self.limit {
            rest = rest.drop { $0 == UInt8(ascii: ",") || Self.isSpace($0) }
            let name = Self.token(&rest)
            guard !name.isEmpty else { break }
            let spaces = rest.prefix(while: Self.isSpace)
            let after = rest.dropFirst(spaces.count)
            if after.first == UInt8(ascii: "="), let current {
                rest = after.dropFirst().drop(while: Self.isSpace)
                guard let text = Self.value(&rest) else { break }
                if schemes[current].parameters[name] == nil { schemes[current].parameters[name] = text }
            } else {
                schemes.append(Scheme(name: name))
                current = schemes.count - 1
                rest = after
                Self.skipToken68(&rest)
            }
        }
        if schemes.count > Self.limit { schemes.removeLast(schemes.count - Self.limit) }
    }

    /// In lower case; empty when there is none.
    private static func token(_ rest: inout Substring.UTF8View) -> String {
        let bytes = rest.prefix { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
        }
        rest = rest.dropFirst(bytes.count)
        return String(decoding: bytes, as: UTF8.self).lowercased()
    }

    /// A token or a quoted string; nil when it has no end.
    private static func value(_ rest: inout Substring.UTF8View) -> String? {
        guard rest.first == UInt8(ascii: "\"") else {
            let bytes = rest.prefix { !isSpace($0) && $0 != UInt8(ascii: ",") }
            rest = rest.dropFirst(bytes.count)
            return String(decoding: bytes, as: UTF8.self)
        }
        var bytes: [UInt8] = []
        var isEscaped = false
        rest = rest.dropFirst()
        while let byte = rest.first {
            rest = rest.dropFirst()
            if isEscaped {
                bytes.append(byte)
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                return String(decoding: bytes, as: UTF8.self)
            } else {
                bytes.append(byte)
            }
        }
        return nil
    }

    /// What other schemes write instead of parameters: one word, with `=` only at its end.
    private static func skipToken68(_ rest: inout Substring.UTF8View) {
        let word = rest.prefix { !isSpace($0) && $0 != UInt8(ascii: ",") }
        let body = word.prefix { $0 != UInt8(ascii: "=") }
        guard !word.isEmpty, word.dropFirst(body.count).allSatisfy({ $0 == UInt8(ascii: "=") }) else { return }
        // A parameter whose name stands apart from its `=` is none of these.
        let next = rest.dropFirst(word.count).drop(while: isSpace)
        guard next.isEmpty || next.first == UInt8(ascii: ",") else { return }
        rest = next
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}

extension AuthenticateField.Scheme {
    /// What a client is asked for, when it is something that this one can give.
    var demand: HTTPChallenge.Demand? {
        switch name {
        case "basic": return .basic(realm: parameters["realm"])
        case "digest":
            let algorithms = ["md5", "md5-sess", "sha-256", "sha-256-sess", "sha-512-256", "sha-512-256-sess"]
            guard algorithms.contains(parameters["algorithm", default: "md5"].lowercased()), parameters["nonce"] != nil
            else { return nil }
            let protections = parameters["qop"].map { $0.lowercased().split { $0 == "," || $0 == " " } }
            guard protections?.contains("auth") ?? true else { return nil }
            return .digest(realm: parameters["realm"])
        default: return nil
        }
    }
}
