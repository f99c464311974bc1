// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// Reads the arguments of a request for resources.
package struct QueryParser: Sendable {
    /// What a request is for, and so which arguments it may have.
    package enum Form: Sendable {
        case one
        case list
        /// Identifiers only.
        case linkages
    }

    /// What was asked for.
    package struct Parsed: Sendable {
        package var query: ResourceQuery
        /// Relationships whose resources are to come along.
        package var includes: [ResourceSchema.Relationship] = []
        /// By type; types that are missing are shown whole.
        package var fields: [String: Set<String>] = [:]
        /// How many resources of a to-many relationship come along, by its name.
        package var includedLimits: [String: Int] = [:]

        package init(query: ResourceQuery) { self.query = query }
    }

    package static let maximumLimit = 200
    package static let defaultLimit = 50
    package static let maximumIncludedLimit = 50
    package static let defaultIncludedLimit = 10
    private static let maximumValues = 200

    private let schema: ResourceSchema
    private let catalog: ResourceCatalog
    private let form: Form
    /// Filters that must be there.
    private let required: [String]

    package init(_ type: ResourceType, _ form: Form, catalog: ResourceCatalog, required: [String] = []) {
        schema = catalog[type]
        self.catalog = catalog
        self.form = form
        self.required = required
    }

    /// - Throws: `APIError` that names the argument.
    package func parse(_ arguments: [(name: String, value: String)]) throws(APIError) -> Parsed {
        var parsed = Parsed(query: ResourceQuery(schema.type, limit: Self.defaultLimit))
        var seen: Set<String> = []
        for (name, value) in arguments {
            guard seen.insert(name).inserted else {
                throw .parameter("INVALID", name, "A parameter is given twice.", "'\(name)' may be given once.")
            }
            guard value.isStorable else {
                throw invalid(name, "'\(name.prefix(64))' has a character that nothing has.")
            }
            try take(name, value, &parsed)
        }
        for name in required where !seen.contains("filter[\(name)]") {
            throw .parameter(
                "REQUIRED", "filter[\(name)]", "A required parameter is missing.",
                "'filter[\(name)]' must be given.")
        }
        if let cursor = parsed.query.cursor, cursor.values.count != parsed.query.orders.count {
            throw invalid("cursor", "The cursor is of a list in another order.")
        }
        if form == .linkages { parsed.query.limit = max(1, parsed.query.limit) }
        return parsed
    }

    private func take(_ name: String, _ value: String, _ parsed: inout Parsed) throws(APIError) {
        switch (form, name) {
        case (.list, "limit"), (.linkages, "limit"):
            parsed.query.limit = try number(name, value, Self.maximumLimit)
        case (.list, "cursor"), (.linkages, "cursor"):
            guard let cursor = PageCursor(text: value) else {
                throw invalid(name, "The cursor is none that was given out here.")
            }
            parsed.query.cursor = cursor
        case (.list, "sort") where !schema.sorts.isEmpty: parsed.query.orders = try orders(value)
        case (.list, "include"), (.one, "include"): parsed.includes = try includes(value)
        default:
            guard form != .linkages, let (family, key) = Self.bracketed(name) else { throw Self.illegal(name) }
            switch family {
            case "fields": parsed.fields[key] = try fields(name, key, value)
            case "filter" where form == .list:
                let condition = try condition(name, key, value)
                if schema.filters.contains(where: { $0.name == key }) {
                    parsed.query.conditions.append(condition)
                } else {
                    parsed.query.matchesNothing = true
                }
            case "exists" where form == .list:
                guard let isThere = schema.presences[key] else { throw Self.illegal(name) }
                guard let isWanted = ["true": true, "false": false][value] else {
                    throw invalid(name, "'\(name)' must be true or false.")
                }
                if isWanted != isThere { parsed.query.matchesNothing = true }
            case "limit":
                let isKnown = schema.relationship(key).map { $0.isToMany && $0.isIncludable } ?? false
                guard isKnown || schema.absentIncludes.contains(key) else { throw Self.illegal(name) }
                parsed.includedLimits[key] = try number(name, value, Self.maximumIncludedLimit)
            default: throw Self.illegal(name)
            }
        }
    }

    // MARK: The kinds of argument

    private func orders(_ value: String) throws(APIError) -> [ResourceQuery.Order] {
        var orders: [ResourceQuery.Order] = []
        for word in Self.list(value) {
            let isDescending = word.hasPrefix("-")
            let name = isDescending ? String(word.dropFirst()) : word
            let attribute = schema.sortKeys[name] ?? name
            guard schema.sorts.contains(name) else {
                throw invalid(
                    "sort",
                    "Lists can be sorted by \(schema.sorts.joined(separator: ", ")), with commas between, and with - in "
                        + "front for the other way.")
            }
            // What is sorted by already changes nothing.
            if orders.contains(where: { $0.attribute == attribute }) { continue }
            orders.append(ResourceQuery.Order(attribute, isDescending: isDescending))
        }
        guard !orders.isEmpty else { throw invalid("sort", "'sort' names nothing to sort by.") }
        return orders
    }

    private func includes(_ value: String) throws(APIError) -> [ResourceSchema.Relationship] {
        var found: [ResourceSchema.Relationship] = []
        for name in Self.list(value) where !found.contains(where: { $0.name == name }) {
            if schema.absentIncludes.contains(name) { continue }
            guard let relationship = schema.relationship(name), relationship.isIncludable else {
                let names = schema.relationships.filter(\.isIncludable).map(\.name) + schema.absentIncludes.sorted()
                throw invalid("include", "'\(name.prefix(64))' is none of \(names.joined(separator: ", ")).")
            }
            found.append(relationship)
        }
        return found
    }

    private func fields(_ name: String, _ type: String, _ value: String) throws(APIError) -> Set<String> {
        let names = Set(Self.list(value))
        // Types that this host does not have never come, so their fields do not matter.
        guard let schema = catalog.schema(named: type) else { return names }
        let known = schema.fieldNames
        if let wrong = names.sorted().first(where: { !known.contains($0) }) {
            throw invalid(name, "'\(wrong.prefix(64))' is no field of '\(type)'.")
        }
        return names
    }

    private func condition(
        _ name: String, _ key: String, _ value: String
    ) throws(APIError) -> ResourceQuery.Condition {
        let filters = schema.filters + schema.absentFilters
        guard let filter = filters.first(where: { $0.name == key }) else { throw Self.illegal(name) }
        if filter.comparison != .isOneOf {
            // All dates are stored in one form, so that their texts compare as they do.
            guard let date = Timestamp(rfc3339: value) else {
                throw invalid(name, "'\(name)' must be a date and time.")
            }
            return ResourceQuery.Condition(filter: filter, values: [date.formatted])
        }
        let values = Self.list(value)
        guard !values.isEmpty, values.count <= Self.maximumValues else {
            throw invalid(name, "Give 1 to \(Self.maximumValues) values, separated by commas.")
        }
        if let choices = filter.choices, let wrong = values.first(where: { !choices.contains($0) }) {
            throw invalid(name, "'\(wrong.prefix(64))' is none of \(choices.joined(separator: ", ")).")
        }
        return ResourceQuery.Condition(filter: filter, values: values)
    }

    private func number(_ name: String, _ value: String, _ maximum: Int) throws(APIError) -> Int {
        guard let number = Int(value), (1...maximum).contains(number) else {
            throw invalid(name, "'\(name)' must be a whole number from 1 to \(maximum).")
        }
        return number
    }

    // MARK: Words

    private static func list(_ value: String) -> [String] {
        value.split(separator: ",", omittingEmptySubsequences: true).map(String.init)
    }

    /// `filter[state]` as `filter` and `state`.
    private static func bracketed(_ name: String) -> (family: String, key: String)? {
        guard let open = name.firstIndex(of: "["), name.last == "]" else { return nil }
        let key = name[name.index(after: open)...].dropLast()
        return key.isEmpty ? nil : (String(name[..<open]), String(key))
    }

    package static func illegal(_ name: String) -> APIError {
        .parameter(
            "ILLEGAL", name, "A parameter has no place in this request.",
            "'\(name.prefix(64))' cannot be used with this request.")
    }

    private func invalid(_ name: String, _ detail: String) -> APIError {
        .parameter("INVALID", name, "A parameter has an invalid value.", detail)
    }
}
