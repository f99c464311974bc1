// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import Languages

/// Puts each method to the part that answers it. Decoding and encoding happen in the router; here nothing is decided.
struct Harness: Sendable {
    let lifecycle: AppLifecycle
    let registry: AppRegistry
    let assets: AppAssets
    let inventory: Inventory
    let settings: SettingsStore
    let personal: SettingsFile
    let languages: LanguageChanges
    let trust: TrustStore
    let store: any PackStoring
    let downloads: DownloadStore
    let space: SpaceKeeper
    let ballast: Ballast
    let content: ContentAsker
    let resources: ResourceStore
    /// Has periodic requests planned anew.
    let gate: BackgroundGate
    let replan: @Sendable () -> Void
    let doctor: Doctor
    /// Requests wait for it: before, disk and database may disagree.
    let recovery: Task<Void, any Error>
    /// Takes no more clients once somebody asked for the end.
    let listener: UnixListener
    let onStopRequest: @Sendable () -> Void

    func router() -> RequestRouter {
        var router = RequestRouter()
        addLifecycle(&router)
        addInventory(&router)
        addSettings(&router)
        addPersonSettings(&router)
        addAssets(&router)
        addDownloads(&router)
        addResources(&router)
        addDeveloper(&router)
        return router
    }

    private func addLifecycle(_ router: inout RequestRouter) {
        router.onStream(InstallRequest.self) { request, _, emit in
            try await recovery.value
            try await follow(lifecycle.begin(request.path, mustExist: false), until: request.until, emit)
        }
        router.onStream(UpdateRequest.self) { request, _, emit in
            try await recovery.value
            try await follow(lifecycle.begin(request.path, mustExist: true), until: request.until, emit)
        }
        router.onStream(HostedInstallRequest.self) { request, _, emit in
            try await recovery.value
            if let run = try await lifecycle.begin(hosted: request.app, from: request.origin) {
                return try await follow(run, until: request.until, emit)
            }
            for result in try await check(request.app) {
                if let error = result.error, error.code != .badBundle { throw error }
            }
        }
        router.onStream(WatchInstallRequest.self) { request, _, emit in
            try await recovery.value
            if let run = await lifecycle.run(of: request.app) { try await follow(run, until: request.until, emit) }
        }
        router.on(UninstallRequest.self) { request, _ in
            try await recovery.value
            try await lifecycle.uninstall(request.app)
            return EmptyReply()
        }
        router.on(LaunchRequest.self) { request, _ in
            try await recovery.value
            let isDryRun = request.isDryRun ?? false
            let reply = try await lifecycle.launch(request.app, isDryRun: isDryRun)
            if isDryRun { return reply }
            await languages.launched(request.app)
            replan()
            return reply
        }
        router.on(PauseRequest.self) { request, _ in
            try await recovery.value
            return SteeringReply(count: try await lifecycle.pause(request.app, pack: request.pack))
        }
        router.on(ResumeRequest.self) { request, _ in
            try await recovery.value
            return SteeringReply(count: try await lifecycle.resume(request.app, pack: request.pack))
        }
        router.on(CancelRequest.self) { request, _ in
            try await recovery.value
            return SteeringReply(count: try await lifecycle.cancel(request.app, pack: request.pack))
        }
        router.on(StopRequest.self, then: onStopRequest) { _, _ in
            // First, so that who was told of the end and asks again does not reach a service that is ending.
            listener.close()
            return EmptyReply()
        }
    }

    /// Tells the run's events until the goal is reached or the run is over. The run does not mind a client that leaves.
    private func follow(
        _ run: InstallRun, until goal: InstallGoal, _ emit: @escaping @Sendable (InstallEvent) -> Void
    ) async throws {
        for await event in await run.watch() {
            emit(event)
            if event.phase.isFinal || goal == .accepted { return }
            if goal != .complete, event.phase == .launchable { return }
        }
        try Task.checkCancellation()
        throw DeviceError(.unavailable, "The device service is stopping. The install goes on with its next start.")
    }

    private func addInventory(_ router: inout RequestRouter) {
        router.on(AppsRequest.self) { request, _ in
            try await recovery.value
            return AppsRequest.Reply(apps: try await inventory.apps(measures: request.measures ?? true))
        }
        router.on(PacksRequest.self) { request, _ in
            try await recovery.value
            return try await inventory.packs(request.app)
        }
        router.on(UpdateForecastsRequest.self) { request, _ in
            try await recovery.value
            return UpdateForecastsRequest.Reply(packs: try await assets.forecasts(request.app))
        }
        router.on(VerifyRequest.self) { request, _ in
            try await recovery.value
            return VerifyRequest.Reply(
                packs: try await inventory.verify(request.app, request.pack, repairs: request.repairs))
        }
        router.on(OriginsRequest.self) { _, _ in
            try await recovery.value
            return OriginsRequest.Reply(origins: try await registry.origins())
        }
        router.on(StatusRequest.self) { _, _ in
            try await recovery.value
            return try await inventory.status()
        }
        router.on(StorageRequest.self) { _, _ in
            try await recovery.value
            return try await inventory.storage()
        }
        router.on(StoragePurgeRequest.self) { request, _ in
            try await recovery.value
            let ballast = ballast
            // On a full disk there is no room for the rows of what goes.
            try await offload { ballast.lend() }
            let purged = await space.purge(max(0, request.bytes))
            try await offload { _ = ballast.restore() }
            return StoragePurgeRequest.Reply(purged: purged)
        }
        router.on(CheckRequest.self) { request, _ in
            try await recovery.value
            return CheckRequest.Reply(apps: try await check(request.app))
        }
        router.on(DoctorRequest.self) { request, _ in
            try await recovery.value
            return DoctorRequest.Reply(findings: try await doctor.examine(request.app))
        }
    }

    /// One app's trouble does not keep the others from being checked.
    private func check(_ app: String?) async throws -> [CheckRequest.AppResult] {
        if let app { _ = try await registry.existing(app) }
        var results: [CheckRequest.AppResult] = []
        for record in try await registry.apps() where app == nil || record.id == app {
            do {
                if let answer = try await content.refresh(record.id, event: "periodic") {
                    results.append(CheckRequest.AppResult(app: record.id, updating: answer.scheduled, removed: []))
                    continue
                }
                let reply = try await assets.checkForUpdates(record.id)
                results.append(
                    CheckRequest.AppResult(
                        app: record.id, updating: reply.updating, underWay: reply.underWay ?? [], removed: reply.removed
                    ))
            } catch let error as DeviceError where app == nil && error.code == .badBundle {
                continue  // An app without managed packs has nothing to check.
            } catch {
                results.append(
                    CheckRequest.AppResult(
                        app: record.id, updating: [], removed: [], error: DeviceError(wrapping: error)))
            }
        }
        return results
    }

    private func addSettings(_ router: inout RequestRouter) {
        router.on(TrustAddRequest.self) { request, _ in
            try await trust.add(name: request.name, pem: request.pem)
            return EmptyReply()
        }
        router.on(TrustListRequest.self) { _, _ in TrustListRequest.Reply(names: try await trust.names()) }
        router.on(TrustRemoveRequest.self) { request, _ in
            try await trust.remove(name: request.name)
            return EmptyReply()
        }
        router.on(URLOverrideSetRequest.self) { request, _ in
            try await settings.setURLOverride(request.url)
            return EmptyReply()
        }
        router.on(URLOverrideGetRequest.self) { _, _ in
            URLOverrideGetRequest.Reply(url: try await settings.urlOverride())
        }
        router.on(LanguagesGetRequest.self) { _, _ in
            LanguagesGetRequest.Reply(
                languages: try await assets.languages.preferred().map(\.description),
                isSet: personal.current.languages != nil)
        }
        router.on(LanguagesReportRequest.self) { request, _ in
            try await recovery.value
            try await settings.reportLanguages(request.languages)
            await languages.personChanged()
            return EmptyReply()
        }
        router.on(URLOverrideClearRequest.self) { _, _ in
            try await settings.clearURLOverride()
            return EmptyReply()
        }
    }

    private func addAssets(_ router: inout RequestRouter) {
        router.on(ManifestRequest.self) { request, _ in
            try await recovery.value
            return try await assets.manifest(request.app, refresh: request.refresh)
        }
        router.on(PackStatusRequest.self) { request, _ in
            try await recovery.value
            return PackStatusRequest.Reply(status: try await assets.status(request))
        }
        router.on(EnsureLocalAvailabilityRequest.self) { request, _ in
            try await recovery.value
            return try await assets.ensureLocalAvailability(request)
        }
        router.on(CheckForUpdatesRequest.self) { request, _ in
            try await recovery.value
            return try await assets.checkForUpdates(request.app)
        }
        router.on(RemovePackRequest.self) { request, _ in
            try await recovery.value
            try await assets.remove(request.app, pack: request.pack)
            return EmptyReply()
        }
        router.on(CancelDownloadRequest.self) { request, _ in
            try await recovery.value
            try await assets.cancel(request.app, pack: request.pack)
            return EmptyReply()
        }
        router.on(ReconcileLanguagesRequest.self) { request, _ in
            try await recovery.value
            return try await assets.reconcileLanguages(request.app)
        }
        router.onStream(StatusUpdatesRequest.self) { request, _, emit in
            try await recovery.value
            try await assets.statusUpdates(request, emit: emit)
        }
    }
}
