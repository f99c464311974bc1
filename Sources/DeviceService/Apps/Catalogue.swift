// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import AssetPacks
import DeviceProtocol
import HTTP
import Kit

/// Fetches and keeps the apps' download manifests (BA 3.4).
actor Catalogue {
    /// A manifest and where it is from.
    struct Entry: Sendable {
        var manifest: DownloadManifest
        /// Bytes of the manifest itself.
        var size: Int64
        /// Whether a developer's server stands in for the app's own.
        var isOverridden: Bool
        /// The last known manifest, because the server could not be reached.
        var isStale = false
    }

    /// The query parameter that names the platform, as the manifest URL is asked with (BA 3.4).
    static let platformParameter = "platform=\(AssetPackPlatform.linux.rawValue)"
    /// Waits before each further attempt after transient trouble.
    static let retryDelays: [Duration] = [.milliseconds(300), .seconds(1)]

    private let registry: AppRegistry
    private let settings: SettingsStore
    private let clients: any HTTPClientSource
    private let log: Logger
    private var fetches: [String: Task<Entry, any Error>] = [:]

    init(registry: AppRegistry, settings: SettingsStore, clients: any HTTPClientSource, log: Logger) {
        self.registry = registry
        self.settings = settings
        self.clients = clients
        self.log = log.named("catalogue")
    }

    /// The newest manifest, from the server. Calls that come together share one fetch.
    /// - Throws: `DeviceError` with code `manifestUnavailable` or `badManifest`.
    func fetch(_ app: String, keys: BackgroundAssetsKeys) async throws -> Entry {
        if let fetch = fetches[app] { return try await fetch.value }
        let fetch = Task { try await self.load(app, keys: keys) }
        fetches[app] = fetch
        defer { fetches[app] = nil }
        return try await fetch.value
    }

    /// The last known manifest, or the newest when there is none.
    func known(_ app: String, keys: BackgroundAssetsKeys) async throws -> Entry {
        if let manifest = try await registry.manifest(app) {
            return Entry(manifest: manifest, size: 0, isOverridden: false, isStale: false)
        }
        return try await fetch(app, keys: keys)
    }

    private func load(_ app: String, keys: BackgroundAssetsKeys) async throws -> Entry {
        let override = try await settings.urlOverride()
        let url = try Self.address(app, keys: keys, override: override)
        let (body, final) = try await download(url, app: app)
        let manifest: DownloadManifest
        do {
            manifest = try DownloadManifest.decode(
                body, source: url, allowingPlainLoopback: override.map { !$0.hasPrefix("https:") } ?? false)
        } catch {
            throw DeviceError(.badManifest, "The manifest of \(app) cannot be used: \(error)", details: ["url": url])
        }
        try await registry.save(manifest: body, source: final, app: app)
        return Entry(manifest: manifest, size: Int64(body.count), isOverridden: override != nil)
    }

    private func download(_ url: String, app: String) async throws -> ([UInt8], String) {
        var delays = Self.retryDelays[...]
        while true {
            do {
                var request = HTTPRequest(url: url)
                request.headers = [("Accept", "application/json")]
                request.timeLimit = .seconds(60)
                let (response, body) = try await clients.client().data(
                    for: request, limit: DownloadManifest.maximumSize)
                return (body, response.finalURL)
            } catch let error as HTTPClientError {
                guard error.isTransient, let delay = delays.popFirst() else {
                    throw Self.unavailable(app, url, error)
                }
                log.info("The manifest will be asked for again.", ["app": app, "error": error.description])
                try await Task.sleep(for: delay)
            }
        }
    }

    /// Where the app's manifest is.
    static func address(_ app: String, keys: BackgroundAssetsKeys, override: String?) throws -> String {
        let base: String
        if let override {
            base = "\(override)/manifest"
        } else if let url = keys.manifestURL {
            base = url
        } else {
            throw DeviceError(
                .manifestUnavailable,
                "\(app) leaves hosting to the store, and no hosting service is set up here. For a development server run "
                    + "`ba-serve url-override <https URL>`, or set BAManifestURL and BAUsesAppleHosting to false.")
        }
        let plain = base.prefix { $0 != "#" }
        return plain + (plain.contains("?") ? "&" : "?") + platformParameter
    }

    private static func unavailable(_ app: String, _ url: String, _ error: HTTPClientError) -> DeviceError {
        // The client's own words already say how a certificate comes to be trusted.
        let advice = error.code == .untrustedCertificate ? "" : " Check the network and the server, then try again."
        return DeviceError(
            .manifestUnavailable, "The manifest of \(app) could not be fetched from \(url): \(error)\(advice)",
            details: ["url": url, "cause": error.codeName])
    }
}
