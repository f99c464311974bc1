// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Hands parsed JSON to `Decodable` types. Every misfit is a `DecodingError` with its path.
final class JSONNodeDecoder: Decoder {
    let node: JSONNode
    private let parent: JSONNodeDecoder?
    private let key: (any CodingKey)?

    init(node: JSONNode, parent: JSONNodeDecoder? = nil, key: (any CodingKey)? = nil) {
        self.node = node
        self.parent = parent
        self.key = key
    }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Worked out when somebody asks, for errors do.
    var codingPath: [any CodingKey] { (parent?.codingPath ?? []) + (key.map { [$0] } ?? []) }

    func container<Key: CodingKey>(keyedBy: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let members) = node.content else { throw mismatch([String: JSONValue].self, "an object") }
        return KeyedDecodingContainer(JSONKeyedDecoding<Key>(members, in: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = node.content else { throw mismatch([JSONValue].self, "an array") }
        return JSONUnkeyedDecoding(elements: elements, decoder: self)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    fileprivate func mismatch(_ type: any Any.Type, _ wanted: String) -> DecodingError {
        node.mismatch(type, wanted, at: codingPath)
    }
}

extension JSONNode {
    fileprivate var isNull: Bool { if case .null = content { true } else { false } }

    fileprivate func mismatch(_ type: any Any.Type, _ wanted: String, at path: [any CodingKey]) -> DecodingError {
        let context = DecodingError.Context(
            codingPath: path, debugDescription: "It must be \(wanted) and is \(kind).")
        return isNull ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    private var kind: String {
        switch content {
        case .null: "null"
        case .bool: "a boolean"
        case .integer: "a whole number"
        case .number: "a fraction"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    fileprivate func decode(_ type: Bool.Type, at path: @autoclosure () -> [any CodingKey]) throws -> Bool {
        guard case .bool(let flag) = content else { throw mismatch(type, "a boolean", at: path()) }
        return flag
    }

    fileprivate func decode(_ type: String.Type, at path: @autoclosure () -> [any CodingKey]) throws -> String {
        guard case .string(let text) = content else { throw mismatch(type, "a string", at: path()) }
        return text
    }

    fileprivate func decode(_ type: Double.Type, at path: @autoclosure () -> [any CodingKey]) throws -> Double {
        switch content {
        case .integer(let number): return Double(number)
        case .number(let number): return number
        default: throw mismatch(type, "a number", at: path())
        }
    }

    fileprivate func decode<Number: FixedWidthInteger>(
        _ type: Number.Type, at path: @autoclosure () -> [any CodingKey]
    ) throws -> Number {
        let number: Number? =
            switch content {
            case .integer(let number): Number(exactly: number)
            case .number(let number): Number(exactly: number)
            default: nil
            }
        guard let number else { throw mismatch(type, "a whole number of \(Number.bitWidth) bits", at: path()) }
        return number
    }
}

extension JSONNodeDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { node.isNull }
    func decode(_ type: Bool.Type) throws -> Bool { try node.decode(type, at: codingPath) }
    func decode(_ type: String.Type) throws -> String { try node.decode(type, at: codingPath) }
    func decode(_ type: Double.Type) throws -> Double { try node.decode(type, at: codingPath) }
    func decode(_ type: Float.Type) throws -> Float { Float(try node.decode(Double.self, at: codingPath)) }
    func decode(_ type: Int.Type) throws -> Int { try node.decode(type, at: codingPath) }
    func decode(_ type: Int8.Type) throws -> Int8 { try node.decode(type, at: codingPath) }
    func decode(_ type: Int16.Type) throws -> Int16 { try node.decode(type, at: codingPath) }
    func decode(_ type: Int32.Type) throws -> Int32 { try node.decode(type, at: codingPath) }
    func decode(_ type: Int64.Type) throws -> Int64 { try node.decode(type, at: codingPath) }
    func decode(_ type: UInt.Type) throws -> UInt { try node.decode(type, at: codingPath) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try node.decode(type, at: codingPath) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try node.decode(type, at: codingPath) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try node.decode(type, at: codingPath) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try node.decode(type, at: codingPath) }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if Value.self == JSONValue.self, let value = node.value as? Value { return value }
        return try Value(from: self)
    }
}

private struct JSONKeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let members: [JSONMember]
    /// Where each key stands, when there are too many to look through.
    private let places: [String: Int]?
    private let decoder: JSONNodeDecoder
    private static var mostLookedThrough: Int { 16 }

    init(_ members: [JSONMember], in decoder: JSONNodeDecoder) {
        self.members = members
        self.decoder = decoder
        places =
            members.count > Self.mostLookedThrough
            ? Dictionary(members.enumerated().map { ($1.key, $0) }) { first, _ in first } : nil
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var allKeys: [Key] { members.map(\.key).sorted().compactMap { Key(stringValue: $0) } }
    func contains(_ key: Key) -> Bool { find(key.stringValue) != nil }
    func decodeNil(forKey key: Key) throws -> Bool { try node(key).isNull }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try node(key).decode(type, at: path(key)) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try node(key).decode(type, at: path(key)) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try node(key).decode(type, at: path(key)) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try node(key).decode(type, at: path(key)) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try node(key).decode(type, at: path(key)) }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try place(key).decode(type) }

    private func path(_ key: Key) -> [any CodingKey] { decoder.codingPath + [key] }

    private func find(_ key: String) -> JSONNode? {
        guard let places else { return members.first { $0.key == key }?.value }
        return places[key].map { members[$0].value }
    }

    private func node(_ key: Key) throws -> JSONNode {
        if let node = find(key.stringValue) { return node }
        throw DecodingError.keyNotFound(
            key, .init(codingPath: decoder.codingPath, debugDescription: "\"\(key.stringValue)\" is missing."))
    }

    private func place(_ key: Key) throws -> JSONNodeDecoder {
        JSONNodeDecoder(node: try node(key), parent: decoder, key: key)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { try place(key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try place(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        let nothing = JSONNode(position: decoder.node.position, content: .null)
        return JSONNodeDecoder(node: find("super") ?? nothing, parent: decoder)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder { try place(key) }
}

private struct JSONUnkeyedDecoding: UnkeyedDecodingContainer {
    let elements: [JSONNode]
    let decoder: JSONNodeDecoder
    var currentIndex = 0

    init(elements: [JSONNode], decoder: JSONNodeDecoder) {
        self.elements = elements
        self.decoder = decoder
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    /// The place moves on only when what is there was taken.
    private mutating func next<Value>(_ body: (JSONNodeDecoder) throws -> Value) throws -> Value {
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                Value.self, .init(codingPath: codingPath, debugDescription: "The array has no more elements."))
        }
        let value = try body(JSONNodeDecoder(node: elements[currentIndex], parent: decoder))
        currentIndex += 1
        return value
    }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, elements[currentIndex].isNull else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try next { try $0.decode(type) } }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested>
    {
        try next { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next { try $0.unkeyedContainer() }
    }
    mutating func superDecoder() throws -> any Decoder { try next { $0 } }
}
