// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// `Codable` values to and from JSON. Foundation's coders would bring seven megabytes of Foundation into every program.
package enum JSONCoder {
    /// The value as JSON.
    /// - Throws: `EncodingError` for what JSON cannot hold: NaN, infinities, whole numbers beyond 64 bits with a sign.
    package static func value(of value: some Encodable) throws -> JSONValue {
        try node(of: value).value
    }

    /// The value as compact text with its keys in order: equal values give equal bytes.
    /// - Throws: `EncodingError`
    package static func encode(_ value: some Encodable) throws -> [UInt8] {
        var writer = JSONWriter()
        try node(of: value).write(into: &writer)
        return writer.bytes
    }

    private static func node(of value: some Encodable) throws -> JSONEncodingNode {
        let node = JSONEncodingNode()
        try value.encode(to: JSONNodeEncoder(node: node))
        return node
    }

    /// - Throws: `DecodingError`
    package static func decode<Value: Decodable>(_: Value.Type, from json: JSONValue) throws -> Value {
        try JSONNodeDecoder(node: JSONNode(json)).decode(Value.self)
    }

    /// - Throws: `KitError` when the bytes are no JSON; `DecodingError`
    package static func decode<Value: Decodable>(_: Value.Type, from bytes: some Sequence<UInt8>) throws -> Value {
        try JSONNodeDecoder(node: try JSONParser.parse(bytes)).decode(Value.self)
    }
}
