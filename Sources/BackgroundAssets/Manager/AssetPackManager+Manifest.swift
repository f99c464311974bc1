// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import DeviceProtocol

extension AssetPackManager {
    /// The packs that the app can download, as the server last told.
    ///
    /// May ask the server. ``checkForUpdates()`` makes sure that it is asked.
    /// - Throws: `BackgroundAssetsError` when neither the server nor an earlier answer of it can be had.
    public var manifest: AssetPackManifest {
        get async throws {
            let reply = try await ask(ManifestRequest(app: bundleID, refresh: false))
            return AssetPackManifest(
                assetPacks: Set(reply.packs.map { AssetPack($0) }), primaryLanguage: reply.primaryLanguage,
                resolvedLanguage: reply.resolvedLanguage)
        }
    }

    /// All packs that the app can download.
    @available(*, deprecated, message: "Use the manifest's assetPacks instead.")
    public var allAssetPacks: Set<AssetPack> {
        get async throws { try await manifest.assetPacks }
    }

    /// The pack with an identifier.
    /// - Throws: `ManagedBackgroundAssetsError.assetPackNotFound` when the app is offered no such pack.
    @available(*, deprecated, message: "Use the manifest's assetPack(withID:) instead.")
    public func assetPack(withID assetPackID: String) async throws -> AssetPack {
        guard let pack = try await manifest.assetPack(withID: assetPackID) else {
            throw ManagedBackgroundAssetsError.assetPackNotFound(withID: assetPackID)
        }
        return pack
    }

    /// Asks the server what it offers now, begins to update packs that are out of date, and removes those no longer offered.
    ///
    /// Returns when the downloads are registered, not when they are done; ``statusUpdates`` tells of them.
    /// - Returns: What this call set off: the packs being updated and those removed.
    @discardableResult
    public func checkForUpdates() async throws -> (updatingIDs: Set<String>, removedIDs: Set<String>) {
        let reply = try await ask(CheckForUpdatesRequest(app: bundleID), repeatedly: false)
        return (updatingIDs: Set(reply.updating), removedIDs: Set(reply.removed))
    }
}
