// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit

/// Reads JSON objects whose mistakes are told with file, line, key, and what would be right.
package struct ManifestReader: Sendable {
    /// How messages name the file.
    let source: String
    let code: AssetPackError.Code
    /// Unknown keys are errors in what a person writes, and none in what another program wrote.
    let isStrict: Bool

    /// Reads what a person wrote.
    /// - Parameter source: how messages name the file.
    package init(source: String) {
        self.init(source: source, code: .invalidManifest, isStrict: true)
    }

    init(source: String, code: AssetPackError.Code, isStrict: Bool) {
        self.source = source
        self.code = code
        self.isStrict = isStrict
    }

    package func error(_ position: JSONPosition, _ reason: String) -> AssetPackError {
        AssetPackError(code, "\(place(position)): \(reason)\(reason.utf8.last == UInt8(ascii: "?") ? "" : ".")")
    }

    package func place(_ position: JSONPosition) -> String { "\(source):\(position.line):\(position.column)" }

    /// - Throws: `AssetPackError` for text that is no JSON.
    package func parse(_ bytes: some Sequence<UInt8>, allowsComments: Bool) throws -> JSONNode {
        do {
            return try JSONParser.parse(
                bytes, options: .init(allowsComments: allowsComments, maximumDepth: Self.maximumDepth))
        } catch let problem as JSONError {
            throw error(problem.position, "not valid JSON: \(problem.reason)")
        }
    }

    /// Deeper than any manifest; bounds what hostile text can cost.
    static let maximumDepth = 64

    /// - Parameters:
    ///   - what: names the object in messages, such as `fileSelectors[1]`; empty for the whole file.
    ///   - example: what the object should look like.
    package func object(_ node: JSONNode, _ what: String, keys: [String], example: String) throws -> ManifestObject {
        guard case .object(let members) = node.content else {
            let name = what.isEmpty ? "the manifest" : what
            throw error(node.position, "\(name) must be an object such as \(example), not \(node.kindName)")
        }
        if isStrict {
            for member in members where !keys.contains(member.key) {
                let hint =
                    if let close = Spelling.closest(to: member.key, among: keys) {
                        "did you mean \"\(close)\"?"
                    } else {
                        keys.isEmpty ? "no key may stand here" : "known are \(Self.list(keys))"
                    }
                throw error(
                    member.keyPosition, "\(ManifestObject.path(what, member.key)): there is no such key; \(hint)")
            }
        }
        return ManifestObject(reader: self, node: node, members: members, path: what)
    }

    package func string(_ node: JSONNode, _ what: String, example: String) throws -> String {
        guard case .string(let text) = node.content else {
            throw error(node.position, "\(what) must be a string such as \"\(example)\", not \(node.kindName)")
        }
        return text
    }

    package func array(_ node: JSONNode, _ what: String, example: String) throws -> [JSONNode] {
        guard case .array(let elements) = node.content else {
            throw error(node.position, "\(what) must be an array such as \(example), not \(node.kindName)")
        }
        return elements
    }

    func integer(_ node: JSONNode, _ what: String, in range: ClosedRange<Int64>) throws -> Int64 {
        guard case .integer(let value) = node.content else {
            let isNumber = if case .number = node.content { true } else { false }
            throw error(
                node.position, "\(what) must be a whole number\(isNumber ? "" : ", not \(node.kindName)")")
        }
        guard range.contains(value) else {
            throw error(
                node.position, "\(what) must be from \(range.lowerBound) to \(range.upperBound), not \(value)")
        }
        return value
    }

    /// `"a", "b" and "c"`
    package static func list(_ words: [String]) -> String {
        let quoted = words.map { "\"\($0)\"" }
        guard let last = quoted.last, quoted.count > 1 else { return quoted.joined() }
        return quoted.dropLast().joined(separator: ", ") + " and " + last
    }
}

/// An object of a manifest, and where it stands.
package struct ManifestObject {
    let reader: ManifestReader
    let node: JSONNode
    package let members: [JSONMember]
    let path: String

    package func path(_ key: String) -> String { Self.path(path, key) }

    static func path(_ parent: String, _ key: String) -> String { parent.isEmpty ? key : "\(parent).\(key)" }

    /// The value of `key`; nil when it is absent.
    package func optional(_ key: String) -> JSONNode? { members.first { $0.key == key }?.value }

    /// - Throws: `AssetPackError` that tells where `key` is missing.
    package func required(_ key: String, example: String) throws -> JSONNode {
        guard let node = optional(key) else {
            throw reader.error(node.position, "\(path(key)) is missing; add for example \"\(key)\": \(example)")
        }
        return node
    }
}
