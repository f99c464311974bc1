// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import DeviceSupport
import Kit
import System
import TestSupport

/// What a round does, what it comes from and where it must end.
extension Campaign {
    private static let app = SampleApp.bundleID

    // MARK: - Before

    /// Brings the device to where the round begins; nothing goes wrong here.
    func prepare(_ script: RoundScript) async throws {
        if running.withLock({ $0.reader }) == nil { try startReader() }
        if script.scenario.concernsDownloader { return try await prepareDownloader(script) }
        let start = script.scenario == .install ? 0 : script.before
        server.publish(editions[max(0, start - 1)])
        if script.scenario == .install {
            try await release()
            try await until("the app is gone before the round") { try await self.uninstall() }
        } else {
            let withThird = script.scenario == .cancel || script.scenario == .fetch
            if withThird { try await release("Third") }
            try await until("version \(start) is there before the round") {
                try await self.installed(version: start)
                try await self.ensure(Publication.always)
                if withThird { try await self.remove("Third") }
            }
            try await require(Publication.always)
        }
        server.publish(editions[script.after - 1])
        if script.scenario == .uninstall { try await release() }
        if script.scenario == .schedule { try publishFilms(script) }
        if script.scenario == .removeAndFetch { try await release("Second") }
    }

    private func prepareDownloader(_ script: RoundScript) async throws {
        try publishFilms(script)
        try await clearDownloader()
        try publishList([])
        if script.scenario == .wakeInstall {
            try await until("the downloader is gone before the round") { try await self.uninstall(Self.downloader) }
        } else {
            try await until("the downloader is there before the round") { try await self.installDownloader() }
            try await clearDownloader()
        }
        try publishList(script.films)
    }

    private func isInstalled(_ app: String) async throws -> Bool {
        try await device.connect().send(AppsRequest()).apps.contains { $0.app == app }
    }

    private func installDownloader() async throws {
        if try await !isInstalled(Self.downloader) { try await install(downloaderBundle) }
    }

    private func installed(version: Int) async throws {
        if try await !isInstalled(Self.app) { try await install(bundles[version - 1]) }
    }

    private func install(_ bundle: FilePath) async throws {
        for event in try await device.install(bundle, until: .complete) {
            if let error = event.error, event.phase.isFinal { throw error }
        }
    }

    private func uninstall(_ app: String = Campaign.app) async throws {
        guard try await isInstalled(app) else { return }
        _ = try await device.connect().send(UninstallRequest(app: app))
    }

    /// A pack that is not there is fine.
    private func remove(_ pack: String) async throws {
        do {
            _ = try await device.connect().send(RemovePackRequest(app: Self.app, pack: pack))
        } catch let error as DeviceError where error.code == .packNotFound {}
    }

    private func ensure(_ packs: [String]) async throws {
        let connection = try await device.connect()
        _ = try await connection.send(ManifestRequest(app: Self.app, refresh: true))
        let reply = try await connection.send(
            EnsureLocalAvailabilityRequest(app: Self.app, packs: packs, requireLatestVersions: true))
        if let failure = reply.failures.first { throw failure.error }
    }

    // MARK: - During

    /// The scenario's own calls, again and again until they have an answer or the task is cancelled.
    func act(_ script: RoundScript) async {
        while !Task.isCancelled {
            let known = starts.peek { $0 }
            do {
                return try await attempt(script)
            } catch let error as DeviceError where [.disconnected, .unavailable].contains(error.code) {
                await nextStart(after: known)
            } catch {
                return
            }
        }
    }

    private func attempt(_ script: RoundScript) async throws {
        let connection = try await device.connect()
        switch script.scenario {
        case .install, .updateApp:
            for try await _ in connection.stream(
                InstallRequest(path: bundles[script.after - 1].string, until: .complete))
            {}
        case .updatePacks, .downgrade: try await ensure(Publication.always)
        case .fetch:
            try await ensure(["Third"])
            // Told to be there: from now on it stays, whatever dies.
            try await require(["Third"])
        case .removeAndFetch:
            try await remove("Second")
            try await ensure(["Second"])
        case .pauseAndResume:
            _ = try await connection.send(CheckForUpdatesRequest(app: Self.app))
            _ = try await connection.send(PauseRequest(app: Self.app))
            _ = try await connection.send(ResumeRequest(app: Self.app))
            _ = try await connection.send(PauseRequest(app: Self.app))
        case .cancel:
            let fetch = Task { try? await self.ensure(["Third"]) }
            _ = try await connection.send(ManifestRequest(app: Self.app, refresh: false))
            _ = try await connection.send(CancelDownloadRequest(app: Self.app, pack: "Third"))
            await fetch.value
        case .uninstall: try await uninstall()
        case .schedule: await scheduleFilms(script)
        case .wake: try await simulate()
        case .wakeInstall:
            for try await _ in connection.stream(InstallRequest(path: downloaderBundle.string, until: .complete)) {}
        }
    }

    // MARK: - After

    /// The faults are over: the wanted state comes by itself or with the next call.
    func recover(_ script: RoundScript) async throws {
        switch script.scenario {
        case .install, .updateApp:
            try await until("the install is done") {
                try await self.letInstallEnd(Self.app)
                let apps = try await self.device.connect().send(AppsRequest()).apps
                if apps.first(where: { $0.app == Self.app })?.version != "\(script.after).0" {
                    try await self.install(self.bundles[script.after - 1])
                }
                try await self.ensure(Publication.always)
            }
        case .updatePacks, .downgrade, .removeAndFetch:
            try await until("the packs are there") { try await self.ensure(Publication.always) }
        case .pauseAndResume:
            try await until("the packs are there") {
                _ = try await self.device.connect().send(ResumeRequest(app: Self.app))
                try await self.ensure(Publication.always)
            }
        case .fetch: try await until("the pack is there") { try await self.ensure(["Third"]) }
        case .cancel:
            try await until("the download is cancelled") {
                _ = try await self.device.connect().send(CancelDownloadRequest(app: Self.app, pack: "Third"))
            }
        case .uninstall: try await until("the app is gone") { try await self.uninstall() }
        case .schedule: try await awaitFilms(script)
        case .wake: try await awaitDownloader(script)
        case .wakeInstall:
            try await until("the downloader is installed") {
                try await self.letInstallEnd(Self.downloader)
                try await self.installDownloader()
            }
            try await awaitDownloader(script)
        }
    }

    /// What goes on by itself is let go on, until it has ended one way or the other.
    private func letInstallEnd(_ app: String) async throws {
        do {
            for try await event in try await device.connect().stream(WatchInstallRequest(app: app, until: .complete))
            where event.phase.isFinal && event.error != nil { return }
        } catch let error as DeviceError where error.code != .disconnected {}
    }

    /// Tries what may fail for a moment until it does not, or the time is over, in the middle of it too.
    @discardableResult
    func until<Result: Sendable>(
        _ what: String, _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let end = ContinuousClock.now + .seconds(90)
        while true {
            let attempt = Task {
                let result = try await body()
                try Task.checkCancellation()
                return result
            }
            let timer = Task {
                try await Task.sleep(until: end, clock: .continuous)
                attempt.cancel()
            }
            defer { timer.cancel() }
            do {
                return try await attempt.value
            } catch {
                guard ContinuousClock.now < end else { throw Violation("not within 90 s: \(what): \(error)") }
                await nextChange()
            }
        }
    }
}
