// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// A place in the JSON under construction; its containers fill it in.
final class JSONEncodingNode {
    private enum Content {
        case value(JSONValue)
        case object([String: JSONEncodingNode])
        case array([JSONEncodingNode])
    }

    private var content: Content?

    /// What was encoded here; an empty object when nothing was.
    var value: JSONValue {
        switch content {
        case .value(let value): value
        case .object(let members): .object(members.mapValues(\.value))
        case .array(let elements): .array(elements.map(\.value))
        case nil: .object([:])
        }
    }

    var count: Int { if case .array(let elements) = content { elements.count } else { 0 } }

    func set(_ value: JSONValue) { content = .value(value) }

    func beginObject() {
        if case .object = content { return }
        content = .object([:])
    }

    func beginArray() {
        if case .array = content { return }
        content = .array([])
    }

    func member(_ key: String) -> JSONEncodingNode {
        let node = JSONEncodingNode()
        var members: [String: JSONEncodingNode] = [:]
        if case .object(let present) = content { members = present }
        content = nil  // So that the dictionary is not copied.
        members[key] = node
        content = .object(members)
        return node
    }

    func element() -> JSONEncodingNode {
        let node = JSONEncodingNode()
        var elements: [JSONEncodingNode] = []
        if case .array(let present) = content { elements = present }
        content = nil
        elements.append(node)
        content = .array(elements)
        return node
    }
}

struct JSONNodeEncoder: Encoder {
    let node: JSONEncodingNode
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.beginObject()
        return KeyedEncodingContainer(JSONKeyedEncoding<Key>(node: node, codingPath: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.beginArray()
        return JSONUnkeyedEncoding(node: node, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        JSONSingleEncoding(node: node, codingPath: codingPath)
    }
}

extension JSONEncodingNode {
    /// Encodes anything here; the scalars of JSON without a detour.
    func encode(_ value: some Encodable, at path: [any CodingKey]) throws {
        switch value {
        case let value as String: set(.string(value))
        case let value as Bool: set(.bool(value))
        case let value as Double: set(try number(value, path))
        case let value as Float: set(try number(Double(value), path))
        case let value as any FixedWidthInteger: set(try integer(value, path))
        case let value as JSONValue: set(value)
        default: try value.encode(to: JSONNodeEncoder(node: self, codingPath: path))
        }
    }

    private func number(_ value: Double, _ path: [any CodingKey]) throws -> JSONValue {
        guard value.isFinite else {
            throw EncodingError.invalidValue(value, .init(codingPath: path, debugDescription: "JSON has no \(value)."))
        }
        return .number(value)
    }

    private func integer(_ value: any FixedWidthInteger, _ path: [any CodingKey]) throws -> JSONValue {
        guard let number = Int64(exactly: value) else {
            throw EncodingError.invalidValue(
                value, .init(codingPath: path, debugDescription: "\(value) has more than 63 bits and a sign."))
        }
        return .integer(number)
    }
}

private struct JSONKeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: JSONEncodingNode
    let codingPath: [any CodingKey]

    func encodeNil(forKey key: Key) { node.member(key.stringValue).set(.null) }

    func encode(_ value: some Encodable, forKey key: Key) throws {
        try node.member(key.stringValue).encode(value, at: codingPath + [key])
    }

    func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
        JSONNodeEncoder(node: node.member(key.stringValue), codingPath: codingPath + [key]).container(keyedBy: keyedBy)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        JSONNodeEncoder(node: node.member(key.stringValue), codingPath: codingPath + [key]).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { JSONNodeEncoder(node: node.member("super"), codingPath: codingPath) }

    func superEncoder(forKey key: Key) -> any Encoder {
        JSONNodeEncoder(node: node.member(key.stringValue), codingPath: codingPath + [key])
    }
}

private struct JSONUnkeyedEncoding: UnkeyedEncodingContainer {
    let node: JSONEncodingNode
    let codingPath: [any CodingKey]
    var count: Int { node.count }

    func encodeNil() { node.element().set(.null) }
    func encode(_ value: some Encodable) throws { try node.element().encode(value, at: codingPath) }

    func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type) -> KeyedEncodingContainer<Nested> {
        JSONNodeEncoder(node: node.element(), codingPath: codingPath).container(keyedBy: keyedBy)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        JSONNodeEncoder(node: node.element(), codingPath: codingPath).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { JSONNodeEncoder(node: node.element(), codingPath: codingPath) }
}

private struct JSONSingleEncoding: SingleValueEncodingContainer {
    let node: JSONEncodingNode
    let codingPath: [any CodingKey]

    func encodeNil() { node.set(.null) }
    func encode(_ value: some Encodable) throws { try node.encode(value, at: codingPath) }
}
