// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Database

/// What the service remembers about localised packs.
enum LanguageTables {
    static let create = [
        // Packs an app asked for by itself; no change of language takes them away.
        "CREATE TABLE asked_pack (app TEXT NOT NULL, pack TEXT NOT NULL, PRIMARY KEY (app, pack)) STRICT",
        // Apps whose language changed and whose packs do not all fit it yet; a restart goes on from here.
        "CREATE TABLE language_change (app TEXT PRIMARY KEY) STRICT",
    ]
}

extension AppRegistry {
    func noteAsked(_ app: String, _ packs: [String]) async throws {
        try await database.write { connection in
            for pack in packs {
                try connection.execute("INSERT OR IGNORE INTO asked_pack VALUES (?, ?)", [.text(app), .text(pack)])
            }
        }
    }

    func forgetAsked(_ app: String, _ pack: String) async throws {
        try await database.write {
            try $0.execute("DELETE FROM asked_pack WHERE app = ? AND pack = ?", [.text(app), .text(pack)])
        }
    }

    func askedPacks(_ app: String) async throws -> Set<String> {
        Set(
            try await database.read {
                try $0.rows("SELECT pack FROM asked_pack WHERE app = ?", [.text(app)]) { $0.text(0) }
            })
    }

    func beginLanguageChange(_ app: String) async throws {
        try await database.write { try $0.execute("INSERT OR IGNORE INTO language_change VALUES (?)", [.text(app)]) }
    }

    func endLanguageChange(_ app: String) async throws {
        try await database.write { try $0.execute("DELETE FROM language_change WHERE app = ?", [.text(app)]) }
    }

    func languageChanges() async throws -> [String] {
        try await database.read { try $0.rows("SELECT app FROM language_change ORDER BY app") { $0.text(0) } }
    }
}
