// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import Kit
import System

/// Says of a host whether bytes may be fetched from it.
package typealias HostRule = @Sendable (_ host: String) -> Bool

/// From where an app's packs may come: before its first launch only from the hosts of `BADownloadDomainAllowList`, also
/// when a server sends a download on to another (C7).
struct HostLimits: Sendable {
    let registry: AppRegistry
    let bundles: BundleStore
    let settings: SettingsStore

    /// What holds for a download that begins now; nil: any host will do.
    /// - Throws: `BundleError`, `DatabaseError`, `Errno`
    func rule(_ app: String) async throws -> HostRule? {
        // A developer's server stands in for the app's own; its hosts need not be on the list.
        if try await settings.urlOverride() != nil { return nil }
        let record = try await registry.app(app)
        let plan = try await registry.journaled(app)?.plan
        if record?.wasLaunched == true, plan?.isFirstInstall != true { return nil }
        guard let keys = try await registry.newestBundle(app, bundles)?.backgroundAssets,
            let restrictions = keys.restrictions, restrictions.domainAllowList != nil
        else { return nil }
        let store = try await registry.store(app, keys)
        return { restrictions.allows(host: $0) || $0 == store }
    }
}

extension AppRegistry {
    /// The host of the service that an app leaves its packs to; it need not be on the app's list. Nil for an app that names
    /// its server itself.
    func store(_ app: String, _ keys: BackgroundAssetsKeys) async throws -> String? {
        keys.mode == .managedHosted ? try await origin(app)?.hostName : nil
    }

    /// The app's bundle that is being installed, otherwise the installed one; nil without any.
    /// - Throws: `BundleError`, `DatabaseError`, `Errno`
    func newestBundle(_ app: String, _ bundles: BundleStore) async throws -> AppBundle? {
        if let plan = try await journaled(app)?.plan, let name = FilePath(plan.source).lastComponent {
            let copy = bundles.folder(app).appending("\(plan.bundle)").appending(name)
            return try await offload {
                // While it is copied it is where it comes from; what was unpacked moves away from there.
                try (try? AppBundleReader.bundle(at: copy)) ?? (try? AppBundleReader.bundle(at: FilePath(plan.source)))
                    ?? AppBundleReader.bundle(at: copy)
            }
        }
        guard let record = try await self.app(app) else { return nil }
        let path = bundles.paths.appRoot(app).appending(record.basePath)
        return try await offload { try AppBundleReader.bundle(at: path) }
    }
}
