// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database
internal import HostingModel
internal import Kit

/// The columns of a resource's table, and how they become a record and back.
struct ResourceColumns {
    private struct Column {
        let name: String
        let kind: ResourceSchema.Attribute.Kind
    }

    let table: String
    private let type: ResourceType
    private let columns: [Column]

    init(_ schema: ResourceSchema) {
        type = schema.type
        table = SQL.quoted(schema.type.name)
        var columns: [Column] = []
        for attribute in schema.attributes {
            if case .computed = attribute.kind { continue }
            columns.append(Column(name: attribute.name, kind: attribute.kind))
        }
        // What belongs to an app directly has that relationship in the column that every table has.
        for relationship in schema.relationships where relationship.isToOne && relationship.name != "app" {
            columns.append(Column(name: relationship.name, kind: .text))
        }
        self.columns = columns
    }

    var names: [String] { ["id", "app"] + columns.map(\.name) }
    var count: Int { columns.count + 2 }
    var list: String { names.map(SQL.quoted).joined(separator: ", ") }

    /// With the table's name in the statement in front of each.
    func list(of alias: String) -> String { names.map { "\(alias).\(SQL.quoted($0))" }.joined(separator: ", ") }

    func record(_ row: borrowing Row) -> ResourceRecord {
        var record = ResourceRecord(type, id: row.text(0), app: row.text(1), values: ["app": .string(row.text(1))])
        for (index, column) in columns.enumerated() where !row.isNull(index + 2) {
            record[column.name] = Self.value(row, index + 2, column.kind)
        }
        return record
    }

    func values(_ record: ResourceRecord) -> [SQLValue] {
        [.text(record.id), .text(record.app)] + columns.map { Self.value(record[$0.name], $0.kind) }
    }

    private static func value(_ row: borrowing Row, _ column: Int, _ kind: ResourceSchema.Attribute.Kind) -> JSONValue {
        switch kind {
        case .text, .computed: .string(row.text(column))
        case .integer, .ordinal: .integer(row.int64(column))
        case .boolean: .bool(row.bool(column))
        case .json: (try? JSONParser.parse(row.text(column)).value) ?? .null
        case .words: .array(row.text(column).split(separator: ",").map { .string(String($0)) })
        }
    }

    static func value(_ value: JSONValue?, _ kind: ResourceSchema.Attribute.Kind) -> SQLValue {
        guard let value, value != .null else { return .null }
        return switch kind {
        case .text, .computed: .text(orNull: value.stringValue)
        case .integer, .ordinal: .integer(orNull: value.integerValue)
        case .boolean: .bool(value.boolValue ?? false)
        case .json: .text(value.serialized())
        // With a comma at both ends, so that a word can be found in it.
        case .words: .text("," + (value.arrayValue ?? []).compactMap(\.stringValue).map { $0 + "," }.joined())
        }
    }
}
