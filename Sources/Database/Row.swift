// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import CSQLite

/// One row of a result, by column index from 0. It lives no longer than the closure it is given to.
package struct Row: ~Copyable {
    private enum Source {
        /// A statement that stands at the row.
        case sqlite(OpaquePointer)
        case postgres(PostgresResult, row: CInt)
    }

    private let source: Source

    init(_ statement: OpaquePointer) { source = .sqlite(statement) }
    init(_ result: PostgresResult, row: CInt) { source = .postgres(result, row: row) }

    /// 0 for NULL; other kinds are converted as far as they can be.
    package func int64(_ column: Int) -> Int64 {
        switch source {
        case .sqlite(let statement): sqlite3_column_int64(statement, CInt(column))
        case .postgres(let result, let row): result.int64(row, CInt(column))
        }
    }

    package func double(_ column: Int) -> Double {
        switch source {
        case .sqlite(let statement): sqlite3_column_double(statement, CInt(column))
        case .postgres(let result, let row): Double(result.text(row, CInt(column))) ?? 0
        }
    }

    package func bool(_ column: Int) -> Bool { int64(column) != 0 }
    package func int64IfPresent(_ column: Int) -> Int64? { isNull(column) ? nil : int64(column) }
    package func doubleIfPresent(_ column: Int) -> Double? { isNull(column) ? nil : double(column) }

    /// The empty string for NULL; bytes that are not UTF-8 become replacement characters.
    package func text(_ column: Int) -> String {
        switch source {
        case .sqlite(let statement):
            guard let start = sqlite3_column_text(statement, CInt(column)) else { return "" }
            let count = Int(sqlite3_column_bytes(statement, CInt(column)))
            return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
        case .postgres(let result, let row): return result.text(row, CInt(column))
        }
    }

    package func textIfPresent(_ column: Int) -> String? { isNull(column) ? nil : text(column) }

    /// Empty for NULL and for the empty blob.
    package func blob(_ column: Int) -> [UInt8] {
        switch source {
        case .sqlite(let statement):
            guard let start = sqlite3_column_blob(statement, CInt(column)) else { return [] }
            let count = Int(sqlite3_column_bytes(statement, CInt(column)))
            return Array(UnsafeRawBufferPointer(start: start, count: count))
        case .postgres(let result, let row): return result.bytes(row, CInt(column))
        }
    }

    package func isNull(_ column: Int) -> Bool {
        switch source {
        case .sqlite(let statement): sqlite3_column_type(statement, CInt(column)) == SQLITE_NULL
        case .postgres(let result, let row): result.isNull(row, CInt(column))
        }
    }
}
