// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database
internal import HostingModel
internal import Kit

/// The `WHERE` of a query for resources, whose table is called `r`.
struct ResourceConditions {
    private let catalog: ResourceCatalog
    private let schema: ResourceSchema
    private var parts: [String] = []
    private(set) var values: [SQLValue] = []

    init(_ query: ResourceQuery, catalog: ResourceCatalog) {
        self.catalog = catalog
        schema = catalog[query.type]
        if let parent = query.parent {
            add("r.\(SQL.quoted(parent.relationship)) = ?", [.text(parent.id)])
        }
        if let apps = query.apps {
            add(apps.isEmpty ? "1 = 0" : "r.\"app\" IN (\(SQL.places(apps.count)))", apps.sorted().map { .text($0) })
        }
        if query.matchesNothing { add("1 = 0", []) }
        for condition in query.conditions { add(condition) }
    }

    /// Empty, or with `WHERE` in front.
    var clause: String { parts.isEmpty ? "" : " WHERE " + parts.joined(separator: " AND ") }

    private mutating func add(_ part: String, _ values: [SQLValue]) {
        parts.append(part)
        self.values += values
    }

    private mutating func add(_ condition: ResourceQuery.Condition) {
        let path = condition.filter.path
        guard path.count == 2, let relationship = schema.relationship(path[0]) else {
            let (part, values) = Self.comparison(condition, "r", path[0], schema)
            return add(part, values)
        }
        let target = catalog[relationship.target]
        let (part, values) = Self.comparison(condition, "f", path[1], target)
        let link =
            switch relationship.kind {
            case .toOne: "f.\"id\" = r.\(SQL.quoted(relationship.name))"
            case .toMany(let inverse): "f.\(SQL.quoted(inverse)) = r.\"id\""
            case .absent: "1 = 0"
            }
        add("EXISTS (SELECT 1 FROM \(SQL.quoted(target.type.name)) AS f WHERE \(link) AND \(part))", values)
    }

    private static func comparison(
        _ condition: ResourceQuery.Condition, _ table: String, _ name: String, _ schema: ResourceSchema
    ) -> (String, [SQLValue]) {
        let column = "\(table).\(SQL.quoted(name))"
        let kind = schema.attribute(name)?.kind ?? .text
        if case .words = kind {
            let any = Array(repeating: "\(column) LIKE ?", count: condition.values.count).joined(separator: " OR ")
            // Of the words that may be asked for none holds a character that LIKE takes for another.
            return ("(\(any))", condition.values.map { .text("%,\($0),%") })
        }
        let values = condition.values.map { value(of: $0, kind) }
        return switch condition.filter.comparison {
        case .isOneOf: ("\(column) IN (\(SQL.places(values.count)))", values)
        case .isAtLeast: ("\(column) >= ?", Array(values.prefix(1)))
        case .isBelow: ("\(column) < ?", Array(values.prefix(1)))
        }
    }

    private static func value(of text: String, _ kind: ResourceSchema.Attribute.Kind) -> SQLValue {
        switch kind {
        case .integer, .ordinal: .integer(orNull: Int64(text))
        case .boolean: .bool(text == "true")
        default: .text(text)
        }
    }

    /// The columns that a list is sorted by. Last is the order in which the resources were made, in the direction of the column
    /// before, so that there is no other order among them.
    static func sorting(_ orders: [ResourceQuery.Order]) -> [(column: String, isDescending: Bool)] {
        orders.map { ("r.\(SQL.quoted($0.attribute))", $0.isDescending) }
            + [("r.\"sequence\"", orders.last?.isDescending ?? false)]
    }

    /// Only what comes behind the cursor. What lists are sorted by is never missing, so a comparison always holds or not.
    mutating func start(behind cursor: PageCursor?, orders: [ResourceQuery.Order]) {
        guard let cursor else { return }
        let known = zip(orders, cursor.values).map { order, value in
            ResourceColumns.value(value, schema.attribute(order.attribute)?.kind ?? .text)
        }
        let columns = Self.sorting(orders)
        let values = known + [.integer(cursor.sequence)]
        if Set(columns.map(\.isDescending)).count == 1 {
            // One comparison, for which an index helps.
            let names = columns.map(\.column).joined(separator: ", ")
            return add("(\(names)) \(columns[0].isDescending ? "<" : ">") (\(SQL.places(values.count)))", values)
        }
        // Behind in the first column that differs.
        var equal: (parts: [String], values: [SQLValue]) = ([], [])
        var alternatives: [String] = []
        var all: [SQLValue] = []
        for ((column, isDescending), value) in zip(columns, values) {
            alternatives.append((equal.parts + ["\(column) \(isDescending ? "<" : ">") ?"]).joined(separator: " AND "))
            all += equal.values + [value]
            equal.parts.append("\(column) = ?")
            equal.values.append(value)
        }
        add("(\(alternatives.map { "(\($0))" }.joined(separator: " OR ")))", all)
    }
}
