// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import CSQLite

extension SQLValue {
    /// Copies the value into the statement; SQLite's result code.
    func bind(to statement: OpaquePointer, at place: CInt) -> CInt {
        // SQLITE_TRANSIENT, a cast that the C header spells as a macro: SQLite copies the bytes before the call returns.
        let copy = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch self {
        case .null: return sqlite3_bind_null(statement, place)
        case .integer(let value): return sqlite3_bind_int64(statement, place, value)
        case .real(let value): return sqlite3_bind_double(statement, place, value)
        case .text(let value):
            var value = value
            return value.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) {
                    guard let start = $0.baseAddress else { return sqlite3_bind_text(statement, place, "", 0, copy) }
                    return sqlite3_bind_text64(
                        statement, place, start, UInt64($0.count), copy, UInt8(SQLITE_UTF8))
                }
            }
        case .blob(let bytes):
            return bytes.withUnsafeBytes {
                guard !$0.isEmpty else { return sqlite3_bind_zeroblob(statement, place, 0) }
                return sqlite3_bind_blob64(statement, place, $0.baseAddress, UInt64($0.count), copy)
            }
        }
    }
}
