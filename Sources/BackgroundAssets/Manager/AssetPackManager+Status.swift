// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import DeviceProtocol

extension AssetPackManager {
    /// The updates of all downloads from now on. The sequence does not end.
    public var statusUpdates: some AsyncSequence<DownloadStatusUpdate, Never> & Sendable {
        feed.updates(forPackWithID: nil)
    }

    /// The updates of one pack's download from now on.
    ///
    /// The sequence ends after `finished` or `failed`. A pack that is on the device already counts as having just finished.
    public nonisolated func statusUpdates(
        forAssetPackWithID assetPackID: String
    ) -> some AsyncSequence<DownloadStatusUpdate, Never> & Sendable {
        feed.updates(forPackWithID: assetPackID)
    }

    /// What is true of a pack, by what the server offers now. Sets nothing off.
    /// - Throws: `ManagedBackgroundAssetsError.assetPackNotFound` when the app is offered no such pack.
    @available(*, deprecated, message: "Use status(relativeTo:) or localStatus(ofAssetPackWithID:) instead.")
    public func status(ofAssetPackWithID assetPackID: String) async throws -> AssetPack.Status {
        let request = PackStatusRequest(app: bundleID, pack: assetPackID, mayContactServer: true)
        return AssetPack.Status(try await ask(request, aboutPackWithID: assetPackID).status)
    }

    /// What is true of a pack, compared with what the app was told of it. Sets nothing off.
    ///
    /// Another version on the device than the given one is out of date. An update is available as long as the server still
    /// offers the given version.
    /// - Parameter assetPack: The pack, as the server described it earlier.
    public func status(relativeTo assetPack: AssetPack) async throws -> AssetPack.Status {
        let request = PackStatusRequest(
            app: bundleID, pack: assetPack.id, relativeToVersion: assetPack.version, mayContactServer: true)
        return AssetPack.Status(try await ask(request, aboutPackWithID: assetPack.id).status)
    }

    /// What is known of a pack without asking the server: whether it is on the device and, if the device knows, whether it is
    /// out of date or obsolete. Empty for a pack that is not on the device.
    public func localStatus(ofAssetPackWithID assetPackID: String) async -> AssetPack.Status {
        guard assetPackIsAvailableLocally(withID: assetPackID) else { return [] }
        let request = PackStatusRequest(app: bundleID, pack: assetPackID, mayContactServer: false)
        guard let reply = try? await ask(request, repeatedly: false) else { return .downloaded }
        return AssetPack.Status(reply.status).intersection([.outOfDate, .obsolete]).union(.downloaded)
    }
}

extension AssetPack.Status {
    /// The service counts the same bits.
    init(_ status: PackStatus) { self.init(rawValue: status.rawValue) }
}
