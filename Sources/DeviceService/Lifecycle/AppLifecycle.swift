// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import AssetPacks
import DeviceProtocol
import Kit
import System

/// Installs, updates, launches and removes apps: at most one install or update per app at a time (C2-C4).
actor AppLifecycle {
    let tools: InstallTools
    private let paths: LarderPaths
    private let log: Logger
    /// Called when a run has ended.
    private let quiet: @Sendable () -> Void
    private var runs: [String: InstallRun] = [:]
    private var tasks: [String: Task<Void, Never>] = [:]
    /// Apps whose start or removal is being looked into.
    private var reserved: Set<String> = []

    init(_ tools: InstallTools, paths: LarderPaths, quiet: @escaping @Sendable () -> Void) {
        self.tools = tools
        self.paths = paths
        self.quiet = quiet
        log = tools.log
    }

    /// Goes on with what the last process left: removals to their end, installs from their journal.
    func recover() async throws {
        let leftovers = paths.incoming
        try await offload { try FileDescriptor.currentDirectory.removeTree(at: leftovers) }
        for app in try await tools.registry.removals() { await finishRemoval(app) }
        for (app, machine) in try await tools.registry.journaled() {
            guard var machine else {
                log.error("An install's journal cannot be read; it is undone.", ["app": app])
                try await tools.registry.endJournal(app)
                if try await tools.registry.app(app) == nil { try await tools.removal.remove(app) }
                continue
            }
            machine.restart()
            if let record = try await tools.registry.app(app) { await keepBase(of: record, and: machine.plan.bundle) }
            await tools.groups.reclaim(app, machine.plan.group)
            start(InstallRun(machine, tools))
        }
        for record in try await tools.registry.apps() where runs[record.id] == nil { await keepBase(of: record) }
        await tools.downloads.settleIn(installing: Set(runs.keys))
    }

    private func finishRemoval(_ app: String) async {
        do {
            try await tools.removal.finish(app)
        } catch {
            log.error("What is left of an app could not be removed.", ["app": app, "error": "\(error)"])
        }
    }

    /// Deletes bases that no row names any more: a power cut may bring back what an update had deleted.
    /// - Parameter next: the base of an install that goes on.
    private func keepBase(of record: AppRecord, and next: Int? = nil) async {
        let bundles = tools.bundles
        do {
            try await offload {
                guard bundles.exists(record) else { return }
                try bundles.keep(only: record.bundle, and: next, app: record.id)
            }
        } catch {
            log.warning("An old base could not be deleted.", ["app": record.id, "error": "\(error)"])
        }
    }

    /// Ends all work, leaving the journals for the next start.
    func stop() async {
        let tasks = Array(tasks.values)
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    /// Starts the install of the bundle at `path`, a folder or an archive, or its update when the app is there already.
    /// - Parameter mustExist: for updates only.
    /// - Returns: the run, which is the one under way when that is of the same bundle.
    func begin(_ path: String, mustExist: Bool) async throws -> InstallRun {
        guard path.hasPrefix("/") else {
            throw DeviceError(.badBundle, "\"\(path)\" is no absolute path.")
        }
        let found = try await AppSource.look(at: FilePath(path), paths: paths, sweeper: tools.space.sweeper)
        return try await begin(
            found.bundle.identifier, group: found.bundle.backgroundAssets.appGroupID, mustExist: mustExist
        ) { self.plan(found, path, replacing: $0) }
    }

    /// Starts an install or update, or joins the one under way when it is of the same bundle.
    /// - Parameters:
    ///   - group: the app group that its bundle names.
    ///   - plan: for an app that is there, or not.
    func begin(
        _ app: String, group: String?, mustExist: Bool, plan: (AppRecord?) -> InstallPlan
    ) async throws -> InstallRun {
        var unfinished: InstallPlan.Kind?
        if let run = runs[app] {
            let machine = await run.machine
            switch machine.repetition(by: plan(nil)) {
            case .follow:
                if mustExist { try await requireInstalled(app) }
                return run
            case .supersede:
                if !machine.plan.isSimulated { unfinished = machine.plan.event }
                run.post(.superseded)
                await tasks[app]?.value
            case .wait: await tasks[app]?.value
            case .refuse: break
            }
        }
        try reserve(app)
        defer { unreserve(app) }
        try await tools.groups.claim(app, group, downloads: tools.downloads)
        do {
            if mustExist { try await requireInstalled(app) }
            let record = try await tools.registry.app(app)
            var plan = plan(record)
            // What still came for the one before belongs to this one now.
            if let unfinished { plan.event = unfinished }
            if let record { plan.formerGroup = try await self.group(of: record) }
            return begin(plan)
        } catch {
            await tools.groups.release(app)
            throw error
        }
    }

    /// nil also when the bundle cannot be read any more.
    private func group(of record: AppRecord) async throws -> String? {
        let bundles = tools.bundles
        return try await offload { try? bundles.bundle(record) }?.backgroundAssets.appGroupID
    }

    private func requireInstalled(_ app: String) async throws {
        guard try await tools.registry.app(app) == nil else { return }
        throw DeviceError(.appNotFound, "\(app) is not installed, so it cannot be updated. Use `larder install`.")
    }

    private func plan(_ found: AppSource, _ path: String, replacing record: AppRecord?) -> InstallPlan {
        let bundle = found.bundle
        let number = (record?.bundle ?? 0) + 1
        let source = found.folder.map { tools.bundles.unpacked(bundle.identifier, number: number).appending($0) }
        return InstallPlan(
            kind: record == nil ? .install : .update, app: bundle.identifier, displayName: bundle.displayName,
            version: bundle.version, source: (source ?? bundle.path).string,
            archive: found.folder == nil ? nil : path, bundle: number, baseSize: found.size,
            sourceChange: found.lastChange, isManaged: bundle.backgroundAssets.isManaged,
            isUnmanaged: bundle.backgroundAssets.mode == .unmanaged,
            essentialAllowance: bundle.backgroundAssets.restrictions?.essentialDownloadAllowance,
            group: bundle.backgroundAssets.appGroupID)
    }

    func run(of app: String) -> InstallRun? { runs[app] }

    var events: [InstallEvent] {
        get async {
            var events: [InstallEvent] = []
            for run in runs.values { events.append(await run.event) }
            return events.sorted { $0.app < $1.app }
        }
    }

    /// Removes the app and all it has; an install under way is cancelled first.
    func uninstall(_ app: String) async throws {
        if let run = runs[app] {
            run.post(.cancel)
            await tasks[app]?.value
            guard try await tools.registry.app(app) != nil else { return }
        }
        _ = try await tools.registry.existing(app)
        try reserve(app)
        defer { unreserve(app) }
        try await tools.removal.remove(app)
        tools.notes.forget(app: app)
        log.notice("Uninstalled.", ["app": app])
        quiet()
    }

    /// Waits until the app may start, and says what to execute. The first launch lifts the restrictions (C7).
    /// - Parameter isDryRun: nothing will be executed, so this is no launch.
    func launch(_ app: String, isDryRun: Bool = false) async throws -> LaunchRequest.Reply {
        if let run = runs[app] { try await Self.hold(run) }
        let record = try await tools.registry.existing(app)
        if !isDryRun {
            do {
                try await recordLaunch(app, isFirst: !record.wasLaunched)
            } catch  where StoreError.isNoSpace(error) {
                // What is there can be used; nobody waits for room to be made to open an app.
                log.warning("A launch could not be noted.", ["app": app, "error": "\(error)"])
            }
        }
        let root = paths.appRoot(app)
        return LaunchRequest.Reply(
            executable: root.appending(record.basePath).appending(record.executable).string,
            environment: [
                "LARDER_BUNDLE_ID": app, "LARDER_APP_ROOT": root.string, "LARDER_SOCKET": paths.socket.string,
            ], isFirstLaunch: !record.wasLaunched)
    }

    private func recordLaunch(_ app: String, isFirst: Bool) async throws {
        let now = Timestamp.now.seconds
        try await tools.usage.change(app) { usage in
            usage.history.launched(at: now)
            usage.isClosed = false
        }
        if isFirst {
            try await tools.registry.markLaunched(app)
            tools.gate.launched([app])
        }
        // A simulated install may have held something back since the first launch, too.
        try await liftRestrictions(app)
    }

    private static func hold(_ run: InstallRun) async throws {
        for await event in await run.watch() {
            switch event.phase {
            case .launchable, .complete: return
            case .paused:
                throw DeviceError(
                    .notLaunchable,
                    "\(event.app) is not installed yet; its install is paused. Go on with `larder resume`.")
            case .failed, .cancelled:
                if let error = event.error { throw error }
                return  // A cancelled update leaves the app that was there; a cancelled install is not found below.
            default: continue
            }
        }
    }

    /// Fetches what only the restrictions held back.
    private func liftRestrictions(_ app: String) async throws {
        let deferred = try await tools.registry.notes(app).values.filter { $0.state == .deferred }
        guard !deferred.isEmpty, let manifest = try await tools.registry.manifest(app) else { return }
        let record = try await tools.registry.existing(app)
        let bundles = tools.bundles
        let keys = try await offload { try bundles.bundle(record) }.backgroundAssets
        // The person may read another language since the install.
        let rule = try await tools.languages.rule(app, manifest, keys)
        let packs = deferred.compactMap { manifest[$0.pack] }.filter { rule.includes($0.language) }
        try await tools.store.request(
            packs.map { PackRequest(app: app, pack: $0, kind: .prefetch, foreground: false) })
        try await tools.registry.note(app, packs.map { ($0.id, nil, nil) })
    }

    /// Keeps everything else that would change the app away, until `unreserve`.
    func reserve(_ app: String) throws {
        guard runs[app] == nil else {
            throw DeviceError(
                .appBusy,
                "\(app) is being installed or updated. `larder watch \(app)` shows how far that is, `larder cancel \(app)` "
                    + "ends it; then try again.", details: ["app": app])
        }
        guard reserved.insert(app).inserted else {
            throw DeviceError(
                .appBusy, "\(app) is being removed, or another install of it just begins. Try again in a moment.",
                details: ["app": app])
        }
    }

    func unreserve(_ app: String) { reserved.remove(app) }

    /// Begins a run of an app that is reserved.
    func begin(_ plan: InstallPlan) -> InstallRun {
        let run = InstallRun(InstallMachine(plan), tools)
        start(run)
        return run
    }

    private func start(_ run: InstallRun) {
        let app = run.app
        runs[app] = run
        tasks[app] = Task {
            await run.run {
                await self.tools.groups.release(app)
                await self.ended(app)
            }
        }
    }

    private func ended(_ app: String) {
        runs[app] = nil
        tasks[app] = nil
        quiet()
    }
}
