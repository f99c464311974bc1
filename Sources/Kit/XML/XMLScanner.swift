// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Takes XML apart, piece by piece, for readers of small vocabularies: tags and texts. Attributes, comments and processing
/// instructions are passed over. Nothing is expanded but the five entities of XML itself and characters by their numbers, and a
/// document type that declares anything is refused: that is how XML is made to explode.
package struct XMLScanner {
    package enum Tag: Hashable, Sendable {
        case open(String)
        case close(String)
        case empty(String)
    }

    /// In bytes; a longer name is none.
    private static let longestName = 128
    private let bytes: [UInt8]
    private var position = 0

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    package var isAtEnd: Bool { position == bytes.count }

    /// An error at the place where the scanner stands.
    package func error(_ message: String) -> XMLSyntaxError {
        let line = 1 + bytes[..<min(position, bytes.count)].count { $0 == UInt8(ascii: "\n") }
        return XMLSyntaxError(message: message, line: line)
    }

    // MARK: - Markup

    /// The next tag, with nothing but what is passed over before it.
    /// - Throws: `XMLSyntaxError`
    package mutating func tag() throws(XMLSyntaxError) -> Tag {
        try skipMarkup()
        guard !isAtEnd else { throw error("The document ends too early") }
        guard bytes[position] == UInt8(ascii: "<") else { throw error("There is text where an element should be") }
        return try readTag()
    }

    /// Passes over blanks, comments, processing instructions and a document type.
    /// - Throws: `XMLSyntaxError`
    package mutating func skipMarkup() throws(XMLSyntaxError) {
        while position < bytes.count {
            if Self.isBlank(bytes[position]) {
                position += 1
            } else if looksAt("<!--") {
                try skip(past: "-->")
            } else if looksAt("<?") {
                try skip(past: "?>")
            } else if looksAt("<!DOCTYPE") {
                let start = position
                try skip(past: ">")
                guard !bytes[start..<position].contains(UInt8(ascii: "[")) else {
                    throw error("The document type declares something of its own")
                }
            } else {
                return
            }
        }
    }

    /// Up to the ">" that is in no attribute's value.
    private mutating func readTag() throws(XMLSyntaxError) -> Tag {
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
        guard end < bytes.count else { throw error("A tag is not closed") }
        var inner = bytes[(position + 1)..<end]
        position = end + 1
        if inner.first == UInt8(ascii: "/") { return .close(try name(inner.dropFirst())) }
        if inner.last == UInt8(ascii: "/") {
            inner.removeLast()
            return .empty(try name(inner))
        }
        return .open(try name(inner))
    }

    private func name(_ inner: ArraySlice<UInt8>) throws(XMLSyntaxError) -> String {
        let name = inner.prefix { !Self.isBlank($0) }
        guard let first = name.first, first != UInt8(ascii: "!"), name.count <= Self.longestName,
            let text = String(validating: name, as: UTF8.self)
        else { throw error("There is a tag without a name") }
        return text
    }

    private func looksAt(_ text: String) -> Bool { bytes[position...].starts(with: text.utf8) }

    private mutating func skip(past text: String) throws(XMLSyntaxError) {
        guard let found = bytes[position...].firstOccurrence(of: text.utf8) else {
            throw error("\"\(text)\" is missing")
        }
        position = found.upperBound
    }

    // MARK: - Text

    /// The characters up to the next tag, which may be none.
    /// - Throws: `XMLSyntaxError`
    package mutating func text() throws(XMLSyntaxError) -> String {
        var result: [UInt8] = []
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "&") {
                result += try reference()
            } else if byte != UInt8(ascii: "<") {
                result.append(byte)
                position += 1
            } else if looksAt("<![CDATA[") {
                position += 9
                let start = position
                try skip(past: "]]>")
                result += bytes[start..<(position - 3)]
            } else if looksAt("<!--") {
                try skip(past: "-->")
            } else if looksAt("<?") {
                try skip(past: "?>")
            } else {
                break
            }
        }
        guard let text = String(validating: result, as: UTF8.self) else {
            throw error("There is text that is not UTF-8")
        }
        return text
    }

    private mutating func reference() throws(XMLSyntaxError) -> [UInt8] {
        guard let end = bytes[position...].prefix(12).firstIndex(of: UInt8(ascii: ";")) else {
            throw error("\"&\" must be written &amp;")
        }
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
            guard let code, let scalar = Unicode.Scalar(code) else { throw error("&\(name); is no character") }
            return Array(String(Character(scalar)).utf8)
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
