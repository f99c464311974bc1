// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import AssetPacks
import DeviceProtocol
import Kit
import System

/// The effects of an install, each on its own: they know the plan, not the state.
struct InstallSteps: Sendable {
    let plan: InstallPlan
    let tools: InstallTools

    private var source: FilePath { FilePath(plan.source) }

    /// What a step tells while it goes on.
    enum News: Sendable {
        /// Bytes of the base app.
        case copied(Int64)
        /// Bytes of a hosted build's archive.
        case fetched(Int64, bytesPerSecond: Double)
        /// Trouble that is waited out, in words; nil when it has passed.
        case trouble(String?)
    }

    /// Does what `action` says and returns the fact it is answered by.
    /// - Throws: what the action failed with; `rollBack` never does.
    func perform(
        _ action: InstallMachine.Action, tell: @escaping @Sendable (News) -> Void
    ) async throws -> InstallMachine.Fact {
        switch action {
        case .downloadApp:
            try await downloadArchive(tell)
            return .fetchedAll
        case .unpackApp:
            try await unpack { tell(.copied($0)) }
            return .unpacked
        case .choosePacks: return try await choose { tell(.trouble($0)) }
        case .askExtension(let packs): return await ask(packs)
        case .planSpace(let items):
            let requests = items.compactMap { PackRequest($0, of: plan) }
            let downloads = items.filter { $0.pack == nil }.reduce(Int64(0)) { $0.addingClamped($1.size) }
            // An archive's base app is on the disk by now.
            let besides = downloads.addingClamped(plan.archive == nil ? plan.baseSize : 0)
            let store = tools.store
            return .planned(
                try await tools.space.plan(for: plan.displayName, app: plan.app) {
                    try await store.plan(requests, alsoWriting: besides)
                })
        case .copyApp:
            try await copy { tell(.copied($0)) }
            return .copiedAll
        case .commit:
            try await commit()
            return .committed
        case .rollBack:
            await rollBack()
            return .rolledBack
        case .request, .endStep, .pauseItems, .resumeItems, .cancelItems:
            throw DeviceError(.failed, "An action was taken for a step. This is a fault of larderd.")
        }
    }

    private func bundle() async throws -> AppBundle {
        let source = source
        return try await offload { try AppBundleReader.bundle(at: source) }
    }

    private func choose(_ trouble: @escaping Catalogue.TroubleReport) async throws -> InstallMachine.Fact {
        if plan.isUnmanaged { return try await askForDownloads(trouble) }
        guard plan.isManaged else { return .chosen([]) }
        let keys = try await bundle().backgroundAssets
        let entry = try await tools.catalogue.fetch(
            plan.app, keys: keys, policy: tools.manifestRetries, trouble: trouble)
        let record = try await tools.registry.app(plan.app)
        let source = source
        let tags = try await offload { try InstalledTags(app: source) }
        let local = record == nil ? [] : try await tools.store.localPacks(app: plan.app)
        return .chosen(
            PackSelection.select(
                PackSelection.Facts(
                    manifest: entry.manifest.assetPacks, manifestSize: entry.size, event: plan.event.eventType,
                    keys: keys,
                    wasLaunched: !plan.isFirstInstall && record?.wasLaunched ?? false,
                    isOverridden: entry.isOverridden, store: try await tools.registry.store(plan.app, keys),
                    local: Dictionary(local.map { ($0.id, $0.version) }) { $1 },
                    language: try await tools.languages.rule(plan.app, entry.manifest, keys),
                    allowsInAppContent: tools.settings.current.allowsInAppContent,
                    downloadPriorities: tags?.downloadPriorities ?? [:])))
    }

    /// Asks the app's own extension what it wants (C3).
    private func askForDownloads(_ trouble: @escaping Catalogue.TroubleReport) async throws -> InstallMachine.Fact {
        if await isClosed { return .chosen([]) }
        // Without in-app content nothing comes before the first launch (C11).
        let isLaunched = try await tools.registry.app(plan.app)?.wasLaunched ?? false
        guard isLaunched && !plan.isFirstInstall || tools.settings.current.allowsInAppContent else {
            return .chosen([])
        }
        let answer = try await tools.content.ask(
            ContentAsker.Question(event: plan.event.eventName, isFirst: plan.isFirstInstall), try await bundle(),
            policy: tools.manifestRetries, trouble: trouble)
        return .chosen(
            answer.taken.downloads.filter { !$0.state.hasEnded }.compactMap { PlannedItem($0) }
                + answer.taken.refused.map { PlannedItem(refused: $0.download, $0.error) }, trouble: answer.trouble)
    }

    /// An app that its person closed for good: its extension is not woken for an update (C5).
    private var isClosed: Bool {
        get async {
            guard plan.kind == .update, !plan.isSimulated else { return false }
            return (try? await tools.usage.usage(plan.app))?.isClosed ?? false
        }
    }

    private func ask(_ packs: [DownloadManifestPack]) async -> InstallMachine.Fact {
        if await isClosed { return .answered(declined: [], trouble: nil) }
        guard let bundle = try? await bundle(), let subject = ExtensionSubject(bundle, paths: tools.bundles.paths)
        else {
            return .answered(declined: [], trouble: nil)
        }
        let decisions = await tools.extensions.shouldDownload(
            packs.map { PackDescription($0) }, event: plan.event.eventName, subject)
        return .answered(declined: decisions.declined, trouble: decisions.trouble)
    }

    private func downloadArchive(_ tell: @escaping @Sendable (News) -> Void) async throws {
        guard let hosted = plan.hosted, let archive = plan.archive else { return }
        let (store, bytes) = (tools.store, plan.baseSize.addingClamped(hosted.build.archive.size - hosted.fetched))
        let space = try await tools.space.plan(for: plan.displayName, app: plan.app) {
            try await store.plan([], alsoWriting: bytes)
        }
        guard space.fits else { throw space.refusal(of: plan.displayName) }
        let (app, catalogue, policy) = (plan.app, tools.catalogue, tools.manifestRetries)
        try await AppDownload(
            app: app, hosted: hosted, archive: FilePath(archive), clients: tools.clients, governor: tools.governor,
            policy: policy, renewal: { try await catalogue.offer(app, hosted.origin, policy: policy) }
        ).run(tell)
    }

    /// A hosted build must be what its service described.
    private func check(_ bundle: AppBundle, _ hosted: HostedInstall) throws {
        let keys = bundle.backgroundAssets
        guard bundle.identifier == plan.app, bundle.version == plan.version, bundle.build == hosted.build.build,
            keys.mode == hosted.build.mode, keys.appGroupID == hosted.build.appGroupID
        else {
            throw DeviceError(
                .badBundle,
                "\(hosted.origin.host) describes \(plan.app) \(plan.version) and sends \(bundle.identifier) "
                    + "\(bundle.version), or one with other keys. Tell its operator.")
        }
    }

    /// Writes an archive's base app out and checks it as a folder is checked.
    private func unpack(_ copied: @escaping @Sendable (Int64) -> Void) async throws {
        let (bundles, plan, source, store) = (tools.bundles, plan, source, tools.store)
        let space = try await tools.space.plan(for: plan.displayName, app: plan.app) {
            try await store.plan([], alsoWriting: plan.baseSize)
        }
        guard space.fits else { throw space.refusal(of: plan.displayName) }
        let archive = AppArchive(path: FilePath(plan.archive ?? ""))
        let bundle = try await offloadCancellable { isCancelled in
            try bundles.unpack(
                archive, app: plan.app, number: plan.bundle, size: plan.baseSize,
                progress: Self.counting(copied, isCancelled))
            return try AppBundleReader.bundle(at: source)
        }
        if let hosted = plan.hosted { return try check(bundle, hosted) }
        guard bundle.identifier == plan.app, bundle.version == plan.version else {
            throw DeviceError(
                .badBundle,
                "\(archive.path) changed while it was being read: it held \(plan.app) \(plan.version) and holds "
                    + "\(bundle.identifier) \(bundle.version). Try again when nothing writes to it.")
        }
    }

    private func copy(_ copied: @escaping @Sendable (Int64) -> Void) async throws {
        let (bundles, plan, source) = (tools.bundles, plan, source)
        try await offloadCancellable { isCancelled in
            if plan.archive != nil {
                try bundles.complete(app: plan.app, number: plan.bundle)
                if plan.hosted != nil { try bundles.removeArchive(plan.app, number: plan.bundle) }
                return
            }
            try bundles.copy(
                source, app: plan.app, number: plan.bundle, progress: Self.counting(copied, isCancelled))
        }
        try await tools.store.prepare(app: plan.app)
    }

    /// Passes every MiB on, and ends the work when it is no longer wanted.
    private static func counting(
        _ copied: @escaping @Sendable (Int64) -> Void, _ isCancelled: @escaping @Sendable () -> Bool
    ) -> (Int64) throws -> Void {
        var reported: Int64 = 0
        return { bytes in
            if isCancelled() { throw CancellationError() }
            if bytes - reported >= 1 << 20 {
                reported = bytes
                copied(bytes)
            }
        }
    }

    private func commit() async throws {
        let (bundles, plan) = (tools.bundles, plan)
        let folder = source.lastComponent?.string ?? ""
        let path = bundles.folder(plan.app).appending("\(plan.bundle)")
        let (bundle, size) = try await offload {
            (try AppBundleReader.bundle(at: path.appending(folder)), try TreeSize.measure(path))
        }
        // The journal of this install must outlast the base that the row still names.
        try await tools.registry.flush()
        try await offload { try bundles.commit(plan.app, number: plan.bundle) }
        try await tools.store.linkResources(app: plan.app)
        let (root, limit) = (bundles.paths.appRoot(plan.app), tools.settings.current.resourcesInUse)
        try await offload { try ResourceTools.publish(limit: limit, base: path.appending(folder), root: root) }
        let launched = try await tools.registry.app(plan.app)?.wasLaunched ?? false
        try await tools.registry.save(
            AppRecord(
                id: plan.app, displayName: plan.displayName, version: plan.version, bundle: plan.bundle, folder: folder,
                executable: bundle.executableName, wasLaunched: launched, baseSize: size.logical,
                baseAllocatedSize: size.allocated))
        // What the app shared under another name is nobody's now, unless another app has it.
        if let former = plan.formerGroup, former != plan.group {
            try await tools.groups.leave(plan.app, former, downloads: tools.downloads)
        }
        try await tools.registry.save(
            origin: plan.hosted?.origin, build: plan.hosted?.build.id ?? "", app: plan.app)
        if let manifest = try await tools.registry.manifest(plan.app) {
            try await tools.languages.publish(
                plan.app, try await tools.languages.rule(plan.app, manifest, bundle.backgroundAssets))
        }
    }

    /// Takes away what was made. What cannot be is logged and taken up again at the next start.
    private func rollBack() async {
        do {
            guard plan.kind == .install else { return try await takeUpdateBack() }
            try await tools.removal.remove(plan.app, try? await bundle())
        } catch {
            tools.log.error("An install could not be undone whole.", ["app": plan.app, "error": "\(error)"])
        }
    }

    private func takeUpdateBack() async throws {
        let (bundles, plan) = (tools.bundles, plan)
        let pending = plan.pending()
        await tools.downloads.withdraw(pending.compactMap(\.download), app: plan.app)
        for pack in pending.compactMap(\.pack) { try await tools.store.cancel(app: plan.app, pack: pack.id) }
        if plan.isSimulated { return }
        try await offload { try bundles.remove(plan.app, number: plan.bundle) }
        // Its extension may have had another group's folder made.
        if plan.group != plan.formerGroup {
            try await tools.groups.leave(plan.app, plan.group, downloads: tools.downloads)
        }
    }

    /// Puts down what the ended install leaves to tell, and takes its journal away.
    func conclude(_ machine: InstallMachine) async {
        do {
            if machine.state == .complete, plan.isManaged {
                let notes = (machine.plan.items ?? []).compactMap { item in
                    let state = [.finished, .pending, .held].contains(item.state) ? nil : item.state
                    return item.pack.map { (pack: $0.id, state: state, message: item.error?.message) }
                }
                try await tools.registry.note(plan.app, notes)
                if !plan.isSimulated { try await liftRestrictions(machine) }
                if plan.kind == .update { try await removeObsolete() }
            }
            try await tools.registry.endJournal(plan.app)
        } catch {
            tools.log.error("An install's end could not be noted.", ["app": plan.app, "error": "\(error)"])
        }
    }

    /// What was held back until the first launch is fetched now if that came before this was noted.
    private func liftRestrictions(_ machine: InstallMachine) async throws {
        let deferred = (machine.plan.items ?? []).filter { $0.state == .deferred }.compactMap(\.pack)
        guard !deferred.isEmpty, try await tools.registry.app(plan.app)?.wasLaunched == true else { return }
        try await tools.store.request(
            deferred.map { PackRequest(app: plan.app, pack: $0, kind: .prefetch, foreground: false) })
        try await tools.registry.note(plan.app, deferred.map { ($0.id, nil, nil) })
    }

    /// Packs that the newest manifest no longer has (BA 1.11).
    private func removeObsolete() async throws {
        guard plan.isManaged, let manifest = try await tools.registry.manifest(plan.app) else { return }
        for pack in try await tools.store.localPacks(app: plan.app) where manifest[pack.id] == nil {
            try await tools.store.remove(app: plan.app, pack: pack.id)
        }
    }
}
