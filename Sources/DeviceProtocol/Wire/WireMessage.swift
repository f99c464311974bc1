// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// What both sides must agree on before they talk.
package enum WireProtocol {
    /// The version this code speaks. It grows when an older peer could misread a message; new fields and methods do not count.
    package static let version = 1
    /// The largest message, in bytes; a longer one ends the connection.
    package static let largestMessage = FrameChannel.maximumPayload
}

/// What every message shows before its payload is looked at.
///
/// Client to service: `{id, method, params}` and `{cancel: id}`. Service to client: `{id, result}`, `{id, error}`,
/// `{stream: id, event}`, `{stream: id, end}` and `{stream: id, error}`. A stream has the id of the request that opened it.
package struct WireHeader: Decodable, Sendable {
    package var id: Int64?
    package var method: String?
    package var stream: Int64?
    package var cancel: Int64?
    package var error: DeviceError?
    package var hasEvent: Bool

    private enum CodingKeys: CodingKey { case id, method, stream, cancel, error, event }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decodeIfPresent(Int64.self, forKey: .id)
        method = try container.decodeIfPresent(String.self, forKey: .method)
        stream = try container.decodeIfPresent(Int64.self, forKey: .stream)
        cancel = try container.decodeIfPresent(Int64.self, forKey: .cancel)
        error = try container.decodeIfPresent(DeviceError.self, forKey: .error)
        hasEvent = container.contains(.event)
    }
}

/// Messages to and from bytes. Every byte that comes in is taken for hostile; nothing here traps.
package enum WireCodec {
    private struct Request<Params: Codable>: Codable {
        var id: Int64
        var method: String
        var params: Params
    }
    private struct Result<Value: Codable>: Codable {
        var id: Int64
        var result: Value
    }
    private struct Event<Value: Codable>: Codable {
        var stream: Int64
        var event: Value
    }
    private struct Failure: Codable {
        var id: Int64?
        var stream: Int64?
        var error: DeviceError
    }
    private struct End: Codable {
        var stream: Int64
        var end: EmptyReply
    }
    private struct Cancel: Codable { var cancel: Int64 }

    /// - Throws: `DeviceError` with code `badMessage`
    package static func header(_ bytes: [UInt8]) throws -> WireHeader { try decode(WireHeader.self, bytes) }

    package static func request(_ id: Int64, _ request: some DeviceMessage) throws -> [UInt8] {
        try encode(Request(id: id, method: type(of: request).method, params: request))
    }
    package static func result(_ id: Int64, _ value: some Codable) throws -> [UInt8] {
        try encode(Result(id: id, result: value))
    }
    package static func event(_ stream: Int64, _ value: some Codable) throws -> [UInt8] {
        try encode(Event(stream: stream, event: value))
    }
    package static func failure(_ id: Int64, _ error: DeviceError) throws -> [UInt8] {
        try encode(Failure(id: id, error: error))
    }
    package static func streamFailure(_ stream: Int64, _ error: DeviceError) throws -> [UInt8] {
        try encode(Failure(stream: stream, error: error))
    }
    package static func end(_ stream: Int64) throws -> [UInt8] {
        try encode(End(stream: stream, end: EmptyReply()))
    }
    package static func cancel(_ id: Int64) throws -> [UInt8] { try encode(Cancel(cancel: id)) }

    package static func parameters<Message: DeviceMessage>(_: Message.Type, _ bytes: [UInt8]) throws -> Message {
        try decode(Request<Message>.self, bytes).params
    }
    package static func result<Value: Codable>(_: Value.Type, _ bytes: [UInt8]) throws -> Value {
        try decode(Result<Value>.self, bytes).result
    }
    package static func event<Value: Codable>(_: Value.Type, _ bytes: [UInt8]) throws -> Value {
        try decode(Event<Value>.self, bytes).event
    }

    private static func encode(_ value: some Encodable) throws -> [UInt8] {
        let bytes = try JSONCoder.encode(value)
        guard bytes.count <= WireProtocol.largestMessage else {
            throw DeviceError(
                .badMessage, "A message of \(bytes.count) bytes is over the limit of \(WireProtocol.largestMessage).")
        }
        return bytes
    }

    private static func decode<Value: Decodable>(_: Value.Type, _ bytes: [UInt8]) throws -> Value {
        do {
            return try JSONCoder.decode(Value.self, from: bytes)
        } catch {
            throw DeviceError(.badMessage, "A message does not fit the protocol: \(describe(error))")
        }
    }

    private static func describe(_ error: any Error) -> String {
        guard let error = error as? DecodingError else { return "\(error)" }
        switch error {
        case .keyNotFound(let key, _): return "\"\(key.stringValue)\" is missing."
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            let path = context.codingPath.map(\.stringValue).joined(separator: ".")
            return path.isEmpty ? context.debugDescription : "\"\(path)\": \(context.debugDescription)"
        @unknown default: return "\(error)"
        }
    }
}
