// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import Database
import DeviceProtocol

/// What a person or developer set, in the database: small named texts.
struct SettingsStore: Sendable {
    static let tables = ["CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT"]

    private static let urlOverrideName = "urlOverride"

    let database: SQLiteDatabase

    /// The origin that stands in for every app's manifest server (C13); nil when none is set.
    func urlOverride() async throws -> String? {
        try await text(Self.urlOverrideName)
    }

    /// - Throws: `DeviceError` with code `badSetting` when `url` is more or less than an origin, or plain http elsewhere than
    ///   on this machine.
    func setURLOverride(_ url: String) async throws {
        guard let address = WebAddress(url), address.resource.isEmpty || address.resource == "/" else {
            throw DeviceError(
                .badSetting,
                "\"\(url)\" is no base URL. Write scheme, host and port only, such as https://localhost:8443.")
        }
        guard address.isSecure || address.isLoopback else {
            throw DeviceError(
                .badSetting, "\"\(url)\" is plain http to another machine. Use https, or a loopback address.")
        }
        try await setText(Self.urlOverrideName, address.origin)
    }

    func clearURLOverride() async throws { try await setText(Self.urlOverrideName, nil) }

    /// A setting's text; nil when it is not set.
    func text(_ name: String) async throws -> String? {
        try await database.read { connection in
            try connection.first("SELECT value FROM setting WHERE name = ?", [.text(name)]) { $0.text(0) }
        }
    }

    /// - Parameter value: nil takes the setting away.
    func setText(_ name: String, _ value: String?) async throws {
        try await database.write { connection in
            guard let value else {
                return try connection.execute("DELETE FROM setting WHERE name = ?", [.text(name)])
            }
            try connection.execute(
                "INSERT INTO setting VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                [.text(name), .text(value)])
        }
    }
}
