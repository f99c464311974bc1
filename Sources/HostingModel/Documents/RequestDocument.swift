// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit

/// The body of a request that makes or changes a resource, checked as far as its shape goes.
package struct RequestDocument: Sendable {
    private let attributes: [String: JSONValue]
    private let relationships: [String: JSONValue]

    /// - Parameters:
    ///   - type: what `data.type` must say.
    ///   - id: what `data.id` must say; nil for a resource that is to be made.
    ///   - attributes: the names that may stand there.
    ///   - relationships: likewise.
    /// - Throws: `APIError`
    package init(
        _ bytes: [UInt8], type: ResourceType, id: String? = nil, attributes: Set<String> = [],
        relationships: Set<String> = []
    ) throws(APIError) {
        let document: JSONValue
        do {
            document = try JSONParser.parse(bytes, options: .init(maximumDepth: 16)).value
        } catch {
            throw .malformed("The body is no JSON: \(error)")
        }
        guard let data = document["data"], case .object(let members) = data else {
            throw .malformed("The body needs an object 'data'.")
        }
        guard data["type"]?.stringValue == type.name else {
            throw APIError(
                409, "ENTITY_ERROR.INVALID_TYPE", "The type is wrong.", "'data.type' must be '\(type)'.",
                source: .pointer("/data/type"))
        }
        if let id, data["id"]?.stringValue != id {
            throw APIError(
                409, "ENTITY_ERROR.INVALID_ID", "The id is wrong.", "'data.id' must be the id in the path.",
                source: .pointer("/data/id"))
        }
        self.attributes = try Self.object(members["attributes"], "attributes")
        self.relationships = try Self.object(members["relationships"], "relationships")
        for name in self.attributes.keys.sorted() where !attributes.contains(name) {
            throw .attribute("UNKNOWN", name, "'\(name.prefix(64))' is no attribute that can be set here.")
        }
        for name in self.relationships.keys.sorted() where !relationships.contains(name) {
            throw .relationship("UNKNOWN", name, "'\(name.prefix(64))' is no relationship that can be set here.")
        }
    }

    /// The identifier in the body of a request that changes a to-one relationship; nil when it is to name nothing.
    /// - Throws: `APIError`
    package static func linkage(_ bytes: [UInt8], to type: ResourceType) throws(APIError) -> String? {
        guard let document = try? JSONParser.parse(bytes, options: .init(maximumDepth: 16)).value,
            let data = document["data"]
        else { throw .malformed("The body must be JSON with 'data'.") }
        if data == .null { return nil }
        guard data["type"]?.stringValue == type.name, let id = data["id"]?.stringValue, id.isStorable else {
            throw APIError(
                409, "ENTITY_ERROR.INVALID_TYPE", "The type is wrong.",
                "'data' must name a resource of type '\(type)'.", source: .pointer("/data/type"))
        }
        return id
    }

    private static func object(_ value: JSONValue?, _ name: String) throws(APIError) -> [String: JSONValue] {
        guard let value, value != .null else { return [:] }
        guard case .object(let members) = value else { throw .malformed("'data.\(name)' must be an object.") }
        return members
    }

    // MARK: Attributes

    /// The attribute's value; nil when it is missing or null.
    package func value(_ name: String) -> JSONValue? {
        guard let value = attributes[name], value != .null else { return nil }
        return value
    }

    /// Whether the attribute is there as null: it is to be taken away.
    package func clears(_ name: String) -> Bool { attributes[name] == .null }

    /// - Throws: `APIError`
    package func text(_ name: String, maximumLength: Int = 1024) throws(APIError) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value.stringValue else { throw .attribute("TYPE", name, "'\(name)' must be a string.") }
        guard !text.isEmpty, text.utf8.count <= maximumLength, !text.unicodeScalars.contains(where: { $0.value < 0x20 })
        else {
            throw .attribute(
                "INVALID", name,
                "'\(name)' must have 1 to \(maximumLength) bytes, and no control characters among them.")
        }
        return text
    }

    /// - Throws: `APIError`
    package func flag(_ name: String) throws(APIError) -> Bool? {
        guard let value = value(name) else { return nil }
        guard let flag = value.boolValue else { throw .attribute("TYPE", name, "'\(name)' must be true or false.") }
        return flag
    }

    /// - Throws: `APIError`
    package func integer(_ name: String, in range: ClosedRange<Int64>) throws(APIError) -> Int64? {
        guard let value = value(name) else { return nil }
        guard let number = value.integerValue else {
            throw .attribute("TYPE", name, "'\(name)' must be a whole number.")
        }
        guard range.contains(number) else {
            throw .attribute(
                "INVALID", name, "'\(name)' must be from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }

    /// One of some words.
    /// - Throws: `APIError`
    package func choice(_ name: String, of choices: [String]) throws(APIError) -> String? {
        guard let text = try text(name) else { return nil }
        guard choices.contains(text) else {
            throw .attribute("INVALID", name, "'\(name)' must be one of \(choices.joined(separator: ", ")).")
        }
        return text
    }

    /// The value of an attribute that must be there.
    /// - Throws: `APIError`
    package func required<Value>(_ name: String, _ value: Value?) throws(APIError) -> Value {
        guard let value else { throw .attribute("REQUIRED", name, "'\(name)' is missing.") }
        return value
    }

    // MARK: Relationships

    /// The identifier that a to-one relationship names; nil when it is missing.
    /// - Throws: `APIError`
    package func link(_ name: String, to type: ResourceType) throws(APIError) -> String? {
        guard let value = relationships[name], value != .null else { return nil }
        guard let data = value["data"], data["type"]?.stringValue == type.name, let id = data["id"]?.stringValue,
            id.isStorable
        else {
            throw .relationship("INVALID", name, "'\(name)' must name a resource of type '\(type)'.")
        }
        return id
    }

    /// - Throws: `APIError`
    package func requiredLink(_ name: String, to type: ResourceType) throws(APIError) -> String {
        guard let id = try link(name, to: type) else {
            throw .relationship("REQUIRED", name, "The relationship '\(name)' is missing.")
        }
        return id
    }
}
