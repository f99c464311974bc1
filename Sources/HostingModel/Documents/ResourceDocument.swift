// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit

/// Shows records as JSON:API documents, the way App Store Connect does.
package struct ResourceDocument: Sendable {
    private let catalog: ResourceCatalog
    /// The address of the interface without a slash at its end: `https://host`.
    private let base: String
    private let fields: [String: Set<String>]

    /// - Parameter fields: for each type the names to show; types that are missing are shown whole.
    package init(catalog: ResourceCatalog, base: String, fields: [String: Set<String>] = [:]) {
        self.catalog = catalog
        self.base = base
        self.fields = fields
    }

    /// The resources that a to-many relationship of a record names, when they are to be listed with it.
    package struct Linkage: Hashable, Sendable {
        package let identifiers: [String]
        package let total: Int
        package let limit: Int

        package init(identifiers: [String], total: Int, limit: Int) {
            self.identifiers = identifiers
            self.total = total
            self.limit = limit
        }
    }

    /// One resource object.
    /// - Parameter linkages: by the name of the to-many relationship.
    package func resource(_ record: ResourceRecord, linkages: [String: Linkage] = [:]) -> JSONValue {
        let schema = catalog[record.type]
        let shown = fields[record.type.name]
        func isShown(_ name: String) -> Bool { shown?.contains(name) ?? true }

        var attributes: [String: JSONValue] = [:]
        for attribute in schema.attributes where !attribute.isHidden && isShown(attribute.name) {
            guard let value = record[attribute.name] else { continue }
            attributes[attribute.name] = attribute.kind == .ordinal ? Self.digits(value) : value
        }
        let own = path(record.type, record.id)
        var relationships: [String: JSONValue] = [:]
        for relationship in schema.relationships where !relationship.isHidden && isShown(relationship.name) {
            switch relationship.kind {
            case .toOne:
                relationships[relationship.name] = toOne(relationship, own, record.text(relationship.name))
            case .toMany:
                relationships[relationship.name] = toMany(relationship, own, linkages[relationship.name])
            case .absent: relationships[relationship.name] = ["links": [:]]
            }
        }
        var members: [String: JSONValue] = [
            "type": .string(record.type.name), "id": .string(record.id), "links": ["self": .string(own)],
        ]
        if !attributes.isEmpty { members["attributes"] = .object(attributes) }
        if !relationships.isEmpty { members["relationships"] = .object(relationships) }
        return .object(members)
    }

    private static func links(_ relationship: ResourceSchema.Relationship, _ own: String) -> JSONValue {
        [
            "self": .string("\(own)/relationships/\(relationship.name)"),
            "related": .string("\(own)/\(relationship.name)"),
        ]
    }

    /// nil when there is nothing to show.
    private func toOne(_ relationship: ResourceSchema.Relationship, _ own: String, _ id: String?) -> JSONValue? {
        var members: [String: JSONValue] = [:]
        members["data"] = id.map { Self.identifier(relationship.target, $0) }
        switch relationship.links {
        case .none: break
        case .empty where id == nil: break
        case .empty: members["links"] = [:]
        case .full: members["links"] = Self.links(relationship, own)
        }
        return members.isEmpty ? nil : .object(members)
    }

    private func toMany(_ relationship: ResourceSchema.Relationship, _ own: String, _ linkage: Linkage?) -> JSONValue {
        var members: [String: JSONValue] = ["links": Self.links(relationship, own)]
        if let linkage {
            members["data"] = .array(linkage.identifiers.map { Self.identifier(relationship.target, $0) })
            members["meta"] = Self.paging(total: linkage.total, limit: linkage.limit, next: nil)
        }
        return .object(members)
    }

    /// The document of one resource.
    package func single(_ data: JSONValue, included: [JSONValue] = [], path: String) -> JSONValue {
        var members: [String: JSONValue] = ["data": data, "links": ["self": .string(base + path)]]
        if !included.isEmpty { members["included"] = .array(included) }
        return .object(members)
    }

    /// The document of a page of resources.
    /// - Parameters:
    ///   - path: the request's path with its query, as `links.self` is to say.
    ///   - next: the cursor of the next page, and the path that leads there.
    package func page(
        _ data: [JSONValue], included: [JSONValue] = [], path: String, first: String, total: Int, limit: Int,
        next: (cursor: String, path: String)?
    ) -> JSONValue {
        var links: [String: JSONValue] = ["self": .string(base + path)]
        if let next {
            links["next"] = .string(base + next.path)
            links["first"] = .string(base + first)
        }
        var members: [String: JSONValue] = [
            "data": .array(data), "links": .object(links),
            "meta": Self.paging(total: total, limit: limit, next: next?.cursor),
        ]
        if !included.isEmpty { members["included"] = .array(included) }
        return .object(members)
    }

    /// A resource's type and identifier, as relationships name it.
    package static func identifier(_ type: ResourceType, _ id: String) -> JSONValue {
        ["type": .string(type.name), "id": .string(id)]
    }

    private static func paging(total: Int, limit: Int, next: String?) -> JSONValue {
        var paging: [String: JSONValue] = ["total": .integer(Int64(total)), "limit": .integer(Int64(limit))]
        paging["nextCursor"] = next.map { .string($0) }
        return ["paging": .object(paging)]
    }

    private static func digits(_ value: JSONValue) -> JSONValue {
        if case .integer(let number) = value { .string("\(number)") } else { value }
    }

    private func path(_ type: ResourceType, _ id: String) -> String { "\(base)/v1/\(type.name)/\(id)" }
}
