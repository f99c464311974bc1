// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import PackNamespace
import System

/// What on-demand resources are managed with.
struct ResourceTools: Sendable {
    let registry: AppRegistry
    let assets: AppAssets
    let store: any PackStoring
    let space: SpaceKeeper
    let tables: ResourceTables
    let paths: LarderPaths
    let settings: SettingsFile
    let log: Logger
    /// How long processes that were told of low space have to let go of something.
    var patience = Duration.seconds(5)

    /// The tags of an installed app as its bundle says now; nil when it has none.
    /// - Throws: `DeviceError` with code `appNotFound`, and what is wrong with its lists.
    func installedTags(_ app: String) async throws -> InstalledTags? {
        let record = try await registry.existing(app)
        let base = paths.appRoot(app).appending(record.basePath)
        return try await offload { try InstalledTags(app: base) }
    }

    /// Has processes of an app know how much they may use at once, if it has resources on demand. Blocks.
    /// - Parameters:
    ///   - base: the app's folder.
    ///   - root: the app root.
    static func publish(limit: Int64?, base: FilePath, root: FilePath) throws {
        guard try InstalledTags(app: base) != nil else { return }
        try PackUses(of: AppRootLayout(root: root)).setLimit(limit)
    }

    /// Which of some packs somebody uses.
    func used(_ packs: some Sequence<String> & Sendable, of app: String) async throws -> Set<String> {
        let layout = AppRootLayout(root: paths.appRoot(app))
        return try await offload {
            let uses = try PackUses(of: layout)
            return Set(try packs.filter { try uses.isUsed($0) })
        }
    }
}
