// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// An element of a short XML document, as stores answer with: names, texts and children; attributes are passed over.
struct XMLElement: Hashable, Sendable {
    let name: String
    /// The characters in it that are no markup.
    var text = ""
    var children: [XMLElement] = []

    /// The first child of that name.
    subscript(name: String) -> XMLElement? { children.first { $0.name == name } }

    func all(_ name: String) -> [XMLElement] { children.filter { $0.name == name } }

    /// The text of the first child of that name.
    func text(_ name: String) -> String? { self[name]?.text }

    /// The root of a document; nil for what is not well-formed, declares entities, or nests too deep.
    static func parse(_ bytes: [UInt8]) -> XMLElement? {
        guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
        var parser = XMLParser(bytes: bytes)
        return parser.document()
    }
}

/// Reads elements. Nothing is expanded but the five entities of XML itself and characters by their numbers.
private struct XMLParser {
    private static let depthLimit = 16
    private let bytes: [UInt8]
    private var position = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    mutating func document() -> XMLElement? {
        guard skipProlog(), case .open(let name, let isEmpty)? = tag(),
            let root = element(name, isEmpty: isEmpty, depth: 0), skipProlog(), position == bytes.count
        else { return nil }
        return root
    }

    private enum Tag {
        case open(String, isEmpty: Bool)
        case close(String)
    }

    private mutating func element(_ name: String, isEmpty: Bool, depth: Int) -> XMLElement? {
        guard depth < Self.depthLimit else { return nil }
        var result = XMLElement(name: name)
        if isEmpty { return result }
        var text: [UInt8] = []
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "&"):
                guard let character = reference() else { return nil }
                text += character
            case UInt8(ascii: "<"):
                if looksAt("<!--") {
                    guard skip(past: "-->") else { return nil }
                } else if looksAt("<![CDATA[") {
                    let start = position + 9
                    guard skip(past: "]]>"), start <= position - 3 else { return nil }
                    text += bytes[start..<position - 3]
                } else if looksAt("<?") {
                    guard skip(past: "?>") else { return nil }
                } else {
                    switch tag() {
                    case .close(name)?:
                        result.text = String(decoding: text, as: UTF8.self)
                        return result
                    case .open(let child, let isEmpty)?:
                        guard let child = element(child, isEmpty: isEmpty, depth: depth + 1) else { return nil }
                        result.children.append(child)
                    default: return nil
                    }
                }
            case let byte:
                text.append(byte)
                position += 1
            }
        }
        return nil
    }

    /// Blanks, comments and declarations outside the root. A document type is refused.
    private mutating func skipProlog() -> Bool {
        while position < bytes.count {
            if Self.isBlank(bytes[position]) {
                position += 1
            } else if looksAt("<?") {
                guard skip(past: "?>") else { return false }
            } else if looksAt("<!--") {
                guard skip(past: "-->") else { return false }
            } else {
                return true
            }
        }
        return true
    }

    private mutating func tag() -> Tag? {
        guard position < bytes.count, bytes[position] == UInt8(ascii: "<") else { return nil }
        var end = position + 1
        var quote: UInt8?
        while end < bytes.count {
            let byte = bytes[end]
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: ">") {
                break
            }
            end += 1
        }
        guard end < bytes.count else { return nil }
        var inner = bytes[(position + 1)..<end]
        position = end + 1
        let isClose = inner.first == UInt8(ascii: "/")
        if isClose { inner = inner.dropFirst() }
        let isEmpty = !isClose && inner.last == UInt8(ascii: "/")
        if isEmpty { inner = inner.dropLast() }
        let name = inner.prefix { !Self.isBlank($0) }
        guard let first = name.first, first != UInt8(ascii: "!"), name.count <= 128 else { return nil }
        // A prefix says nothing here: a store speaks of one vocabulary.
        let text = String(decoding: name, as: UTF8.self)
        let local = text.split(separator: ":").last.map(String.init) ?? text
        return isClose ? .close(local) : .open(local, isEmpty: isEmpty)
    }

    private mutating func reference() -> [UInt8]? {
        guard let end = bytes[position...].prefix(12).firstIndex(of: UInt8(ascii: ";")) else { return nil }
        let name = String(decoding: bytes[(position + 1)..<end], as: UTF8.self)
        position = end + 1
        switch name {
        case "amp": return [UInt8(ascii: "&")]
        case "lt": return [UInt8(ascii: "<")]
        case "gt": return [UInt8(ascii: ">")]
        case "quot": return [UInt8(ascii: "\"")]
        case "apos": return [UInt8(ascii: "'")]
        default:
            let isHex = name.hasPrefix("#x")
            let code = name.hasPrefix("#") ? UInt32(name.dropFirst(isHex ? 2 : 1), radix: isHex ? 16 : 10) : nil
            return code.flatMap { Unicode.Scalar($0) }.map { Array(String(Character($0)).utf8) }
        }
    }

    private func looksAt(_ text: String) -> Bool { bytes[position...].starts(with: text.utf8) }

    private mutating func skip(past text: String) -> Bool {
        let wanted = Array(text.utf8)
        var rest = position
        while let found = bytes[rest...].firstIndex(of: wanted[0]) {
            if bytes[found...].starts(with: wanted) {
                position = found + wanted.count
                return true
            }
            rest = found + 1
        }
        return false
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
