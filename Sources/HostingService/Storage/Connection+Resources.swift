// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database
internal import HostingModel
internal import Kit

/// The repository of all resources: what is stored is what the catalogue describes. The statements are of the kind that
/// every SQL database understands.
extension Connection {
    private var catalog: ResourceCatalog { .standard }

    /// - Throws: `DatabaseError`
    func record(_ type: ResourceType, _ id: String) throws -> ResourceRecord? {
        let columns = ResourceColumns(catalog[type])
        return try first(
            "SELECT \(columns.list) FROM \(columns.table) WHERE \"id\" = ?", [.text(id)], { columns.record($0) })
    }

    /// Those of the identifiers that there are, in no particular order.
    /// - Throws: `DatabaseError`
    func records(_ type: ResourceType, _ ids: some Collection<String>) throws -> [ResourceRecord] {
        guard !ids.isEmpty else { return [] }
        let columns = ResourceColumns(catalog[type])
        return try rows(
            "SELECT \(columns.list) FROM \(columns.table) WHERE \"id\" IN (\(SQL.places(ids.count)))",
            ids.map { .text($0) }, { columns.record($0) })
    }

    /// All whose attributes and to-one relationships have these values, in the order in which they were made.
    /// - Throws: `DatabaseError`
    func records(_ type: ResourceType, where values: KeyValuePairs<String, SQLValue>) throws -> [ResourceRecord] {
        let columns = ResourceColumns(catalog[type])
        let conditions = values.map { "\(SQL.quoted($0.key)) = ?" }.joined(separator: " AND ")
        return try rows(
            "SELECT \(columns.list) FROM \(columns.table)\(values.isEmpty ? "" : " WHERE \(conditions)") ORDER BY \"sequence\"",
            values.map(\.value), { columns.record($0) })
    }

    /// - Throws: `DatabaseError`
    func page(_ query: ResourceQuery) throws -> ResourcePage {
        let columns = ResourceColumns(catalog[query.type])
        var conditions = ResourceConditions(query, catalog: catalog)
        let total =
            try first(
                "SELECT COUNT(*) FROM \(columns.table) AS r\(conditions.clause)", conditions.values, { $0.int64(0) })
            ?? 0
        conditions.start(behind: query.cursor, orders: query.orders)
        let sorting = ResourceConditions.sorting(query.orders).map { $0.column + ($0.isDescending ? " DESC" : "") }
        let found = try rows(
            """
            SELECT \(columns.list(of: "r")), r."sequence" FROM \(columns.table) AS r\(conditions.clause) \
            ORDER BY \(sorting.joined(separator: ", ")) LIMIT \(query.limit + 1)
            """, conditions.values, { (columns.record($0), $0.int64(columns.count)) })
        let records = found.prefix(query.limit)
        var next: PageCursor?
        if found.count > query.limit, let (last, sequence) = records.last {
            next = PageCursor(values: query.orders.map { last[$0.attribute] ?? .null }, sequence: sequence)
        }
        return ResourcePage(records: records.map(\.0), total: Int(clamping: total), next: next)
    }

    /// - Throws: `DatabaseError`; `constraint` when it breaks a rule of its table.
    func insert(_ record: ResourceRecord) throws {
        let columns = ResourceColumns(catalog[record.type])
        try execute(
            "INSERT INTO \(columns.table) (\(columns.list)) VALUES (\(SQL.places(columns.count)))",
            columns.values(record))
    }

    /// Stores a record that was there before.
    /// - Throws: `DatabaseError`
    func update(_ record: ResourceRecord) throws {
        let columns = ResourceColumns(catalog[record.type])
        let assignments = columns.names.map { "\(SQL.quoted($0)) = ?" }.joined(separator: ", ")
        try execute(
            "UPDATE \(columns.table) SET \(assignments) WHERE \"id\" = ?", columns.values(record) + [.text(record.id)])
    }

    /// - Throws: `DatabaseError`
    func delete(_ type: ResourceType, _ id: String) throws {
        try execute("DELETE FROM \(SQL.quoted(type.name)) WHERE \"id\" = ?", [.text(id)])
    }
}

/// Pieces of statements.
enum SQL {
    /// A name as an identifier. Names come from the catalogue, never from a request.
    static func quoted(_ name: String) -> String { "\"\(name)\"" }

    static func places(_ count: Int) -> String { Array(repeating: "?", count: count).joined(separator: ", ") }
}
