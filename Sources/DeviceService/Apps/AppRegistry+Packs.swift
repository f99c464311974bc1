// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Database

extension AppRegistry {
    /// A pack that an event should have brought and did not.
    struct PackNote: Hashable, Sendable {
        var pack: String
        var state: PlannedItem.State
        var message: String?
    }

    /// Replaces what is noted about these packs; `nil` state takes the note away.
    func note(_ app: String, _ notes: [(pack: String, state: PlannedItem.State?, message: String?)]) async throws {
        let rows = notes.map { ($0.pack, $0.state?.rawValue, $0.message) }
        try await database.write { connection in
            for (pack, state, message) in rows {
                if let state {
                    try connection.execute(
                        "INSERT OR REPLACE INTO pack_note VALUES (?, ?, ?, ?)",
                        [.text(app), .text(pack), .text(state), .text(orNull: message)])
                } else {
                    try connection.execute(
                        "DELETE FROM pack_note WHERE app = ? AND pack = ?", [.text(app), .text(pack)])
                }
            }
        }
    }

    func notes(_ app: String) async throws -> [String: PackNote] {
        let notes = try await database.read { connection in
            try connection.rows("SELECT pack, state, message FROM pack_note WHERE app = ?", [.text(app)]) { row in
                PackNote(
                    pack: row.text(0), state: PlannedItem.State(rawValue: row.text(1)) ?? .failed,
                    message: row.textIfPresent(2))
            }
        }
        return Dictionary(notes.map { ($0.pack, $0) }) { $1 }
    }

    /// The last manifest that was fetched for the app; nil when there is none that can still be read.
    func manifest(_ app: String) async throws -> DownloadManifest? {
        guard let (body, source) = try await manifestBody(app) else { return nil }
        return Self.manifest(body, source: source)
    }

    /// The last manifest as it came, and where from.
    func manifestBody(_ app: String) async throws -> (body: [UInt8], source: String)? {
        try await database.read { connection in
            try connection.first("SELECT body, source FROM manifest WHERE app = ?", [.text(app)]) {
                ($0.blob(0), $0.text(1))
            }
        }
    }

    /// A manifest that was kept, if it can still be read.
    static func manifest(_ body: [UInt8], source: String) -> DownloadManifest? {
        try? DownloadManifest.decode(body, source: source, allowingPlainLoopback: true)
    }
}
