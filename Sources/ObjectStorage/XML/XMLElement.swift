// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Kit

/// An element of a short XML document, as stores answer with: names, texts and children; attributes are passed over.
struct XMLElement: Hashable, Sendable {
    let name: String
    /// The characters in it that are no markup.
    var text = ""
    var children: [XMLElement] = []

    private static let depthLimit = 16

    /// The first child of that name.
    subscript(name: String) -> XMLElement? { children.first { $0.name == name } }

    func all(_ name: String) -> [XMLElement] { children.filter { $0.name == name } }

    /// The text of the first child of that name.
    func text(_ name: String) -> String? { self[name]?.text }

    /// The root of a document; nil for what is not well-formed, declares entities, or nests too deep.
    static func parse(_ bytes: [UInt8]) -> XMLElement? {
        var scanner = XMLScanner(bytes)
        guard let tag = try? scanner.tag(), let root = try? XMLElement(tag, from: &scanner, depth: 0),
            (try? scanner.skipMarkup()) != nil, scanner.isAtEnd
        else { return nil }
        return root
    }

    /// The element that the tag begins.
    /// - Throws: `XMLSyntaxError`
    private init(_ tag: XMLScanner.Tag, from scanner: inout XMLScanner, depth: Int) throws {
        guard depth < Self.depthLimit else {
            throw scanner.error("Elements nest deeper than \(Self.depthLimit) levels")
        }
        switch tag {
        case .close(let name): throw scanner.error("</\(name)> is out of place")
        case .empty(let name): self.init(name: Self.local(name))
        case .open(let name):
            self.init(name: Self.local(name))
            while true {
                text += try scanner.text()
                let tag = try scanner.tag()
                if tag == .close(name) { return }
                children.append(try XMLElement(tag, from: &scanner, depth: depth + 1))
            }
        }
    }

    init(name: String) { self.name = name }

    /// A prefix says nothing here: a store speaks of one vocabulary.
    private static func local(_ name: String) -> String { name.split(separator: ":").last.map(String.init) ?? name }
}
