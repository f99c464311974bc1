// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Kit

/// Reads the XML form of a property list: its eleven elements and no other XML.
struct XMLPropertyListParser {
    private var scanner: XMLScanner

    /// The value in the `plist` element.
    /// - Throws: `PropertyListSyntaxError`
    static func parse(_ bytes: [UInt8]) throws -> PropertyListValue {
        var parser = XMLPropertyListParser(scanner: XMLScanner(bytes))
        do {
            return try parser.list()
        } catch let error as XMLSyntaxError {
            throw PropertyListSyntaxError(message: error.message, place: "line \(error.line)")
        }
    }

    private mutating func list() throws -> PropertyListValue {
        guard case .open("plist") = try scanner.tag() else { throw scanner.error("The root element must be <plist>") }
        let value = try value(try scanner.tag(), depth: 0)
        guard case .close("plist") = try scanner.tag() else { throw scanner.error("<plist> holds more than one value") }
        try scanner.skipMarkup()
        guard scanner.isAtEnd else { throw scanner.error("There is text behind </plist>") }
        return value
    }

    private mutating func value(_ tag: XMLScanner.Tag, depth: Int) throws -> PropertyListValue {
        guard depth < PropertyListFile.depthLimit else {
            throw scanner.error("Containers nest deeper than \(PropertyListFile.depthLimit) levels")
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
            guard let number = Double(text.trimmed) else { throw scanner.error("\"\(text)\" is no number") }
            return .real(number)
        case .open("data"), .open("date"):
            if case .open(let name) = tag { _ = try text(until: name) }
            return .other
        case .open("array"): return try array(depth: depth)
        case .open("dict"): return try dictionary(depth: depth)
        case .open(let name), .close(let name), .empty(let name): throw scanner.error("<\(name)> is out of place")
        }
    }

    private mutating func array(depth: Int) throws -> PropertyListValue {
        var values: [PropertyListValue] = []
        while true {
            let tag = try scanner.tag()
            if tag == .close("array") { return .array(values) }
            values.append(try value(tag, depth: depth + 1))
        }
    }

    private mutating func dictionary(depth: Int) throws -> PropertyListValue {
        var values: [String: PropertyListValue] = [:]
        while true {
            let key: String
            switch try scanner.tag() {
            case .close("dict"): return .dictionary(values)
            case .open("key"): key = try text(until: "key")
            case .empty("key"): key = ""
            default: throw scanner.error("A dictionary needs a <key> here")
            }
            guard values[key] == nil else { throw scanner.error("The key \"\(key)\" is there twice") }
            values[key] = try value(try scanner.tag(), depth: depth + 1)
        }
    }

    private func integer(_ text: String) throws -> PropertyListValue {
        let text = text.trimmed
        let hex = text.hasPrefix("0x") || text.hasPrefix("0X")
        if let number = hex ? Int64(text.dropFirst(2), radix: 16) : Int64(text) { return .integer(number) }
        let digits = text.drop { $0 == "-" || $0 == "+" }
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw scanner.error("\"\(text)\" is no whole number")
        }
        return .other
    }

    // MARK: - Markup

    private mutating func close(_ name: String) throws {
        guard try scanner.tag() == .close(name) else { throw scanner.error("</\(name)> is missing") }
    }

    private mutating func text(until name: String) throws -> String {
        let text = try scanner.text()
        guard try scanner.tag() == .close(name) else { throw scanner.error("<\(name)> holds another element") }
        return text
    }
}

extension String {
    /// Without blanks at either end.
    fileprivate var trimmed: String {
        func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" || character.isNewline }
        return String(drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    }
}
