// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import CSQLite

/// One row of a result, by column index from 0. It lives no longer than the closure it is given to.
package struct Row: ~Copyable {
    private let statement: OpaquePointer

    init(_ statement: OpaquePointer) { self.statement = statement }

    /// 0 for NULL; SQLite converts other kinds.
    package func int64(_ column: Int) -> Int64 { sqlite3_column_int64(statement, CInt(column)) }
    package func double(_ column: Int) -> Double { sqlite3_column_double(statement, CInt(column)) }
    package func bool(_ column: Int) -> Bool { int64(column) != 0 }
    package func int64IfPresent(_ column: Int) -> Int64? { isNull(column) ? nil : int64(column) }
    package func doubleIfPresent(_ column: Int) -> Double? { isNull(column) ? nil : double(column) }

    /// The empty string for NULL; bytes that are not UTF-8 become replacement characters.
    package func text(_ column: Int) -> String { String(decoding: bytes(column, sqlite3_column_text), as: UTF8.self) }
    package func textIfPresent(_ column: Int) -> String? { isNull(column) ? nil : text(column) }

    /// Empty for NULL and for the empty blob, for which SQLite gives no address.
    package func blob(_ column: Int) -> [UInt8] {
        guard let start = sqlite3_column_blob(statement, CInt(column)) else { return [] }
        let count = Int(sqlite3_column_bytes(statement, CInt(column)))
        return Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    package func isNull(_ column: Int) -> Bool { sqlite3_column_type(statement, CInt(column)) == SQLITE_NULL }

    private func bytes(
        _ column: Int, _ start: (OpaquePointer?, CInt) -> UnsafePointer<UInt8>?
    ) -> UnsafeBufferPointer<UInt8> {
        guard let start = start(statement, CInt(column)) else { return UnsafeBufferPointer(start: nil, count: 0) }
        return UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, CInt(column))))
    }
}
