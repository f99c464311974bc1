// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import Kit
import System

/// Takes an app and all it has away, also from a disk that has no room for the rows which say so.
struct AppRemoval: Sendable {
    let registry: AppRegistry
    let store: any PackStoring
    let downloads: DownloadStore
    let groups: AppGroups
    let bundles: BundleStore
    let usage: UsageStore
    let gate: BackgroundGate
    let ballast: Ballast
    let log: Logger

    /// - Parameter bundle: the app; nil looks for what is left of it.
    /// - Throws: `DatabaseError`, `StoreError`, `Errno`; the next start goes on with what could be noted.
    func remove(_ app: String, _ bundle: AppBundle? = nil) async throws {
        let ballast = ballast
        // While it can be read, and while it still says which group it is.
        var known = bundle
        if known == nil { known = try await leftover(app) }
        try await offload { ballast.lend() }
        do {
            try await begin(app, known)
        } catch  where StoreError.isNoSpace(error) {
            // What fills the disk goes first then, and its room is what the rows need.
            log.notice("An app's files go before its rows.", ["app": app, "error": "\(error)"])
            _ = try? await store.cancel(app: app, pack: nil)
            let bundles = bundles
            try await offload { try bundles.removeRoot(app) }
            try await begin(app, known)
        }
        try await offload { _ = ballast.restore() }
    }

    /// Goes on with a removal that was broken off.
    func finish(_ app: String) async throws {
        let known = try await leftover(app)
        do {
            try await finish(app, known)
        } catch  where StoreError.isNoSpace(error) {
            let bundles = bundles
            try await offload { try bundles.removeRoot(app) }
            try await finish(app, known)
        }
    }

    private func begin(_ app: String, _ bundle: AppBundle?) async throws {
        try await registry.beginRemoval(app)
        try await finish(app, bundle)
    }

    private func finish(_ app: String, _ bundle: AppBundle?) async throws {
        let bundles = bundles
        try await store.removeAll(app: app)
        try await downloads.removeAll(app: app)
        try await groups.leave(app, bundle?.backgroundAssets.appGroupID, downloads: downloads)
        try await offload { try bundles.removeRoot(app) }
        try await usage.forget(app)
        gate.forget(app)
        try await registry.endRemoval(app)
    }

    private func leftover(_ app: String) async throws -> AppBundle? {
        let bundles = bundles
        return try await offload { bundles.leftover(app) }
    }
}
