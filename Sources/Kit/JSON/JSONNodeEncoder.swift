// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Something in the JSON under construction. Scalars need no place of their own.
enum JSONEncodedPart {
    case value(JSONValue)
    case node(JSONEncodingNode)

    var value: JSONValue {
        switch self {
        case .value(let value): value
        case .node(let node): node.value
        }
    }

    func write(into writer: inout JSONWriter) {
        switch self {
        case .value(let value): value.write(into: &writer)
        case .node(let node): node.write(into: &writer)
        }
    }
}

struct JSONEncodedMember {
    let key: String
    let part: JSONEncodedPart
}

/// A place in the JSON under construction; its containers fill it in.
final class JSONEncodingNode {
    private enum Content {
        /// Also when nothing was encoded here.
        case object
        case array
        case scalar(JSONValue)
    }

    private var content = Content.object
    private var members: [JSONEncodedMember] = []
    private var elements: [JSONEncodedPart] = []
    /// Which holds this one.
    private weak var parent: JSONEncodingNode?
    private let key: (any CodingKey)?

    init(parent: JSONEncodingNode? = nil, key: (any CodingKey)? = nil) {
        self.parent = parent
        self.key = key
    }

    /// What was encoded here.
    var value: JSONValue {
        switch content {
        case .scalar(let value): value
        case .object: .object(Dictionary(members.map { ($0.key, $0.part.value) }) { $1 })
        case .array: .array(elements.map(\.value))
        }
    }

    /// Where this is; worked out when somebody asks, for errors do.
    var path: [any CodingKey] { (parent?.path ?? []) + (key.map { [$0] } ?? []) }

    var count: Int { elements.count }

    func set(_ value: JSONValue) { content = .scalar(value) }
    func beginObject() { content = .object }
    func beginArray() { content = .array }

    func add(_ value: JSONValue, _ key: String) { members.append(JSONEncodedMember(key: key, part: .value(value))) }
    func add(_ value: JSONValue) { elements.append(.value(value)) }

    func member(_ key: any CodingKey) -> JSONEncodingNode {
        let node = JSONEncodingNode(parent: self, key: key)
        members.append(JSONEncodedMember(key: key.stringValue, part: .node(node)))
        return node
    }

    func element() -> JSONEncodingNode {
        let node = JSONEncodingNode(parent: self)
        elements.append(.node(node))
        return node
    }

    func write(into writer: inout JSONWriter) {
        switch content {
        case .scalar(let value): value.write(into: &writer)
        case .array:
            writer.write("[")
            for (index, element) in elements.enumerated() {
                if index > 0 { writer.write(",") }
                element.write(into: &writer)
            }
            writer.write("]")
        case .object:
            writer.write("{")
            for (index, member) in JSONWriter.inOrder(members).enumerated() {
                if index > 0 { writer.write(",") }
                writer.write(string: member.key)
                writer.write(":")
                member.part.write(into: &writer)
            }
            writer.write("}")
        }
    }
}

struct JSONNodeEncoder: Encoder {
    let node: JSONEncodingNode
    var codingPath: [any CodingKey] { node.path }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.beginObject()
        return KeyedEncodingContainer(JSONKeyedEncoding<Key>(node: node))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.beginArray()
        return JSONUnkeyedEncoding(node: node)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { JSONSingleEncoding(node: node) }
}

extension JSONValue {
    /// - Throws: `EncodingError` for what JSON cannot hold.
    fileprivate init(_ value: some BinaryFloatingPoint, at path: @autoclosure () -> [any CodingKey]) throws {
        guard value.isFinite else {
            throw EncodingError.invalidValue(
                value, .init(codingPath: path(), debugDescription: "JSON has no \(value)."))
        }
        self = .number(Double(value))
    }

    /// - Throws: `EncodingError` for what JSON cannot hold.
    fileprivate init(_ value: some FixedWidthInteger, at path: @autoclosure () -> [any CodingKey]) throws {
        guard let number = Int64(exactly: value) else {
            throw EncodingError.invalidValue(
                value, .init(codingPath: path(), debugDescription: "\(value) has more than 63 bits and a sign."))
        }
        self = .integer(number)
    }
}

private struct JSONKeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: JSONEncodingNode
    var codingPath: [any CodingKey] { node.path }

    func encodeNil(forKey key: Key) { node.add(.null, key.stringValue) }
    func encode(_ value: Bool, forKey key: Key) { node.add(.bool(value), key.stringValue) }
    func encode(_ value: String, forKey key: Key) { node.add(.string(value), key.stringValue) }
    func encode(_ value: Double, forKey key: Key) throws { try number(value, key) }
    func encode(_ value: Float, forKey key: Key) throws { try number(value, key) }
    func encode(_ value: Int, forKey key: Key) throws { try integer(value, key) }
    func encode(_ value: Int8, forKey key: Key) throws { try integer(value, key) }
    func encode(_ value: Int16, forKey key: Key) throws { try integer(value, key) }
    func encode(_ value: Int32, forKey key: Key) throws { try integer(value, key) }
    func encode(_ value: Int64, forKey key: Key) throws { try integer(value, key) }
    func encode(_ value: UInt, forKey key: Key) throws { try integer(value, key) }
    func encode(_ value: UInt8, forKey key: Key) throws { try integer(value, key) }
    func encode(_ value: UInt16, forKey key: Key) throws { try integer(value, key) }
    func encode(_ value: UInt32, forKey key: Key) throws { try integer(value, key) }
    func encode(_ value: UInt64, forKey key: Key) throws { try integer(value, key) }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        if Value.self == JSONValue.self, let value = value as? JSONValue { return node.add(value, key.stringValue) }
        try value.encode(to: JSONNodeEncoder(node: node.member(key)))
    }

    private func number(_ value: some BinaryFloatingPoint, _ key: Key) throws {
        node.add(try JSONValue(value, at: node.path + [key]), key.stringValue)
    }

    private func integer(_ value: some FixedWidthInteger, _ key: Key) throws {
        node.add(try JSONValue(value, at: node.path + [key]), key.stringValue)
    }

    func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
        JSONNodeEncoder(node: node.member(key)).container(keyedBy: keyedBy)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        JSONNodeEncoder(node: node.member(key)).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { JSONNodeEncoder(node: node.member(JSONSuperKey())) }
    func superEncoder(forKey key: Key) -> any Encoder { JSONNodeEncoder(node: node.member(key)) }
}

private struct JSONSuperKey: CodingKey {
    var stringValue: String { "super" }
    var intValue: Int? { nil }
    init() {}
    init?(stringValue: String) { nil }
    init?(intValue: Int) { nil }
}

private struct JSONUnkeyedEncoding: UnkeyedEncodingContainer {
    let node: JSONEncodingNode
    var codingPath: [any CodingKey] { node.path }
    var count: Int { node.count }

    func encodeNil() { node.add(.null) }
    func encode(_ value: Bool) { node.add(.bool(value)) }
    func encode(_ value: String) { node.add(.string(value)) }

    func encode<Value: Encodable>(_ value: Value) throws {
        if Value.self == JSONValue.self, let value = value as? JSONValue { return node.add(value) }
        try value.encode(to: JSONNodeEncoder(node: node.element()))
    }

    func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type) -> KeyedEncodingContainer<Nested> {
        JSONNodeEncoder(node: node.element()).container(keyedBy: keyedBy)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        JSONNodeEncoder(node: node.element()).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { JSONNodeEncoder(node: node.element()) }
}

private struct JSONSingleEncoding: SingleValueEncodingContainer {
    let node: JSONEncodingNode
    var codingPath: [any CodingKey] { node.path }

    func encodeNil() { node.set(.null) }
    func encode(_ value: Bool) { node.set(.bool(value)) }
    func encode(_ value: String) { node.set(.string(value)) }
    func encode(_ value: Double) throws { node.set(try JSONValue(value, at: node.path)) }
    func encode(_ value: Float) throws { node.set(try JSONValue(value, at: node.path)) }
    func encode(_ value: Int) throws { node.set(try JSONValue(value, at: node.path)) }
    func encode(_ value: Int8) throws { node.set(try JSONValue(value, at: node.path)) }
    func encode(_ value: Int16) throws { node.set(try JSONValue(value, at: node.path)) }
    func encode(_ value: Int32) throws { node.set(try JSONValue(value, at: node.path)) }
    func encode(_ value: Int64) throws { node.set(try JSONValue(value, at: node.path)) }
    func encode(_ value: UInt) throws { node.set(try JSONValue(value, at: node.path)) }
    func encode(_ value: UInt8) throws { node.set(try JSONValue(value, at: node.path)) }
    func encode(_ value: UInt16) throws { node.set(try JSONValue(value, at: node.path)) }
    func encode(_ value: UInt32) throws { node.set(try JSONValue(value, at: node.path)) }
    func encode(_ value: UInt64) throws { node.set(try JSONValue(value, at: node.path)) }

    func encode<Value: Encodable>(_ value: Value) throws {
        if Value.self == JSONValue.self, let value = value as? JSONValue { return node.set(value) }
        try value.encode(to: JSONNodeEncoder(node: node))
    }
}
