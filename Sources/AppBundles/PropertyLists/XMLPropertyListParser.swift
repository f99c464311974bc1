// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Reads the XML form of a property list: its eleven elements and no other XML.
struct XMLPropertyListParser {
    private let bytes: [UInt8]
    private var position = 0

    /// The value in the `plist` element.
    /// - Throws: `PropertyListSyntaxError`
    static func parse(_ bytes: [UInt8]) throws -> PropertyListValue {
        var parser = XMLPropertyListParser(bytes: bytes)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { parser.position = 3 }
        guard case .open("plist") = try parser.tag() else { throw parser.error("The root element must be <plist>") }
        let value = try parser.value(try parser.tag(), depth: 0)
        guard case .close("plist") = try parser.tag() else { throw parser.error("<plist> holds more than one value") }
        try parser.skipMarkup()
        guard parser.position == bytes.count else { throw parser.error("There is text behind </plist>") }
        return value
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private enum Tag: Equatable {
        case open(String)
        case close(String)
        case empty(String)
    }

    private func error(_ message: String) -> PropertyListSyntaxError {
        let line = 1 + bytes[..<min(position, bytes.count)].count { $0 == UInt8(ascii: "\n") }
        return PropertyListSyntaxError(message: message, place: "line \(line)")
    }

    private mutating func value(_ tag: Tag, depth: Int) throws -> PropertyListValue {
        guard depth < PropertyListFile.depthLimit else {
            throw error("Containers nest deeper than \(PropertyListFile.depthLimit) levels")
        }
        switch tag {
        case .empty("true"): return .boolean(true)
        case .empty("false"): return .boolean(false)
        case .empty("string"): return .string("")
        case .empty("array"): return .array([])
        case .empty("dict"): return .dictionary([:])
        case .empty("data"): return .other
        case .open("true"):
            try close("true")
            return .boolean(true)
        case .open("false"):
            try close("false")
            return .boolean(false)
        case .open("string"): return .string(try text(until: "string"))
        case .open("integer"): return try integer(try text(until: "integer"))
        case .open("real"):
            let text = try text(until: "real")
            guard let number = Double(text.trimmed) else { throw error("\"\(text)\" is no number") }
            return .real(number)
        case .open("data"), .open("date"):
            if case .open(let name) = tag { _ = try text(until: name) }
            return .other
        case .open("array"): return try array(depth: depth)
        case .open("dict"): return try dictionary(depth: depth)
        case .open(let name), .close(let name), .empty(let name): throw error("<\(name)> is out of place")
        }
    }

    private mutating func array(depth: Int) throws -> PropertyListValue {
        var values: [PropertyListValue] = []
        while true {
            let tag = try tag()
            if tag == .close("array") { return .array(values) }
            values.append(try value(tag, depth: depth + 1))
        }
    }

    private mutating func dictionary(depth: Int) throws -> PropertyListValue {
        var values: [String: PropertyListValue] = [:]
        while true {
            let key: String
            switch try tag() {
            case .close("dict"): return .dictionary(values)
            case .open("key"): key = try text(until: "key")
            case .empty("key"): key = ""
            default: throw error("A dictionary needs a <key> here")
            }
            guard values[key] == nil else { throw error("The key \"\(key)\" is there twice") }
            values[key] = try value(try tag(), depth: depth + 1)
        }
    }

    private func integer(_ text: String) throws -> PropertyListValue {
        let text = text.trimmed
        let hex = text.hasPrefix("0x") || text.hasPrefix("0X")
        if let number = hex ? Int64(text.dropFirst(2), radix: 16) : Int64(text) { return .integer(number) }
        let digits = text.drop { $0 == "-" || $0 == "+" }
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw error("\"\(text)\" is no whole number")
        }
        return .other
    }

    // MARK: - Markup

    private mutating func close(_ name: String) throws {
        guard try tag() == .close(name) else { throw error("</\(name)> is missing") }
    }

    /// The next tag; blanks, comments and declarations before it are passed over.
    private mutating func tag() throws -> Tag {
        try skipMarkup()
        guard position < bytes.count else { throw error("The list ends too early") }
        guard bytes[position] == UInt8(ascii: "<") else { throw error("There is text where an element should be") }
        return try readTag()
    }

    private mutating func readTag() throws -> Tag {
        guard let end = bytes[position...].firstIndex(of: UInt8(ascii: ">")) else { throw error("A tag is not closed") }
        var inner = bytes[(position + 1)..<end]
        position = end + 1
        if inner.first == UInt8(ascii: "/") { return .close(try name(inner.dropFirst())) }
        if inner.last == UInt8(ascii: "/") {
            inner.removeLast()
            return .empty(try name(inner))
        }
        return .open(try name(inner))
    }

    /// The element's name; attributes, of which only `version` occurs, are passed over.
    private func name(_ inner: ArraySlice<UInt8>) throws -> String {
        let name = inner.prefix { !Self.isBlank($0) }
        guard !name.isEmpty, name.count <= 16, name.allSatisfy({ (0x61...0x7A).contains($0) }) else {
            throw error("There is a tag without a name of property lists")
        }
        return String(decoding: name, as: UTF8.self)
    }

    private mutating func skipMarkup() throws {
        while position < bytes.count {
            if Self.isBlank(bytes[position]) {
                position += 1
            } else if looksAt("<!--") {
                try skip(past: "-->")
            } else if looksAt("<?") {
                try skip(past: "?>")
            } else if looksAt("<!DOCTYPE") {
                try skipDocumentType()
            } else {
                return
            }
        }
    }

    private mutating func skipDocumentType() throws {
        let start = position
        try skip(past: ">")
        // Declarations of one's own are how XML is made to explode; property lists have none.
        guard !bytes[start..<position].contains(UInt8(ascii: "[")) else {
            throw error("The document type declares something of its own")
        }
    }

    private func looksAt(_ text: String) -> Bool { bytes[position...].starts(with: text.utf8) }

    private mutating func skip(past text: String) throws {
        guard let end = index(of: text, from: position) else { throw error("\"\(text)\" is missing") }
        position = end + text.utf8.count
    }

    private func index(of text: String, from start: Int) -> Int? {
        let wanted = Array(text.utf8)
        var rest = start
        while let found = bytes[rest...].firstIndex(of: wanted[0]) {
            if bytes[found...].starts(with: wanted) { return found }
            rest = found + 1
        }
        return nil
    }

    // MARK: - Text

    private mutating func text(until name: String) throws -> String {
        var result: [UInt8] = []
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "&") {
                result += try reference()
            } else if byte != UInt8(ascii: "<") {
                result.append(byte)
                position += 1
            } else if looksAt("<![CDATA[") {
                let start = position + 9
                try skip(past: "]]>")
                result += bytes[start..<(position - 3)]
            } else if looksAt("<!--") {
                try skip(past: "-->")
            } else {
                guard try readTag() == .close(name) else { throw error("<\(name)> holds another element") }
                guard let text = String(validating: result, as: UTF8.self) else {
                    throw error("<\(name)> is not UTF-8")
                }
                return text
            }
        }
        throw error("</\(name)> is missing")
    }

    private mutating func reference() throws -> [UInt8] {
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

extension String {
    /// Without blanks at either end.
    fileprivate var trimmed: String {
        func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" || character.isNewline }
        return String(drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    }
}
