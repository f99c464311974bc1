// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Database
import DeviceProtocol
import HTTP
import Kit
import System

/// The device service: owns a state folder, listens on its socket, and runs everything behind it until it is stopped.
package final class DeviceService: Sendable {
    private let server: SocketServer
    private let lifecycle: AppLifecycle
    private let scheduler: PeriodicScheduler
    private let languages: LanguageChanges
    private let gate: BackgroundGate
    private let reporter: RolloutReporter
    private let notes: NoteBoard
    private let housekeeper: Housekeeper
    private let store: any PackStoring
    private let downloads: DownloadStore
    private let database: SQLiteDatabase
    private let recovery: Task<Void, any Error>
    private let lock: LockHolder
    /// Undoes what ties the parts to each other.
    private let untie: @Sendable () -> Void
    private let log: Logger

    /// Keeps the state lock for as long as the service lives.
    private final class LockHolder: Sendable {
        let lock: StateLock
        private init(_ lock: consuming StateLock) { self.lock = lock }

        static func take(_ paths: LarderPaths) throws -> LockHolder { LockHolder(try StateLock.take(paths)) }
    }

    /// Starts a service. It listens when this returns; requests wait until what the last process left is recovered.
    /// - Throws: `DeviceError` when another service has the folder or the socket; `DatabaseError`, `KitError`, `Errno`.
    package static func start(_ configuration: ServiceConfiguration) async throws -> DeviceService {
        let paths = configuration.paths
        let ballast = Ballast(paths)
        let lock = try await offload {
            try paths.prepareRuntime()
            try paths.prepareState()
            let lock = try LockHolder.take(paths)
            // A database is opened with files of its own beside it.
            ballast.lend()
            return lock
        }
        let database = try await open(paths)
        let settings = SettingsStore(database: database)
        let trust = TrustStore(paths)
        let clients = TrustedClient(
            trust, version: configuration.version, stallTimeout: configuration.stallTimeout,
            slowTimeout: configuration.slowTimeout)
        let registry = AppRegistry(database: database)
        let bundles = BundleStore(paths: paths)
        let hosts = HostLimits(registry: registry, bundles: bundles, settings: settings)
        let personal = try await offload { SettingsFile(paths.configuration) }
        let conditions = ConditionsReader(root: configuration.conditionsRoot)
        let gate = BackgroundGate(BackgroundGate.Tools(settings: personal, conditions: conditions))
        let governor = BandwidthGovernor()
        let transfers = TransferDispatcher(gate: gate)
        let notes = try await NoteBoard(database, log: configuration.log.named("notes"))
        let space = SpaceKeeper(state: paths.state, notes: notes, log: configuration.log.named("space"))
        space.sweeper.sweep()
        let catalogue = Catalogue(
            registry: registry, settings: settings, clients: clients, notes: notes, now: configuration.now,
            log: configuration.log)
        let store = PackStore(
            state: paths.state, database: database, clients: clients, governor: governor, log: configuration.log,
            transfers: transfers, space: space,
            hostRule: { try await hosts.rule($0) },
            renewal: catalogue.renewal(registry, bundles))
        let usage = UsageStore(database: database)
        if let trouble = personal.trouble {
            notes.add(trouble, lasts: false)
            configuration.log.error("The settings cannot be read.", ["what": trouble])
        }
        let sandbox: @Sendable () -> ExtensionSandbox = {
            ExtensionSandbox(mode: personal.current.sandbox, program: configuration.sandboxProgram)
        }
        let extensions = ExtensionHost(
            sandbox: sandbox, usage: usage, notes: notes, log: configuration.log,
            timeLimit: configuration.extensionTimeLimit, storage: { personal.current.extensionStorageLimit })
        let groups = AppGroups(registry: registry, bundles: bundles)
        let downloads = DownloadStore(
            DownloadTools(
                paths: paths, database: database, registry: registry, bundles: bundles, groups: groups,
                settings: settings,
                clients: clients, hosts: hosts, extensions: extensions, governor: governor, transfers: transfers,
                personal: personal, conditions: conditions, answerTimeLimit: configuration.answerTimeLimit,
                returnPatience: configuration.returnPatience, space: space,
                log: configuration.log.named("downloads")))
        let content = ContentAsker(
            downloads: downloads, catalogue: catalogue, registry: registry, bundles: bundles, extensions: extensions,
            paths: paths, settings: personal)
        let periodic = Locked<PeriodicScheduler?>(nil)
        governor.setLimits(personal.current.bandwidthLimits)
        let replan: @Sendable () -> Void = {
            governor.setLimits(personal.current.bandwidthLimits)
            guard let periodic = periodic.withLock({ $0 }) else { return }
            Task { await periodic.replan() }
        }
        let housekeeper = Housekeeper(database: database, space: space, ballast: ballast)
        let appLanguages = AppLanguages(paths: paths, settings: settings, personal: personal)
        let assets = AppAssets(
            registry: registry, bundles: bundles, catalogue: catalogue, store: store, space: space,
            languages: appLanguages)
        let languages = LanguageChanges(
            assets: assets, content: content, extensions: extensions, usage: usage, settings: personal, notes: notes,
            log: configuration.log.named("languages"))
        let resources = ResourceStore(
            ResourceTools(
                registry: registry, assets: assets, store: store, space: space,
                tables: ResourceTables(database: database), paths: paths, settings: personal,
                log: configuration.log.named("resources"), patience: configuration.releasePatience))
        let lifecycle = AppLifecycle(
            InstallTools(
                registry: registry, bundles: bundles, catalogue: catalogue, store: store,
                downloads: downloads, content: content, extensions: extensions, usage: usage, settings: personal,
                gate: gate,
                languages: appLanguages, space: space, groups: groups,
                removal: AppRemoval(
                    registry: registry, store: store, downloads: downloads, groups: groups, bundles: bundles,
                    usage: usage, gate: gate, ballast: ballast, log: configuration.log.named("lifecycle")),
                notes: notes, clients: clients, governor: governor,
                manifestRetries: configuration.manifestRetries,
                log: configuration.log.named("lifecycle")), paths: paths,
            quiet: {
                housekeeper.tidy()
                replan()
            })
        let reporter = RolloutReporter(
            registry: registry, settings: personal, clients: clients, log: configuration.log.named("rollouts"))
        let packEvents = store.events(ofApp: nil)
        let recovery = Task {
            gate.launched(try await registry.apps().filter(\.wasLaunched).map(\.id))
            _ = try await offload { SandboxLeftovers.end(below: paths.apps) }
            try await store.recover()
            try await downloads.recover()
            try await lifecycle.recover()
            try await languages.recover()
            await resources.publishLimit()
            await reporter.start(packEvents)
        }
        let listener: UnixListener
        if let given = configuration.listener {
            listener = given
        } else {
            listener = try await listen(at: paths.socket)
        }
        let request = PeriodicRequest(
            assets: assets, lifecycle: lifecycle, content: content, settings: personal,
            log: configuration.log.named("periodic"))
        let scheduler = PeriodicScheduler(
            PeriodicScheduler.Tools(
                registry: registry, usage: usage, settings: personal,
                conditions: conditions, log: configuration.log.named("periodic"), check: { await request.make($0) }))
        periodic.withLock { $0 = scheduler }
        let harness = Harness(
            lifecycle: lifecycle, registry: registry, assets: assets,
            inventory: Inventory(
                registry: registry, store: store, downloads: downloads, lifecycle: lifecycle, paths: paths,
                space: space, version: configuration.version,
                notes: notes, groups: groups, ballast: ballast),
            settings: settings, personal: personal, languages: languages, trust: trust, store: store,
            downloads: downloads, space: space, ballast: ballast, content: content, resources: resources,
            gate: gate, replan: replan,
            doctor: Doctor(
                registry: registry, bundles: bundles, settings: settings, trust: trust, paths: paths,
                space: space, sandbox: sandbox,
                now: configuration.now, refusal: { await catalogue.refusals[$0] }),
            recovery: recovery, listener: listener, onStopRequest: configuration.onStopRequest)
        var router = harness.router()
        router.presence = { gate.connected($0, $1) }
        downloads.router.withLock { [router] in $0 = router }
        let server = SocketServer(
            listener, version: configuration.version, router: router, log: configuration.log,
            onLeave: { housekeeper.tidy() })
        try server.start()
        Task {
            try? await recovery.value
            replan()
        }
        return DeviceService(
            server, lifecycle, scheduler, languages, gate, reporter, notes, housekeeper, store, downloads, database,
            recovery,
            lock,
            untie: {
                downloads.router.withLock { $0 = RequestRouter() }
                periodic.withLock { $0 = nil }
            }, configuration.log)
    }

    /// The folder is this service's by now. Who still listens has another one, or was killed and is closing what it had open one by
    /// one: the lock goes before the socket does.
    private static func listen(at path: FilePath) async throws -> UnixListener {
        let policy = RetryPolicy(first: .milliseconds(5), longest: .milliseconds(200), patience: .seconds(3))
        var retries = Retries()
        while true {
            do {
                return try UnixListener(path: path)
            } catch let error as KitError where error.code == .peerAlive {
                guard let wait = retries.next(policy) else { throw error }
                try await Task.sleep(for: wait)
            }
        }
    }

    private static func open(_ paths: LarderPaths) async throws -> SQLiteDatabase {
        do {
            // Whoever has the lock has the database to itself.
            return try await SQLiteDatabase(path: paths.database, migrations: Schema.migrations, isAlone: true)
        } catch  where StoreError.isNoSpace(error) {
            throw DeviceError(
                .noSpace,
                "There is no room for the database \(paths.database), which is new or has to be brought up to "
                    + "date. Free "
                    + "\(ByteCount.formatted(Ballast.leastFree)) and start the service again.")
        }
    }

    private init(
        _ server: SocketServer, _ lifecycle: AppLifecycle, _ scheduler: PeriodicScheduler,
        _ languages: LanguageChanges, _ gate: BackgroundGate, _ reporter: RolloutReporter, _ notes: NoteBoard,
        _ housekeeper: Housekeeper, _ store: any PackStoring,
        _ downloads: DownloadStore,
        _ database: SQLiteDatabase,
        _ recovery: Task<Void, any Error>, _ lock: LockHolder, untie: @escaping @Sendable () -> Void, _ log: Logger
    ) {
        self.server = server
        self.lifecycle = lifecycle
        self.scheduler = scheduler
        self.languages = languages
        self.gate = gate
        self.reporter = reporter
        self.notes = notes
        self.housekeeper = housekeeper
        self.store = store
        self.downloads = downloads
        self.database = database
        self.recovery = recovery
        self.lock = lock
        self.untie = untie
        self.log = log
    }

    /// Waits until what the last process left is taken up again.
    /// - Throws: what recovery failed with; requests fail with the same.
    package func recovered() async throws { try await recovery.value }

    /// Ends: no more clients, downloads stopped where they can go on from, database closed. Everything goes on with the
    /// next start.
    package func stop() async {
        log.info("Stopping.")
        server.refuse()
        await scheduler.stop()
        await lifecycle.stop()
        await languages.stop()
        gate.stop()
        await reporter.stop()
        await store.close()
        await downloads.close()
        // Last, so that whoever asked for the end is told of it.
        await server.close()
        await housekeeper.stop()
        await notes.close()
        await database.close()
        lock.lock.release()
        untie()
    }
}
