// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Database
import DeviceProtocol
import Kit

/// What the service calls itself when it asks a hosting service about an app: random, made up for that app and that host,
/// gone with the app. No two hosts, and no two apps, are told the same, and none of it has to do with the machine.
enum HostIdentities {
    static let tables = [
        "CREATE TABLE host_identity (app TEXT, host TEXT, id TEXT NOT NULL, PRIMARY KEY (app, host)) STRICT",
        // What is to be told, or was, of a version that is being rolled out, and how often that was tried.
        """
        CREATE TABLE rollout_report (
            app TEXT NOT NULL, rollout TEXT NOT NULL, failed INTEGER NOT NULL, attempts INTEGER NOT NULL,
            sent INTEGER NOT NULL, PRIMARY KEY (app, rollout)) STRICT
        """,
    ]

    /// 128 random bits.
    static func new() -> String {
        var generator = SystemRandomNumberGenerator()
        return Hexadecimal.encode((0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }
}

extension AppRegistry {
    /// The service's name for itself towards a host, made when it is first needed.
    func identity(_ app: String, host: String) async throws -> String {
        let new = HostIdentities.new()
        return try await database.write { connection in
            try connection.execute(
                "INSERT OR IGNORE INTO host_identity VALUES (?, ?, ?)", [.text(app), .text(host), .text(new)])
            return try connection.first(
                "SELECT id FROM host_identity WHERE app = ? AND host = ?", [.text(app), .text(host)]
            ) { $0.text(0) } ?? new
        }
    }

    /// The version of the app that packs are for: of the install under way, then of what is installed.
    func appVersion(_ app: String) async throws -> String? {
        if let plan = try await journaled(app)?.plan { return plan.version }
        return try await self.app(app)?.version
    }

    /// Rollouts through which the app's local packs came, as far as they may still go on.
    func takenRollouts(_ app: String) async throws -> [String] {
        let offered = try await manifest(app)
        let rows = try await database.read { connection in
            try connection.rows(
                "SELECT pack, version, manifest FROM packs WHERE app = ? ORDER BY pack", [.text(app)]
            ) { ($0.text(0), $0.int64(1), $0.text(2)) }
        }
        return rows.compactMap { pack, version, text -> String? in
            guard let rollout = (try? JSONParser.parse(text).value)?["larder"]?["rollout"]?.stringValue else {
                return nil
            }
            // The same version for everybody: it is over.
            if let entry = offered?[pack], Int64(entry.version) == version, entry.rollout == nil { return nil }
            return rollout
        }
    }
}
