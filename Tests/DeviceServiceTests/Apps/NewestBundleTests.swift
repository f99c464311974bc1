// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import Database
import Kit
import System
import TestSupport
import Testing

@testable import DeviceService

/// The bundle whose keys hold for a download that begins now.
@Suite(.timeLimit(.minutes(5))) struct NewestBundleTests {
    /// Packs of an update are asked for while its base is copied, and the new version says from where they may come.
    @Test func whileAnUpdateIsCopiedItIsReadWhereItComesFrom() async throws {
        try await Scratch.with { scratch in
            let paths = try LarderPaths(environment: ["LARDER_HOME": scratch("home").string])
            let bundles = BundleStore(paths: paths)
            let database = try await SQLiteDatabase(path: scratch("larder.sqlite"), migrations: Schema.migrations)
            let registry = AppRegistry(database: database)
            var app = AppFixture()
            app.version = "2"
            let place = try scratch.makeDirectory("new")
            let source = try app.write(in: place)
            func plan(_ source: FilePath) -> InstallPlan {
                InstallPlan(
                    kind: .update, app: app.identifier, displayName: "Game", version: "2", source: source.string,
                    bundle: 2,
                    baseSize: 1, isManaged: true, essentialAllowance: nil)
            }
            try await registry.journal(InstallMachine(plan(source)))
            #expect(try await registry.newestBundle(app.identifier, bundles)?.version == "2")
            try bundles.copy(source, app: app.identifier, number: 2) { _ in }
            try FileDescriptor.currentDirectory.removeTree(at: place)
            #expect(try await registry.newestBundle(app.identifier, bundles)?.version == "2")
            await database.close()
        }
    }
}
