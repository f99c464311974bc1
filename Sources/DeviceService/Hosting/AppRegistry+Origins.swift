// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Database
import DeviceProtocol

/// Where installed apps came from.
extension AppRegistry {
    static let originTables = [
        """
        CREATE TABLE app_origin (
            app TEXT PRIMARY KEY, host TEXT NOT NULL, channel TEXT NOT NULL, token TEXT, build TEXT NOT NULL) STRICT
        """
    ]

    /// The origin of an installed app, and which build of it is installed; nil for an app from a folder or a file.
    func installedOrigin(_ app: String) async throws -> (origin: AppOrigin, build: String)? {
        try await database.read { connection in
            try connection.first("SELECT host, channel, token, build FROM app_origin WHERE app = ?", [.text(app)]) {
                (AppOrigin(host: $0.text(0), channel: $0.text(1), token: $0.textIfPresent(2)), $0.text(3))
            }
        }
    }

    /// Whose channel decides about the app's packs: that of the install under way, then that of what is installed.
    func origin(_ app: String) async throws -> AppOrigin? {
        if let hosted = try await journaled(app)?.plan.hosted { return hosted.origin }
        return try await installedOrigin(app)?.origin
    }

    func origins() async throws -> [String: AppOrigin] {
        let rows = try await database.read { connection in
            try connection.rows("SELECT app, host, channel FROM app_origin ORDER BY app") {
                ($0.text(0), AppOrigin(host: $0.text(1), channel: $0.text(2)))
            }
        }
        return Dictionary(rows) { $1 }
    }

    /// - Parameter origin: nil for an app that comes from elsewhere now.
    func save(origin: AppOrigin?, build: String, app: String) async throws {
        try await database.write { connection in
            guard let origin else {
                return try connection.execute("DELETE FROM app_origin WHERE app = ?", [.text(app)])
            }
            try connection.execute(
                "INSERT OR REPLACE INTO app_origin VALUES (?, ?, ?, ?, ?)",
                [.text(app), .text(origin.host), .text(origin.channel), .text(orNull: origin.token), .text(build)])
        }
    }
}
