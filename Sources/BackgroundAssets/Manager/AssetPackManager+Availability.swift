// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import DeviceProtocol

extension AssetPackManager {
    /// Downloads a pack that is not on the device, and returns when it is.
    /// - Throws: what kept the pack away; `URLError.cancelled` when its download was cancelled.
    @available(*, deprecated, message: "Use ensureLocalAvailability(of:requireLatestVersion:) instead.")
    @_disfavoredOverload
    public func ensureLocalAvailability(of assetPack: AssetPack) async throws {
        try await ensureLocalAvailability(of: assetPack, requireLatestVersion: false)
    }

    /// Downloads a pack that is not on the device, and returns when it is.
    ///
    /// Follow the download with ``statusUpdates(forAssetPackWithID:)``. Cancelling the task ends the waiting, not the download.
    /// - Parameters:
    ///   - assetPack: The pack.
    ///   - requireLatestVersion: Whether to wait for an update, too, if there is one. Otherwise any version will do, and
    ///     nothing is asked about a pack that is there.
    /// - Throws: what kept the pack away; `URLError.cancelled` when its download was cancelled.
    public func ensureLocalAvailability(of assetPack: AssetPack, requireLatestVersion: Bool = false) async throws {
        if !requireLatestVersion, assetPackIsAvailableLocally(withID: assetPack.id) { return }
        let request = EnsureLocalAvailabilityRequest(
            app: bundleID, packs: [assetPack.id], requireLatestVersions: requireLatestVersion)
        let reply = try await ask(request, aboutPackWithID: assetPack.id)
        if let failure = reply.failures.first { throw clientError(failure.error, forPackWithID: assetPack.id) }
    }

    /// Downloads those of several packs that are not on the device, and returns when each is there or has failed.
    /// - Parameters:
    ///   - assetPacks: The packs.
    ///   - requireLatestVersions: Whether to wait for updates, too, where there are some.
    /// - Throws: ``LocalAvailabilityError``, which names the packs that are there and the reasons why others are not.
    public func ensureLocalAvailability(
        of assetPacks: Set<AssetPack>, requireLatestVersions: Bool = false
    ) async throws {
        let missing =
            requireLatestVersions ? assetPacks : assetPacks.filter { !assetPackIsAvailableLocally(withID: $0.id) }
        guard !missing.isEmpty else { return }
        let request = EnsureLocalAvailabilityRequest(
            app: bundleID, packs: missing.map(\.id).sorted(), requireLatestVersions: requireLatestVersions)
        let reply = try await ask(request)
        guard !reply.failures.isEmpty else { return }
        let reasons = Dictionary(reply.failures.map { ($0.id, $0.error) }) { first, _ in first }
        var successes = assetPacks
        var failures: [AssetPack: any Error] = [:]
        for pack in assetPacks {
            guard let reason = reasons[pack.id] else { continue }
            successes.remove(pack)
            failures[pack] = clientError(reason, forPackWithID: pack.id)
        }
        throw LocalAvailabilityError(successes: successes, failures: failures)
    }

    /// Whether a pack, of any version, is on the device. Asks nobody.
    public nonisolated func assetPackIsAvailableLocally(withID assetPackID: String) -> Bool {
        local.pack(withID: assetPackID) != nil
    }

    /// Removes a pack from the device. Files of it that the app has open stay readable until they are closed.
    /// - Throws: `ManagedBackgroundAssetsError.assetPackNotFound` when the pack is not on the device.
    public func remove(assetPackWithID assetPackID: String) async throws {
        _ = try await ask(RemovePackRequest(app: bundleID, pack: assetPackID), aboutPackWithID: assetPackID)
    }
}
