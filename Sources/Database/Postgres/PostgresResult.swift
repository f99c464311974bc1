// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import CPostgresShim
import Kit

/// What a statement gave, whole and in text form.
final class PostgresResult {
    private let raw: OpaquePointer

    /// Takes the result over.
    init(_ raw: OpaquePointer) { self.raw = raw }

    deinit { larder_pq_clear(raw) }

    var isError: Bool { larder_pq_outcome(raw) == larder_pq_error }
    /// The five characters that say what went wrong.
    var state: String { String(cString: larder_pq_state(raw)) }
    var message: String { String(cString: larder_pq_result_message(raw)) }
    var changes: Int { larder_pq_changes(raw) }
    var count: CInt { larder_pq_row_count(raw) }

    func isNull(_ row: CInt, _ column: CInt) -> Bool { larder_pq_is_null(raw, row, column) != 0 }

    func text(_ row: CInt, _ column: CInt) -> String {
        var size = 0
        guard let start = larder_pq_value(raw, row, column, &size) else { return "" }
        return String(decoding: UnsafeRawBufferPointer(start: start, count: size), as: UTF8.self)
    }

    /// A truth is 1 or 0; a fraction is cut off.
    func int64(_ row: CInt, _ column: CInt) -> Int64 {
        let text = text(row, column)
        return Int64(text) ?? Double(text).flatMap { Int64(exactly: $0.rounded(.towardZero)) } ?? (text == "t" ? 1 : 0)
    }

    /// PostgreSQL writes bytes as `\x` and hexadecimal digits.
    func bytes(_ row: CInt, _ column: CInt) -> [UInt8] {
        let text = text(row, column)
        return text.hasPrefix("\\x") ? Hexadecimal.decode(text.dropFirst(2)) ?? [] : Array(text.utf8)
    }
}
