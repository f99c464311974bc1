// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import AssetPacks
import DeviceProtocol
import Kit

extension Catalogue {
    /// Has an app with keys in its bundle take nothing that they do not vouch for.
    /// - Returns: what to remember with the manifest; nil for an app that takes any.
    /// - Throws: `DeviceError` with code `refusedManifest` or `badManifest`
    func verified(
        _ body: [UInt8], app: String, keys: BackgroundAssetsKeys, channel: String?, url: String
    ) async throws -> ManifestTrust? {
        guard let anchor = keys.manifestKeys?.keySet(app: app) else { return nil }
        let manifest: SignedManifest
        do {
            manifest = try SignedManifest(body, source: url)
        } catch {
            throw DeviceError(.badManifest, "The manifest of \(app) cannot be used: \(error)", details: ["url": url])
        }
        let verifier = ManifestVerifier(anchor: anchor, platform: .linux, channel: channel, now: now())
        let remembered = try await registry.manifestTrust(app)
        // A large one takes a while to be put into its canonical form.
        let verdict = try await offload { verifier.verify(manifest, remembered: remembered) }
        guard let refusal = verdict.refusal else { return verdict.trust }
        // Keys that were handed over to hold, whatever came with them.
        if verdict.trust != remembered { try await registry.save(trust: verdict.trust, app: app) }
        throw refused(refusal, app: app, url: url)
    }

    func refused(_ refusal: ManifestRefusal, app: String, url: String) -> DeviceError {
        note(refused: refusal.message, app: app)
        return DeviceError(
            .refusedManifest, refusal.message, details: ["url": url, "reason": refusal.reason.rawValue])
    }

    /// The manifest that was fetched last, if the app would still take it; its age is not looked at.
    func stored(_ app: String, keys: BackgroundAssetsKeys) async throws -> DownloadManifest? {
        guard let (body, source) = try await registry.manifestBody(app) else { return nil }
        if let anchor = keys.manifestKeys?.keySet(app: app), try await settings.urlOverride() == nil {
            let verifier = ManifestVerifier(anchor: anchor, platform: .linux, channel: nil, now: now())
            guard let manifest = try? SignedManifest(body, source: source),
                verifier.isSigned(manifest, remembered: try await registry.manifestTrust(app))
            else { return nil }
        }
        return AppRegistry.manifest(body, source: source)
    }
}
