// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Database
import Kit

/// What is remembered of apps' signed manifests, over restarts, until the app is uninstalled.
extension AppRegistry {
    static let trustTables = ["CREATE TABLE manifest_trust (app TEXT PRIMARY KEY, trust BLOB NOT NULL) STRICT"]

    /// nil when nothing was accepted yet, or it cannot be read.
    func manifestTrust(_ app: String) async throws -> ManifestTrust? {
        let body = try await database.read { connection in
            try connection.first("SELECT trust FROM manifest_trust WHERE app = ?", [.text(app)]) { $0.blob(0) }
        }
        return body.flatMap { try? JSONCoder.decode(ManifestTrust.self, from: $0) }
    }

    func save(trust: ManifestTrust, app: String) async throws {
        let body = try JSONCoder.encode(trust)
        try await database.write { try $0.save(trust: body, app: app) }
    }

    /// Keeps a manifest as it came, and what it proved, in one step.
    func save(manifest body: [UInt8], source: String, trust: ManifestTrust? = nil, app: String) async throws {
        let trust = try trust.map { try JSONCoder.encode($0) }
        try await database.write { connection in
            try connection.execute(
                "INSERT OR REPLACE INTO manifest VALUES (?, ?, ?)", [.text(app), .blob(body), .text(source)])
            if let trust { try connection.save(trust: trust, app: app) }
        }
    }
}

extension Connection {
    fileprivate func save(trust: [UInt8], app: String) throws {
        try execute("INSERT OR REPLACE INTO manifest_trust VALUES (?, ?)", [.text(app), .blob(trust)])
    }
}
