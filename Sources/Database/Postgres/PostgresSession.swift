// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import CPostgresShim
import Glibc
import Kit

/// One connection to a PostgreSQL server, for the thread that it belongs to. Every wait for the server has an end, whether the
/// network or the server says something or not.
final class PostgresSession: Session {
    let raw: OpaquePointer
    let database: PostgresAddress
    /// What was asked before, by its text; with a name for the server when it knows the statement already.
    private var statements: [String: (statement: PostgresStatement, name: String)] = [:]
    /// How many statements the server is to remember; others are sent whole.
    private static let statementLimit = 256

    let limits: PostgresLimits
    /// When an answer is not waited for any longer.
    private(set) var limit: Duration
    private(set) var changes = 0
    /// Whether nothing more can be asked here.
    var isLost = false
    /// Whether the transaction is one that only reads.
    private(set) var isReading = false
    /// What went wrong first since `begin`; a transaction in which something did cannot be kept.
    var failure: DatabaseError?

    /// Connects.
    /// - Throws: `DatabaseError` with the code `cannotOpen`
    init(_ database: PostgresAddress, _ limits: PostgresLimits) throws {
        if let problem = larder_pq_load() {
            throw DatabaseError(
                .cannotOpen,
                "libpq, which speaks with PostgreSQL, cannot be loaded (\(String(cString: problem))). Install the package libpq5, "
                    + "then try again.")
        }
        self.database = database
        self.limits = limits
        limit = limits.statement + limits.grace
        raw = try Self.connect(database, limits)
        try checkServer()
        guard larder_pq_never_block(raw) == 1 else { throw broken() }
        try command(Self.settings(limits))
    }

    deinit { larder_pq_finish(raw) }

    // MARK: Transactions

    func begin(isReadOnly: Bool) throws {
        failure = nil
        isReading = isReadOnly
        try command(
            isReadOnly
                ? "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" : "BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE")
    }

    func commit() throws { try command("COMMIT") }

    /// Undoes what was begun; what cannot be undone so is with the end of the connection.
    func rollBack() {
        guard !isLost else { return }
        do {
            try command("ROLLBACK")
        } catch {
            isLost = true
        }
    }

    /// Statements without values, one or several.
    func command(_ text: String) throws {
        try sent(larder_pq_send_text(raw, text))
        _ = try result(of: text)
    }

    /// Lets statements take as long as they need.
    func allowAnyTime() throws {
        try command("SET statement_timeout = 0; SET lock_timeout = 0")
        limit = .seconds(24 * 3600)
    }

    // MARK: Session

    let clockQuery = "SELECT CAST(floor(extract(epoch FROM clock_timestamp())) AS BIGINT)"

    func run(
        _ sql: String, _ values: [SQLValue], isReadOnly: Bool, _ body: (borrowing Row) throws -> Bool
    ) throws {
        let (statement, name) = try prepared(sql)
        guard statement.places == values.count else {
            throw DatabaseError(
                .failed, "A statement has \(statement.places) places for \(values.count) values: \(sql)")
        }
        let texts = try values.map(text(of:))
        try withCStrings(texts) {
            try sent(larder_pq_send_values(raw, name, statement.text, CInt(values.count), $0))
        }
        let result = try result(of: sql)
        changes = result.changes
        for row in 0..<result.count {
            guard try body(Row(result, row: row)) else { return }
        }
    }

    private func prepared(_ sql: String) throws -> (PostgresStatement, String) {
        if let known = statements[sql] { return known }
        let statement = PostgresStatement(sql)
        guard !statement.isDefinition, statements.count < Self.statementLimit else { return (statement, "") }
        let name = "larder\(statements.count)"
        try sent(larder_pq_send_prepare(raw, name, statement.text, CInt(statement.places)))
        _ = try result(of: sql)
        statements[sql] = (statement, name)
        return (statement, name)
    }

    private func text(of value: SQLValue) throws -> String? {
        switch value {
        case .null: return nil
        case .integer(let number): return String(number)
        case .real(let number): return String(number)
        case .blob(let bytes): return "\\x" + Hexadecimal.encode(bytes)
        case .text(let text):
            guard !text.utf8.contains(0) else {
                throw DatabaseError(.constraint, "The \(database) keeps no text with the character U+0000.")
            }
            return text
        }
    }

    private func withCStrings<Result>(
        _ texts: [String?], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) throws -> Result
    ) throws -> Result {
        let copies = texts.map { $0.flatMap { strdup($0) } }
        defer { for copy in copies { free(copy) } }
        return try copies.map { $0.map { UnsafePointer($0) } }.withUnsafeBufferPointer { try body($0.baseAddress) }
    }
}
