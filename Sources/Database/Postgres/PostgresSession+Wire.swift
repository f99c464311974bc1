// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import CPostgresShim
import Glibc
import Kit

/// Talking with the server.
extension PostgresSession {
    /// What every connection begins with. The times are in milliseconds.
    static func settings(_ limits: PostgresLimits) -> String {
        let time = Int64(limits.statement / .milliseconds(1))
        return "SET statement_timeout = \(time); SET lock_timeout = \(time); "
            + "SET idle_in_transaction_session_timeout = \(2 * time); "
            + "SET standard_conforming_strings = on; SET bytea_output = hex"
    }

    /// A peer that is gone is noticed within half a minute. What the address says comes later in the list, and wins.
    static let options: KeyValuePairs<String, String> = [
        "application_name": "larder-host", "client_encoding": "UTF8", "target_session_attrs": "read-write",
        "keepalives_idle": "10", "keepalives_interval": "5", "keepalives_count": "3", "tcp_user_timeout": "20000",
    ]

    static func connect(_ database: PostgresAddress, _ limits: PostgresLimits) throws -> OpaquePointer {
        let words = options.map(\.key) + ["dbname"]
        let values = options.map(\.value) + [database.url]
        let keys = words.map { strdup($0) }
        let texts = values.map { strdup($0) }
        defer { for copy in keys + texts { free(copy) } }
        let raw = (keys.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer { keys in
            (texts.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer { texts in
                larder_pq_connect(keys.baseAddress, texts.baseAddress)
            }
        }
        guard let raw else { throw DatabaseError.unreachable(database, "there is no memory") }
        let deadline = ContinuousClock.now.advanced(by: limits.connect)
        var event = larder_pq_wait_write
        while true {
            guard larder_pq_socket(raw) >= 0, wait(for: event, larder_pq_socket(raw), until: deadline) else { break }
            event = larder_pq_connect_poll(raw)
            if event == larder_pq_ready { return raw }
            if event == larder_pq_failed { break }
        }
        let isLate = event != larder_pq_failed && larder_pq_socket(raw) >= 0
        let said = isLate ? "it did not answer within \(limits.connect.formatted)" : Self.speakable(said(by: raw))
        larder_pq_finish(raw)
        throw DatabaseError.unreachable(database, said)
    }

    /// libpq quotes an address that it cannot read, with the password in it; what it says of servers is safe.
    private static func speakable(_ said: String) -> String {
        ["connection to server", "could not connect", "could not translate", "session is"].contains(
            where: said.hasPrefix)
            ? said : "its address cannot be read, or libpq cannot use what it says"
    }

    func checkServer() throws {
        guard larder_pq_server_version(raw) >= 130_000 else {
            throw DatabaseError(.cannotOpen, "The \(database) is of a PostgreSQL older than 13. Take a newer one.")
        }
        let encoding = larder_pq_parameter(raw, "server_encoding").map { String(cString: $0) } ?? ""
        guard encoding == "UTF8" else {
            throw DatabaseError(
                .cannotOpen,
                "The \(database) keeps text as \(encoding), and not all names can be written so. Make one with ENCODING 'UTF8'."
            )
        }
    }

    func sent(_ result: CInt) throws { if result != 1 { throw lose() } }

    /// Waits for the whole answer; of several the last one.
    func result(of sql: String) throws -> PostgresResult {
        let deadline = ContinuousClock.now.advanced(by: limit)
        var last: PostgresResult?
        var refused: PostgresResult?
        while true {
            while larder_pq_flush(raw) == larder_pq_wait_write {
                try expect(larder_pq_wait_write, until: deadline)
            }
            while larder_pq_is_busy(raw) == 1 { try expect(larder_pq_wait_read, until: deadline) }
            guard let next = larder_pq_next_result(raw) else { break }
            let result = PostgresResult(next)
            if result.isError { refused = refused ?? result }
            last = result
        }
        if let refused {
            if refused.state.isEmpty || larder_pq_is_open(raw) == 0 { throw lose() }
            let error = DatabaseError(state: refused.state, said: refused.message, database, doing: sql)
            // A server that takes changes no more is another's copy now; the next connection finds the right one.
            isLost = isLost || error.code == .lost || (refused.state == "25006" && !isReading)
            failure = failure ?? error
            throw error
        }
        guard let last else { throw lose() }
        return last
    }

    private func expect(_ event: larder_pq_wait, until deadline: ContinuousClock.Instant) throws {
        guard Self.wait(for: event, larder_pq_socket(raw), until: deadline) else {
            isLost = true
            let error = DatabaseError.broken(database, "it did not answer within \(limit.formatted)")
            failure = failure ?? error
            throw error
        }
        if larder_pq_consume(raw) != 1 { throw lose() }
    }

    private func lose() -> DatabaseError {
        isLost = true
        let error = broken()
        failure = failure ?? error
        return error
    }

    func broken() -> DatabaseError { .broken(database, Self.said(by: raw)) }

    /// libpq's words, in one line.
    static func said(by raw: OpaquePointer) -> String {
        let lines = String(cString: larder_pq_message(raw)).split(separator: "\n").map { line in
            String(line.drop { $0 == " " || $0 == "\t" })
        }
        return lines.isEmpty ? "the server said nothing" : lines.joined(separator: "; ")
    }

    /// False when the time is over.
    static func wait(
        for event: larder_pq_wait, _ socket: CInt, until deadline: ContinuousClock.Instant
    ) -> Bool {
        let events = event == larder_pq_wait_write ? POLLIN | POLLOUT : POLLIN
        while true {
            let rest = ContinuousClock.now.duration(to: deadline)
            guard rest > .zero else { return false }
            var entry = pollfd(fd: socket, events: Int16(events), revents: 0)
            let ready = poll(&entry, 1, CInt(clamping: Int64(rest / .milliseconds(1)) + 1))
            if ready > 0 { return true }
            if ready < 0, errno != EINTR { return false }
        }
    }
}
