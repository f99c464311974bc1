// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Kit

/// How the server's own certificate is wrong, for the whole of its run.
package enum CertificateFault: String, Hashable, Sendable, CaseIterable {
    /// Issued by an authority nobody knows.
    case untrusted
    /// Over since yesterday.
    case expired
    /// Made out to another name.
    case name
}

/// What one `--fault` says.
package enum FaultOption: Hashable, Sendable {
    case rule(FaultRule)
    case certificate(CertificateFault)

    /// Reads `[target:]kind[,key=value…]`, as `asset=Coast:stall,after=1MiB,times=1`, or `certificate=expired`.
    /// - Throws: `UsageError` that says what would be right.
    package init(_ text: String) throws {
        let parser = FaultParser(text: text)
        self = try parser.parse()
    }
}

/// The grammar of `--fault`.
private struct FaultParser {
    let text: String

    private static let kinds = [
        "slow", "stall", "cut", "reset", "wrong-byte", "short", "long", "endless", "no-ranges", "first-range",
        "wrong-range", "shifted", "redirect", "404", "416", "500",
        "503",
    ]

    func parse() throws -> FaultOption {
        if text.hasPrefix("certificate=") { return .certificate(try certificate(text.dropFirst("certificate=".count))) }
        let (target, rest) = try splitTarget()
        let words = rest.split(separator: ",", omittingEmptySubsequences: false)
        guard let name = words.first, !name.isEmpty else {
            throw failure("names no fault. Say one of \(Self.kinds.joined(separator: ", ")).")
        }
        var values = try Values(words.dropFirst(), failure: failure)
        let (kindName, redirect) = split(name)
        let kind = try kind(kindName, redirect, &values)
        let rule = FaultRule(target, kind, times: try values.times(), probability: try values.probability())
        try values.finish(after: String(kindName))
        return .rule(rule)
    }

    private func splitTarget() throws -> (FaultRule.Target, Substring) {
        // A colon that first occurs in a redirect's address ends no target.
        guard let colon = text.firstIndex(of: ":"), !text[..<colon].contains("redirect") else {
            return (.any, text[...])
        }
        let rest = text[text.index(after: colon)...]
        let target = text[..<colon]
        switch target {
        case "*", "any": return (.any, rest)
        case "manifest": return (.manifest, rest)
        default:
            let words = target.split(separator: "=", maxSplits: 1)
            let id = words.count == 2 ? String(words[1]) : ""
            switch words.first {
            case "asset" where !id.isEmpty: return (.asset(id), rest)
            case "index" where !id.isEmpty: return (.index(id), rest)
            case "patch" where !id.isEmpty: return (.patch(id), rest)
            case "list" where !id.isEmpty: return (.list(id), rest)
            default:
                throw failure(
                    "has the target \"\(target)\". Targets are manifest, asset=<id>, index=<id>, patch=<id>, list=<id> and *."
                )
            }
        }
    }

    private func split(_ name: Substring) -> (Substring, Substring?) {
        guard let equals = name.firstIndex(of: "=") else { return (name, nil) }
        return (name[..<equals], name[name.index(after: equals)...])
    }

    private func kind(_ name: Substring, _ value: Substring?, _ values: inout Values) throws -> FaultRule.Kind {
        if name != "redirect", value != nil { throw failure("gives \"\(name)\" a value, which only redirect takes.") }
        switch name {
        case "slow": return .slow(rate: max(1, try values.size("rate") ?? 64 << 10))
        case "stall": return .stall(after: try values.size("after"))
        case "cut": return .cut(after: try values.size("after"))
        case "reset": return .reset(after: try values.size("after"))
        case "wrong-byte": return .wrongByte(at: try values.size("at"))
        case "short": return .short(by: max(1, try values.size("by") ?? 1))
        case "long": return .long(by: max(1, try values.size("by") ?? 1))
        case "endless": return .endless
        case "no-ranges": return .noRanges
        case "first-range": return .firstRange
        case "wrong-range": return .wrongRange
        case "shifted": return .shifted
        case "redirect": return .redirect(try redirect(value ?? "https"))
        default:
            guard let status = Int(name), (400...599).contains(status) else {
                throw UsageError(
                    "The fault \"\(text)\" names \"\(name)\", which is none. There are \(Self.kinds.joined(separator: ", ")), "
                        + "and every status from 400 to 599.",
                    suggestion: Spelling.closest(to: String(name), among: Self.kinds))
            }
            return .status(status, retryAfter: try values.number("retry-after", 0...86_400))
        }
    }

    private func redirect(_ value: Substring) throws -> FaultRule.Redirect {
        switch value {
        case "https": return .https
        case "http": return .http
        case "loop": return .loop
        default:
            guard value.hasPrefix("https://") || value.hasPrefix("http://"), !value.contains(where: \.isWhitespace)
            else {
                throw failure("redirects to \"\(value)\". Say https, http, loop or an address.")
            }
            return .url(String(value))
        }
    }

    private func certificate(_ value: Substring) throws -> CertificateFault {
        guard let fault = CertificateFault(rawValue: String(value)) else {
            let known = CertificateFault.allCases.map(\.rawValue)
            throw UsageError(
                "The fault \"\(text)\" is none. Certificates can be \(known.joined(separator: ", ")).",
                suggestion: Spelling.closest(to: String(value), among: known))
        }
        return fault
    }

    private func failure(_ what: String) -> UsageError { UsageError("The fault \"\(text)\" \(what)") }

    /// The `key=value` pairs behind the kind; each may be taken once.
    private struct Values {
        private var values: [String: Substring] = [:]
        private let failure: (String) -> UsageError

        init(_ words: some Sequence<Substring>, failure: @escaping (String) -> UsageError) throws {
            self.failure = failure
            for word in words {
                guard let equals = word.firstIndex(of: "="), equals != word.startIndex else {
                    throw failure("says \"\(word)\", where key=value must stand.")
                }
                let key = String(word[..<equals])
                guard values.updateValue(word[word.index(after: equals)...], forKey: key) == nil else {
                    throw failure("says \"\(key)\" twice.")
                }
            }
        }

        mutating func size(_ key: String) throws -> Int64? {
            guard let text = values.removeValue(forKey: key) else { return nil }
            guard let size = ByteSize(text) else {
                throw failure("says \(key)=\(text), which is no size. Write bytes, or 64KiB, 1MiB, 2MB.")
            }
            return size.bytes
        }

        mutating func number(_ key: String, _ range: ClosedRange<Int>) throws -> Int? {
            guard let text = values.removeValue(forKey: key) else { return nil }
            guard let number = Int(text), range.contains(number) else {
                throw failure("says \(key)=\(text). It takes a number from \(range.lowerBound) to \(range.upperBound).")
            }
            return number
        }

        mutating func times() throws -> Int? { try number("times", 1...1_000_000_000) }

        mutating func probability() throws -> Double {
            guard let text = values.removeValue(forKey: "probability") else { return 1 }
            guard let value = Double(text), (0...1).contains(value) else {
                throw failure("says probability=\(text). It takes a number from 0 to 1.")
            }
            return value
        }

        func finish(after kind: String) throws {
            guard let left = values.keys.sorted().first else { return }
            throw failure("says \"\(left)\", which \(kind) does not take.")
        }
    }
}
