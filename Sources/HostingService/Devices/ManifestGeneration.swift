// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import AssetPacks
internal import Crypto
internal import Database
internal import HostingModel
internal import Kit

/// Which in a row a manifest is. There is one number for an app: devices in different stages of a rollout get different
/// manifests, and some change channels, and none of them is ever to see a lower number than before.
struct ManifestGeneration: Sendable {
    let number: Int64
    /// The sets of keys that go with the app's manifests.
    let keySets: [JSONValue]
}

extension HostingMigrations {
    static let manifestGenerations = [
        // `state` is a digest of all that decides what devices of the app are offered.
        """
        CREATE TABLE "manifestGenerations" ("app" TEXT PRIMARY KEY, "state" TEXT NOT NULL, "generation" INTEGER NOT NULL)
        """,
        #"CREATE TABLE "manifestKeySets" ("app" TEXT PRIMARY KEY, "sets" TEXT NOT NULL)"#,
    ]
}

extension Connection {
    /// The app's generation, as long as nothing has changed since it was counted; nil when it has to be counted up.
    /// - Throws: `DatabaseError`
    func manifestGeneration(_ app: ResourceRecord) throws -> ManifestGeneration? {
        let sets = try manifestKeySets(app.id)
        let known = try first(
            #"SELECT "state", "generation" FROM "manifestGenerations" WHERE "app" = ?"#, [.text(app.id)]
        ) { ($0.text(0), $0.int64(1)) }
        guard let (state, number) = known, try state == offerState(app, sets) else { return nil }
        return ManifestGeneration(number: number, keySets: sets)
    }

    /// Counts the app's generation up if something has changed: to the time, so that a database which was brought back from
    /// a backup does not count what devices have seen already once more.
    /// - Parameter now: in seconds since 1970.
    /// - Throws: `DatabaseError`
    func countManifestGeneration(_ app: ResourceRecord, now: Int64) throws -> ManifestGeneration {
        if let known = try manifestGeneration(app) { return known }
        let sets = try manifestKeySets(app.id)
        let last = try first(
            #"SELECT "generation" FROM "manifestGenerations" WHERE "app" = ?"#, [.text(app.id)]
        ) { $0.int64(0) }
        let number = min(max((last ?? 0) &+ 1, now), CanonicalJSON.largestInteger)
        try execute(#"DELETE FROM "manifestGenerations" WHERE "app" = ?"#, [.text(app.id)])
        try execute(
            #"INSERT INTO "manifestGenerations" ("app", "state", "generation") VALUES (?, ?, ?)"#,
            [.text(app.id), .text(try offerState(app, sets)), .integer(number)])
        return ManifestGeneration(number: number, keySets: sets)
    }

    /// A digest of what decides which versions devices get, in all channels.
    private func offerState(_ app: ResourceRecord, _ keySets: [JSONValue]) throws -> String {
        var lines: [String] = keySets.map { $0.serialized() }
        for pack in try records(.backgroundAssets, where: ["app": .text(app.id), "archived": 0]) {
            lines.append(([pack.id] + Channel.allCases.map { pack.text($0.liveVersion) ?? "" }).joined(separator: " "))
        }
        for record in try records(.rollouts, where: ["app": .text(app.id)]) {
            guard let rollout = Rollout(record), rollout.state != .complete else { continue }
            lines.append(
                "\(rollout.id) \(record.text("backgroundAssetVersion") ?? "") \(record.text("channel") ?? "") "
                    + "\(rollout.state.rawValue) \(rollout.percentage)")
        }
        for range in try records(.appRanges, where: ["app": .text(app.id)]) {
            let words = ["backgroundAssetVersion", "minimumAppVersion", "maximumAppVersion"].map {
                range.text($0) ?? ""
            }
            lines.append(([range.id] + words).joined(separator: " "))
        }
        for file in try listedUpdateFiles(ofApp: app.id) {
            lines.append("\(file.version) \(file.base?.digest ?? "") \(file.stored?.digest.hex ?? "")")
        }
        return SHA256.hash(Array(lines.sorted().joined(separator: "\n").utf8)).hex
    }

    /// - Throws: `DatabaseError`
    func manifestKeySets(_ app: String) throws -> [JSONValue] {
        let text = try first(#"SELECT "sets" FROM "manifestKeySets" WHERE "app" = ?"#, [.text(app)]) { $0.text(0) }
        return text.flatMap { try? JSONParser.parse($0).value.arrayValue } ?? []
    }

    /// - Throws: `DatabaseError`
    func setManifestKeySets(_ sets: [JSONValue], app: String) throws {
        try execute(#"DELETE FROM "manifestKeySets" WHERE "app" = ?"#, [.text(app)])
        guard !sets.isEmpty else { return }
        try execute(
            #"INSERT INTO "manifestKeySets" ("app", "sets") VALUES (?, ?)"#,
            [.text(app), .text(JSONValue.array(sets).serialized())])
    }
}
