// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Database
import DeviceProtocol
import Kit

/// The rows of unmanaged downloads.
enum DownloadTables {
    /// Statements of the migration that brought them.
    static let create = [
        """
        CREATE TABLE download (
            number INTEGER PRIMARY KEY AUTOINCREMENT, app TEXT NOT NULL, identifier TEXT NOT NULL, state TEXT NOT NULL,
            foreground INTEGER NOT NULL, size INTEGER NOT NULL, description TEXT NOT NULL, error TEXT,
            UNIQUE (app, identifier)) STRICT
        """,
        // What was scheduled before the app's first launch, in bytes: it counts against the allowances.
        """
        CREATE TABLE download_use (
            app TEXT PRIMARY KEY, essential INTEGER NOT NULL, other INTEGER NOT NULL) STRICT
        """,
    ]

    /// Calls whose downloads are no more, the last ones: each may still be repeated by an app that had no answer.
    static let createTickets = [
        "CREATE TABLE download_ticket (number INTEGER PRIMARY KEY AUTOINCREMENT, ticket TEXT NOT NULL) STRICT"
    ]
    static let ticketLimit = 1000
}

extension Connection {
    /// All downloads, oldest first; rows that cannot be read are left out.
    func downloads() throws -> [Download] {
        let sql = "SELECT number, app, state, foreground, size, description, error FROM download ORDER BY number"
        return try rows(sql) { row -> Download? in
            guard let state = Download.State(rawValue: row.text(2)),
                let description = try? JSONCoder.decode(DownloadDescription.self, from: row.text(5).utf8)
            else { return nil }
            var download = Download(
                app: row.text(1), description: description, state: state == .downloading ? .waiting : state,
                isForeground: row.bool(3))
            download.number = row.int64(0)
            download.error = row.textIfPresent(6).flatMap { try? JSONCoder.decode(DeviceError.self, from: $0.utf8) }
            if state == .finished { (download.total, download.expected) = (row.int64(4), row.int64(4)) }
            return download
        }.compactMap { $0 }
    }

    /// Makes a row and returns its number, which is used for nothing else ever. A row of the same name is one of a download that
    /// is no more, and that a full disk did not let go.
    func add(_ download: Download) throws -> Int64 {
        let number = try first(
            """
            INSERT OR REPLACE INTO download (app, identifier, state, foreground, size, description)
            VALUES (?, ?, ?, ?, ?, ?) RETURNING number
            """,
            [
                .text(download.app), .text(download.description.identifier), .text(download.state.rawValue),
                .bool(download.isForeground), .integer(download.total), .text(try Self.text(download.description)),
            ], { $0.int64(0) })
        return number ?? 0
    }

    func save(_ download: Download) throws {
        try execute(
            "UPDATE download SET state = ?, foreground = ?, size = ?, error = ? WHERE number = ?",
            [
                .text(download.state.rawValue), .bool(download.isForeground), .integer(download.total),
                .text(orNull: try download.error.map(Self.text)), .integer(download.number ?? 0),
            ])
    }

    /// - Parameter ticket: of the call that scheduled it.
    func deleteDownload(_ number: Int64, ticket: String?) throws {
        try execute("DELETE FROM download WHERE number = ?", [.integer(number)])
        guard let ticket else { return }
        try execute("INSERT INTO download_ticket (ticket) VALUES (?)", [.text(ticket)])
        try execute(
            "DELETE FROM download_ticket WHERE number <= (SELECT max(number) FROM download_ticket) - ?",
            [.integer(Int64(DownloadTables.ticketLimit))])
    }

    func downloadTickets() throws -> [String] {
        try rows("SELECT ticket FROM download_ticket ORDER BY number") { $0.text(0) }
    }

    func deleteDownloads(app: String) throws {
        try execute("DELETE FROM download WHERE app = ?", [.text(app)])
        try execute("DELETE FROM download_use WHERE app = ?", [.text(app)])
    }

    /// Bytes scheduled for the app before its first launch.
    func downloadUse(app: String) throws -> DownloadRules.Use {
        try first("SELECT essential, other FROM download_use WHERE app = ?", [.text(app)]) {
            DownloadRules.Use(essential: $0.int64(0), other: $0.int64(1))
        } ?? DownloadRules.Use()
    }

    func setDownloadUse(_ use: DownloadRules.Use, app: String) throws {
        try execute(
            "INSERT OR REPLACE INTO download_use VALUES (?, ?, ?)",
            [.text(app), .integer(use.essential), .integer(use.other)])
    }

    private static func text(_ value: some Encodable) throws -> String {
        String(decoding: try JSONCoder.encode(value), as: UTF8.self)
    }
}
