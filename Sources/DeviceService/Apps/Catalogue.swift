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
    /// The longest one attempt may take when bytes do come.
    private static let timeLimit = Duration.seconds(60)

    /// Hears of trouble that is waited out, in words for a person; nil when it has passed.
    typealias TroubleReport = @Sendable (String?) -> Void

    /// Who waits for a manifest.
    private struct Waiter {
        var trouble: TroubleReport
        var continuation: CheckedContinuation<Entry, any Error>
    }

    private struct Fetch {
        var number: Int
        var task: Task<Void, Never>
        var trouble: String?
        var waiters: [Int: Waiter] = [:]
    }

    /// Whose manifest, and by which of the app's bundles: that of an update may ask for other signatures.
    private struct Subject: Hashable {
        var app: String
        var keys: BackgroundAssetsKeys
    }

    let registry: AppRegistry
    let settings: SettingsStore
    private let clients: any HTTPClientSource
    let notes: NoteBoard
    /// The time, by which manifests expire.
    let now: @Sendable () -> Timestamp
    private let log: Logger
    private var fetches: [Subject: Fetch] = [:]
    private var lastNumber = 0
    /// By app, why the manifest that the server gave last was refused; none where it was taken since.
    private(set) var refusals: [String: String] = [:]

    init(
        registry: AppRegistry, settings: SettingsStore, clients: any HTTPClientSource, notes: NoteBoard = NoteBoard(),
        now: @escaping @Sendable () -> Timestamp = { .now }, log: Logger
    ) {
        self.registry = registry
        self.settings = settings
        self.clients = clients
        self.notes = notes
        self.now = now
        self.log = log.named("catalogue")
    }

    /// The newest manifest, from the server. Calls that come together share one fetch, which ends with the last of them that is
    /// cancelled.
    ///
    /// A server that is silent is asked again under `policy`: the last attempt begins within its patience and ends with
    /// the client's stall time-out, or after a minute if bytes trickle.
    /// - Throws: `DeviceError` with code `manifestUnavailable`, `badManifest` or `refusedManifest`; `CancellationError`
    func fetch(
        _ app: String, keys: BackgroundAssetsKeys, policy: RetryPolicy = .foreground,
        trouble: @escaping TroubleReport = { _ in }
    ) async throws -> Entry {
        let number = takeNumber()
        let subject = Subject(app: app, keys: keys)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard !Task.isCancelled else { return continuation.resume(throwing: CancellationError()) }
                if let text = fetches[subject]?.trouble { trouble(text) }
                var fetch = fetches[subject] ?? begin(subject, policy)
                fetch.waiters[number] = Waiter(trouble: trouble, continuation: continuation)
                fetches[subject] = fetch
            }
        } onCancel: {
            Task { await self.leave(subject, number) }
        }
    }

    /// How many callers wait for a manifest.
    var waiterCount: Int { fetches.values.reduce(0) { $0 + $1.waiters.count } }

    func note(refused message: String, app: String) {
        refusals[app] = message
        notes.add(message, app: app)
    }

    private func takeNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    private func begin(_ subject: Subject, _ policy: RetryPolicy) -> Fetch {
        let number = takeNumber()
        let task = Task {
            let result: Result<Entry, any Error>
            do {
                result = .success(try await load(subject, policy: policy))
            } catch {
                result = .failure(error)
            }
            end(subject, number, result)
        }
        return Fetch(number: number, task: task)
    }

    private func end(_ subject: Subject, _ number: Int, _ result: Result<Entry, any Error>) {
        guard let fetch = fetches[subject], fetch.number == number else { return }
        fetches[subject] = nil
        for waiter in fetch.waiters.values { waiter.continuation.resume(with: result) }
    }

    private func leave(_ subject: Subject, _ number: Int) {
        guard let waiter = fetches[subject]?.waiters.removeValue(forKey: number) else { return }
        waiter.continuation.resume(throwing: CancellationError())
        guard let fetch = fetches[subject], fetch.waiters.isEmpty else { return }
        fetches[subject] = nil
        fetch.task.cancel()
    }

    private func description(_ app: String, _ origin: AppOrigin) async throws -> DeviceDescription {
        DeviceDescription(
            id: try await registry.identity(app, host: origin.host), appVersion: try await registry.appVersion(app),
            taken: try await registry.takenRollouts(app))
    }

    private func tell(_ subject: Subject, _ trouble: String?) {
        guard let fetch = fetches[subject], fetch.trouble != trouble else { return }
        fetches[subject]?.trouble = trouble
        for waiter in fetch.waiters.values { waiter.trouble(trouble) }
    }

    /// The last known manifest, or the newest when there is none.
    func known(_ app: String, keys: BackgroundAssetsKeys) async throws -> Entry {
        if let manifest = try await stored(app, keys: keys) {
            return Entry(manifest: manifest, size: 0, isOverridden: false, isStale: false)
        }
        return try await fetch(app, keys: keys)
    }

    private func load(_ subject: Subject, policy: RetryPolicy) async throws -> Entry {
        let (app, keys) = (subject.app, subject.keys)
        let override = try await settings.urlOverride()
        let origin = override == nil && keys.mode == .managedHosted ? try await registry.origin(app) : nil
        let url = try origin?.address(of: "manifest", app: app) ?? Self.address(app, keys: keys, override: override)
        // What the host is told of the device is for the host alone: messages and the database have the address without it.
        let arguments = if let origin { try await description(app, origin).arguments } else { "" }
        var (body, final): ([UInt8], String)
        do {
            (body, final) = try await download(
                url + arguments, headers: origin?.headers ?? [], limit: DownloadManifest.maximumSize, app: app,
                policy: policy
            ) { tell(subject, $0) }
        } catch let error as HTTPClientError {
            throw Self.unavailable(app, url, error)
        }
        final = final.replacingEach(arguments, with: "")
        // A developer's own server need not have the app's keys.
        let trust =
            override == nil
            ? try await verified(body, app: app, keys: keys, channel: origin?.channel, url: url) : nil
        let manifest: DownloadManifest
        do {
            manifest = try DownloadManifest.decode(
                body, source: url,
                allowingPlainLoopback: override.map { !DownloadURL.isEncrypted($0) } ?? origin?.isPlain ?? false)
        } catch {
            throw DeviceError(.badManifest, "The manifest of \(app) cannot be used: \(error)", details: ["url": url])
        }
        if trust != nil {
            do throws(ManifestRefusal) {
                try manifest.requireCoverage()
            } catch {
                throw refused(error, app: app, url: url)
            }
        }
        try await registry.save(manifest: body, source: final, trust: trust, app: app)
        refusals[app] = nil
        return Entry(manifest: manifest, size: Int64(body.count), isOverridden: override != nil)
    }

    /// Asks again, under `policy`, while the trouble may pass.
    /// - Throws: `HTTPClientError`
    func download(
        _ url: String, headers: [(String, String)] = [], limit: Int, app: String, policy: RetryPolicy,
        tell: (String?) -> Void
    ) async throws -> ([UInt8], String) {
        var retries = Retries()
        while true {
            do {
                var request = HTTPRequest(url: url)
                request.headers = [("Accept", "application/json")] + headers
                request.timeLimit = Self.timeLimit
                let (response, body) = try await clients.client().data(
                    for: request, limit: limit)
                tell(nil)
                return (body, response.finalURL)
            } catch let error as HTTPClientError {
                guard error.isTransient,
                    let wait = retries.next(policy, wish: error.retryAfter, isUnreachable: error.isUnreachable)
                else { throw error }
                log.info("The manifest will be asked for again.", ["app": app, "error": error.description])
                tell("The manifest of \(app) does not come: \(error) It is asked for again.")
                try await Task.sleep(for: wait)
            }
        }
    }

    /// What an app that manages its downloads itself has at `BAManifestURL`, in whatever format; nil without that key.
    /// - Throws: `DeviceError` with code `manifestUnavailable`, or with keys in the app's bundle `refusedManifest`.
    func body(
        _ app: String, keys: BackgroundAssetsKeys, policy: RetryPolicy, trouble: TroubleReport = { _ in }
    ) async throws -> [UInt8]? {
        guard let url = keys.manifestURL, let address = WebAddress(url) else { return nil }
        let override = try await settings.urlOverride()
        let place = override.map { $0 + address.resource } ?? url
        let body: [UInt8]
        do {
            (body, _) = try await download(
                place, limit: DownloadManifest.maximumSize, app: app, policy: policy, tell: trouble)
        } catch let error as HTTPClientError {
            throw Self.unavailable(app, place, error)
        }
        if override == nil, let trust = try await verified(body, app: app, keys: keys, channel: nil, url: place) {
            try await registry.save(trust: trust, app: app)
            refusals[app] = nil
        }
        return body
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
                "\(app) leaves hosting to the store, and it was not installed from a hosting service. Install it "
                    + "with `larder install "
                    + "\(app) --from <https URL>`; for a development server run `ba-serve url-override <https "
                    + "URL>`, or set BAManifestURL and BAUsesAppleHosting to false."
            )
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
