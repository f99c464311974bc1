// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// A strict reader of JSON (RFC 8259) that tells where things stand, refuses duplicate keys and limits nesting.
package struct JSONParser {
    package struct Options: Sendable {
        /// `// to the end of the line` and `/* ... */` count as white space.
        package var allowsComments = false
        package var maximumDepth = 128

        package init(allowsComments: Bool = false, maximumDepth: Int = 128) {
            self.allowsComments = allowsComments
            self.maximumDepth = maximumDepth
        }
    }

    let bytes: [UInt8]
    let options: Options
    var index = 0
    private var line = 1
    private var lineStart = 0
    private static let mostLookedThrough = 16

    private init(bytes: [UInt8], options: Options) {
        self.bytes = bytes
        self.options = options
    }

    /// - Throws: `JSONError`
    package static func parse(_ bytes: some Sequence<UInt8>, options: Options = Options()) throws -> JSONNode {
        var parser = JSONParser(bytes: Array(bytes), options: options)
        return try parser.parseDocument()
    }

    /// - Throws: `JSONError`
    package static func parse(_ text: String, options: Options = Options()) throws -> JSONNode {
        try parse(text.utf8, options: options)
    }

    private mutating func parseDocument() throws -> JSONNode {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            index = 3
            lineStart = 3
        }
        try skipSpace()
        let node = try parseValue(depth: 1)
        try skipSpace()
        if index < bytes.count { throw error("there is more after the end of the value") }
        return node
    }

    var position: JSONPosition { JSONPosition(line: line, column: index - lineStart + 1) }
    var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

    func error(_ reason: String, at position: JSONPosition? = nil) -> JSONError {
        JSONError(position: position ?? self.position, reason: reason)
    }

    private mutating func parseValue(depth: Int) throws -> JSONNode {
        let start = position
        guard depth <= options.maximumDepth else { throw error("nested deeper than \(options.maximumDepth) levels") }
        guard let byte = peek else { throw error("the text ends where a value is expected") }
        let content: JSONNode.Content
        switch byte {
        case UInt8(ascii: "{"): content = .object(try parseObject(depth: depth))
        case UInt8(ascii: "["): content = .array(try parseArray(depth: depth))
        case UInt8(ascii: "\""): content = .string(try parseString())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): content = try parseNumber()
        default: content = try parseWord()
        }
        return JSONNode(position: start, content: content)
    }

    private mutating func parseObject(depth: Int) throws -> [JSONMember] {
        index += 1
        var members: [JSONMember] = []
        // Only where looking through the members would take longer.
        var keys: Set<String> = []
        try skipSpace()
        if take(UInt8(ascii: "}")) { return [] }
        while true {
            let keyPosition = position
            guard peek == UInt8(ascii: "\"") else {
                let trailing = peek == UInt8(ascii: "}")
                throw error(trailing ? "a comma stands before the closing brace" : "expected a key in double quotes")
            }
            let key = try parseString()
            if members.count == Self.mostLookedThrough { keys = Set(members.map(\.key)) }
            let isNew =
                members.count < Self.mostLookedThrough
                ? !members.contains { $0.key == key } : keys.insert(key).inserted
            guard isNew else { throw error("the key \"\(key)\" stands twice", at: keyPosition) }
            try skipSpace()
            guard take(UInt8(ascii: ":")) else { throw error("expected a colon after the key \"\(key)\"") }
            try skipSpace()
            members.append(
                JSONMember(key: key, keyPosition: keyPosition, value: try parseValue(depth: depth + 1)))
            try skipSpace()
            if take(UInt8(ascii: "}")) { return members }
            guard take(UInt8(ascii: ",")) else { throw error("expected a comma or a closing brace") }
            try skipSpace()
        }
    }

    private mutating func parseArray(depth: Int) throws -> [JSONNode] {
        index += 1
        var elements: [JSONNode] = []
        try skipSpace()
        if take(UInt8(ascii: "]")) { return [] }
        while true {
            if peek == UInt8(ascii: "]") { throw error("a comma stands before the closing bracket") }
            elements.append(try parseValue(depth: depth + 1))
            try skipSpace()
            if take(UInt8(ascii: "]")) { return elements }
            guard take(UInt8(ascii: ",")) else { throw error("expected a comma or a closing bracket") }
            try skipSpace()
        }
    }

    private mutating func parseWord() throws -> JSONNode.Content {
        if take("true") { return .bool(true) }
        if take("false") { return .bool(false) }
        if take("null") { return .null }
        throw error("expected a value")
    }

    private mutating func take(_ word: StaticString) -> Bool {
        let letters = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        guard bytes[index...].starts(with: letters) else { return false }
        index += letters.count
        return true
    }

    mutating func take(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        index += 1
        return true
    }

    private mutating func skipSpace() throws {
        while let byte = peek {
            switch byte {
            case UInt8(ascii: "\n"):
                index += 1
                line += 1
                lineStart = index
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): index += 1
            case UInt8(ascii: "/") where options.allowsComments: try skipComment()
            default: return
            }
        }
    }

    private mutating func skipComment() throws {
        let start = position
        switch index + 1 < bytes.count ? bytes[index + 1] : 0 {
        case UInt8(ascii: "/"):
            while let byte = peek, byte != UInt8(ascii: "\n") { index += 1 }
        case UInt8(ascii: "*"):
            index += 2
            while !bytes[index...].starts(with: [UInt8(ascii: "*"), UInt8(ascii: "/")]) {
                guard let byte = peek else { throw error("this comment never ends", at: start) }
                index += 1
                if byte == UInt8(ascii: "\n") {
                    line += 1
                    lineStart = index
                }
            }
            index += 2
        default: throw error("expected a value; a comment begins with // or /*")
        }
    }
}
