// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import AssetPacks
import DeviceProtocol
import Kit
import Languages

/// Follows the person's languages: when another one is resolved for an app, its extension is asked with the content request
/// `languageChange`, the packs it allows are fetched in the background, and those of the old language go (BA 1.6, 2.3). An
/// extension that chooses downloads itself is asked for them when the person's languages change.
actor LanguageChanges {
    private let assets: AppAssets
    private let content: ContentAsker
    private let extensions: ExtensionHost
    private let usage: UsageStore
    private let settings: SettingsFile
    private let notes: NoteBoard
    private let log: Logger
    private var tasks: [String: Task<Void, Never>] = [:]

    init(
        assets: AppAssets, content: ContentAsker, extensions: ExtensionHost, usage: UsageStore, settings: SettingsFile,
        notes: NoteBoard,
        log: Logger
    ) {
        self.usage = usage
        self.settings = settings
        self.assets = assets
        self.content = content
        self.extensions = extensions
        self.notes = notes
        self.log = log
    }

    /// Where it is put down what apps were told.
    private var store: SettingsStore { assets.languages.settings }

    /// Goes on with what the last process left, or what settings that have changed had put off.
    func recover() async throws {
        do {
            if try await store.toldLanguages() == nil { try await store.setToldLanguages(assets.languages.preferred()) }
        } catch  where StoreError.isNoSpace(error) {
            log.warning("The person's languages could not be noted.", ["error": "\(error)"])
        }
        for app in try await assets.registry.languageChanges() { start(app) }
    }

    func stop() async {
        for task in tasks.values { task.cancel() }
        for task in tasks.values { await task.value }
    }

    /// To be called when the person's languages may have changed: looks at every app. One app's trouble is its own.
    func personChanged() async {
        do {
            let preferred = try await assets.languages.preferred()
            let isNew = try await store.toldLanguages() != preferred
            for record in try await assets.registry.apps() {
                do {
                    if try await !chooses(record) {
                        try await look(at: record.id)
                    } else if isNew {
                        try await assets.registry.beginLanguageChange(record.id)
                        start(record.id)
                    }
                } catch let error as DeviceError where error.code == .badBundle {
                    continue  // An app without managed packs has no localised ones.
                } catch {
                    log.error("An app's language could not be looked at.", ["app": record.id, "error": "\(error)"])
                }
            }
            // The notes first: who was not told by then is told again.
            if isNew { try await store.setToldLanguages(preferred) }
        } catch {
            log.error("The apps' languages could not be looked at.", ["error": "\(error)"])
        }
    }

    /// Whether the app's extension chooses its downloads itself.
    private func chooses(_ record: AppRecord) async throws -> Bool {
        let bundles = assets.bundles
        return try await offload { try bundles.bundle(record) }.backgroundAssets.mode == .unmanaged
    }

    private func look(at app: String) async throws {
        let keys = try await assets.keys(app)
        guard let manifest = try await assets.registry.manifest(app),
            manifest.assetPacks.contains(where: { $0.language != nil })
        else { return }
        let rule = try await assets.languages.rule(app, manifest, keys)
        guard try await assets.languages.isNew(app, rule) else { return }
        // The note first: what is published is taken for done.
        try await assets.registry.beginLanguageChange(app)
        try await assets.languages.publish(app, rule)
        start(app)
    }

    /// The app is about to run: what was put off until then is done.
    func launched(_ app: String) async {
        guard let changes = try? await assets.registry.languageChanges(), changes.contains(app) else { return }
        start(app, isLaunch: true)
    }

    /// Why a change has to wait for the app's launch (C11): the first, without in-app content, or any, without background
    /// refresh. Power and network hold back its transfers only.
    private func isPutOff(_ app: String) async throws -> Bool {
        let settings = settings.current
        let record = try await assets.registry.existing(app)
        let wasLaunched = record.wasLaunched
        // What an extension would choose waits for the app that its person closed for good (C5).
        if try await usage.usage(app).isClosed, try await chooses(record) { return true }
        return !settings.allowsBackgroundRefresh(app) || !settings.allowsInAppContent && !wasLaunched
    }

    /// Carries the change out as if another language had just been resolved, in front; returns when it is done.
    /// - Returns: the packs that came, and those that went.
    /// - Throws: `DeviceError`, also when the app has no managed packs.
    func simulate(_ app: String) async throws -> (came: [String], went: [String]) {
        _ = try await assets.keys(app)
        let before = Set(try await assets.store.localPacks(app: app).map(\.id))
        try await assets.registry.beginLanguageChange(app)
        start(app, isLaunch: true, isForeground: true)
        await tasks[app]?.value
        let after = Set(try await assets.store.localPacks(app: app).map(\.id))
        return (after.subtracting(before).sorted(), before.subtracting(after).sorted())
    }

    /// One at a time. A change that comes while another is carried out, or waits for better conditions, takes its place: it
    /// looks at all packs anew.
    private func start(_ app: String, isLaunch: Bool = false, isForeground: Bool = false) {
        let previous = tasks[app]
        previous?.cancel()
        tasks[app] = Task {
            await previous?.value
            if Task.isCancelled { return }
            do {
                // The note stays: the launch goes on from there.
                if !isLaunch, try await self.isPutOff(app) { return }
                try await self.carryOut(app, isForeground: isForeground)
                try await self.assets.registry.endLanguageChange(app)
            } catch is CancellationError {
                // The note stays for the next start.
            } catch {
                await self.fail(app, DeviceError(wrapping: error))
            }
        }
    }

    private func fail(_ app: String, _ error: DeviceError) async {
        if Task.isCancelled || error.code == .unavailable { return }
        notes.add("What another language needs did not come: \(error.message)", app: app)
        _ = try? await assets.registry.endLanguageChange(app)
    }

    private func carryOut(_ app: String, isForeground: Bool) async throws {
        if try await chooses(try await assets.registry.existing(app)) {
            let answer = try await content.refresh(app, event: "languageChange", inFront: isForeground)
            return log.info("Asked the extension.", ["app": app, "scheduled": "\(answer?.scheduled.count ?? 0)"])
        }
        let keys = try await assets.keys(app)
        let manifest = try await assets.catalogue.known(app, keys: keys).manifest
        let missing = try await assets.languagePlan(app, manifest, keys).missing
        let record = try await assets.registry.existing(app)
        let bundles = assets.bundles
        let bundle = try await offload { try bundles.bundle(record) }
        var declined: Set<String> = []
        let isClosed = try await usage.usage(app).isClosed
        // An app that its person closed for good does not have its extension woken (C5).
        if !isClosed, let subject = ExtensionSubject(bundle, paths: bundles.paths) {
            let packs = missing.map { PackDescription($0) }
            declined = await extensions.shouldDownload(packs, event: "languageChange", subject).declined
        }
        let reply = try await assets.settleLanguage(
            app, manifest, keys, declined: declined, kind: .prefetch, isForeground: isForeground)
        for failure in reply.failures { notes.add(failure.error.message, app: app) }
    }
}
