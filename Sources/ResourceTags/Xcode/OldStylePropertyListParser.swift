// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Reads a property list in the old style: `{key = value;}`, `(a, b)`, `"text"`, `text`, `<0a ff>`, and comments.
struct OldStylePropertyListParser {
    typealias Node = OldStylePropertyList.Node
    typealias Problem = OldStylePropertyList.Problem

    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var count = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    mutating func parse() throws -> Node {
        guard bytes.count <= OldStylePropertyList.maximumSize else {
            throw problem("holds more than \(OldStylePropertyList.maximumSize >> 20) MiB")
        }
        let node = try value(depth: 0)
        try skipBlanks()
        guard position == bytes.count else { throw problem("has \(here) behind the end of the list") }
        return node
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private func problem(_ reason: String) -> Problem { Problem(line: line, reason: reason) }

    /// What stands at the position, as messages name it.
    private var here: String {
        guard let next else { return "the end of the file" }
        return (0x21..<0x7F).contains(next) ? "\"\(Character(UnicodeScalar(next)))\"" : "the byte \(next)"
    }

    private mutating func value(depth: Int) throws -> Node {
        try skipBlanks()
        count += 1
        guard depth <= OldStylePropertyList.maximumDepth, count <= OldStylePropertyList.maximumCount else {
            throw problem("is nested too deeply or holds too many values")
        }
        let start = line
        switch next {
        case UInt8(ascii: "{"): return Node(content: .dictionary(try dictionary(depth)), line: start)
        case UInt8(ascii: "("): return Node(content: .array(try array(depth)), line: start)
        case UInt8(ascii: "<"): return Node(content: .data(try data()), line: start)
        default: return Node(content: .string(try string()), line: start)
        }
    }

    private mutating func dictionary(_ depth: Int) throws -> [String: Node] {
        position += 1
        var members: [String: Node] = [:]
        while true {
            try skipBlanks()
            if next == UInt8(ascii: "}") {
                position += 1
                return members
            }
            let key = try string()
            try expect("=", behind: "the key \"\(key.prefix(80))\"")
            let value = try value(depth: depth + 1)
            try expect(";", behind: "the value of \"\(key.prefix(80))\"")
            if let first = members.updateValue(value, forKey: key) {
                throw Problem(
                    line: value.line, reason: "has a second \"\(key.prefix(80))\"; the first is in line \(first.line)")
            }
        }
    }

    private mutating func array(_ depth: Int) throws -> [Node] {
        position += 1
        var elements: [Node] = []
        while true {
            try skipBlanks()
            if next == UInt8(ascii: ")") {
                position += 1
                return elements
            }
            elements.append(try value(depth: depth + 1))
            try skipBlanks()
            if next == UInt8(ascii: ",") {
                position += 1
            } else if next != UInt8(ascii: ")") {
                throw problem("has \(here), where a comma or \")\" must stand")
            }
        }
    }

    private mutating func expect(_ character: Character, behind what: String) throws {
        try skipBlanks()
        guard let next, Character(UnicodeScalar(next)) == character else {
            throw problem("has \(here), where \"\(character)\" must stand behind \(what)")
        }
        position += 1
    }

    private mutating func data() throws -> [UInt8] {
        position += 1
        var digits: [UInt8] = []
        while let byte = next, byte != UInt8(ascii: ">") {
            if let digit = Character(UnicodeScalar(byte)).hexDigitValue {
                digits.append(UInt8(digit))
            } else if byte == UInt8(ascii: "\n") {
                line += 1
            } else if byte != UInt8(ascii: " "), byte != UInt8(ascii: "\t"), byte != UInt8(ascii: "\r") {
                throw problem("has \(here) among hexadecimal digits; is this a conflict of a merge?")
            }
            position += 1
        }
        guard next != nil, digits.count.isMultiple(of: 2) else { throw problem("has data that is not complete") }
        position += 1
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    // MARK: - Strings

    private static func isBare(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "_$/:.-".utf8.contains(byte)
        }
    }

    private mutating func string() throws -> String {
        guard let quote = next else { throw problem("ends too early") }
        if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") { return try quoted(quote) }
        let start = position
        while let byte = next, Self.isBare(byte) { position += 1 }
        guard position > start else { throw problem("has \(here), where a name or a value must stand") }
        return try text(Array(bytes[start..<position]))
    }

    private mutating func quoted(_ quote: UInt8) throws -> String {
        position += 1
        var content: [UInt8] = []
        while let byte = next, byte != quote {
            position += 1
            switch byte {
            case UInt8(ascii: "\\"): try escape(into: &content)
            case UInt8(ascii: "\n"):
                line += 1
                content.append(byte)
            default: content.append(byte)
            }
        }
        guard next == quote else { throw problem("has a text that does not end") }
        position += 1
        return try text(content)
    }

    private func text(_ content: [UInt8]) throws -> String {
        guard let text = String(validating: content, as: UTF8.self) else {
            throw problem("has a text that is not UTF-8")
        }
        return text
    }

    private mutating func escape(into content: inout [UInt8]) throws {
        guard let byte = next else { throw problem("has a text that does not end") }
        position += 1
        switch byte {
        case UInt8(ascii: "n"): content.append(UInt8(ascii: "\n"))
        case UInt8(ascii: "t"): content.append(UInt8(ascii: "\t"))
        case UInt8(ascii: "r"): content.append(UInt8(ascii: "\r"))
        case UInt8(ascii: "\n"):
            line += 1
            content.append(byte)
        case UInt8(ascii: "U"):
            let first = try number(digits: 4, radix: 16)
            guard let scalar = try UnicodeScalar(isSurrogate(first) ? pair(first) : first) else {
                throw problem("has an escape that is no character")
            }
            content += Array(String(Character(scalar)).utf8)
        case UInt8(ascii: "0")...UInt8(ascii: "7"):
            position -= 1
            let value = try number(digits: 3, radix: 8)
            // Beyond ASCII the digits count characters of NeXT, which no project has.
            guard value < 0x80 else { throw problem("has an escape of a character outside of ASCII by octal digits") }
            content.append(UInt8(value))
        default: content.append(byte)
        }
    }

    private func isSurrogate(_ unit: UInt32) -> Bool { (0xD800..<0xE000).contains(unit) }

    private mutating func pair(_ high: UInt32) throws -> UInt32 {
        guard high < 0xDC00, bytes[position...].starts(with: "\\U".utf8) else {
            throw problem("has an escape that is no character")
        }
        position += 2
        let low = try number(digits: 4, radix: 16)
        guard (0xDC00..<0xE000).contains(low) else { throw problem("has an escape that is no character") }
        return 0x10000 + (high - 0xD800) << 10 + (low - 0xDC00)
    }

    private mutating func number(digits: Int, radix: UInt32) throws -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<digits {
            guard let byte = next, let digit = Character(UnicodeScalar(byte)).hexDigitValue, digit < radix else {
                throw problem("has an escape that is not complete")
            }
            value = value * radix + UInt32(digit)
            position += 1
        }
        return value
    }

    // MARK: - Blanks

    private mutating func skipBlanks() throws {
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\n"):
                line += 1
                position += 1
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): position += 1
            case UInt8(ascii: "/") where bytes[position...].starts(with: "//".utf8):
                while let byte = next, byte != UInt8(ascii: "\n") { position += 1 }
            case UInt8(ascii: "/") where bytes[position...].starts(with: "/*".utf8): try skipComment()
            default: return
            }
        }
    }

    private mutating func skipComment() throws {
        let start = line
        position += 2
        while position < bytes.count {
            if bytes[position...].starts(with: "*/".utf8) {
                position += 2
                return
            }
            if bytes[position] == UInt8(ascii: "\n") { line += 1 }
            position += 1
        }
        throw Problem(line: start, reason: "has a comment that does not end")
    }
}
