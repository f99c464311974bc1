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
        if running.withLock({ $0.reader }) == nil { try await startReader() }
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
                try await self.ensure(Self.always)
                if withThird { try await self.remove("Third") }
            }
            try await require(Self.always)
        }
        server.publish(editions[script.after - 1])
        if script.scenario == .uninstall { try await release() }
        if script.scenario == .schedule { try publishFilms(script) }
        if script.scenario == .removeAndFetch { try await release("Second") }
    }

    private func installed(version: Int) async throws {
        let apps = try await device.connect().send(AppsRequest()).apps
        if !apps.contains(where: { $0.app == Self.app }) {
            _ = try await install(version: version)
        }
    }

    private func install(version: Int) async throws {
        for event in try await device.install(bundles[version - 1], until: .complete) {
            if let error = event.error, event.phase.isFinal { throw error }
        }
    }

    private func uninstall() async throws {
        let connection = try await device.connect()
        let apps = try await connection.send(AppsRequest()).apps
        guard apps.contains(where: { $0.app == Self.app }) else { return }
        _ = try await connection.send(UninstallRequest(app: Self.app))
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
            do {
                return try await attempt(script)
            } catch let error as DeviceError where [.disconnected, .unavailable].contains(error.code) {
                try? await Task.sleep(for: .milliseconds(10))
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
        case .updatePacks, .downgrade: try await ensure(Self.always)
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
        }
    }

    // MARK: - After

    /// The faults are over: the wanted state comes by itself or with the next call.
    func recover(_ script: RoundScript) async throws {
        switch script.scenario {
        case .install, .updateApp:
            try await until("the install is done") {
                // What goes on by itself is let go on.
                let connection = try await self.device.connect()
                for try await event in connection.stream(WatchInstallRequest(app: Self.app, until: .complete)) {
                    if let error = event.error, event.phase.isFinal { throw error }
                }
                let apps = try await connection.send(AppsRequest()).apps
                if apps.first(where: { $0.app == Self.app })?.version != "\(script.after).0" {
                    try await self.install(version: script.after)
                }
                try await self.ensure(Self.always)
            }
        case .updatePacks, .downgrade, .removeAndFetch:
            try await until("the packs are there") { try await self.ensure(Self.always) }
        case .pauseAndResume:
            try await until("the packs are there") {
                _ = try await self.device.connect().send(ResumeRequest(app: Self.app))
                try await self.ensure(Self.always)
            }
        case .fetch: try await until("the pack is there") { try await self.ensure(["Third"]) }
        case .cancel:
            try await until("the download is cancelled") {
                _ = try await self.device.connect().send(CancelDownloadRequest(app: Self.app, pack: "Third"))
            }
        case .uninstall: try await until("the app is gone") { try await self.uninstall() }
        case .schedule: try await awaitFilms(script)
        }
    }

    /// Tries what may fail for a moment until it does not.
    private func until(_ what: String, _ body: @Sendable () async throws -> Void) async throws {
        let end = ContinuousClock.now + .seconds(90)
        while true {
            do {
                return try await body()
            } catch {
                guard ContinuousClock.now < end else { throw Violation("not within 90 s: \(what): \(error)") }
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    // MARK: - The reader

    func require(_ packs: [String]) async throws {
        required.withLock { $0.formUnion(packs) }
        guard let reader = running.withLock({ $0.reader }) else { return }
        // A reader that is killed meanwhile is told when it starts again.
        for pack in packs { _ = try? await ask(reader, "require \(pack)") }
        _ = try? await ask(reader, "strict")
    }

    /// Lets one pack go, or the whole app.
    func release(_ pack: String? = nil) async throws {
        required.withLock { packs in
            if let pack { packs.remove(pack) } else { packs.removeAll() }
        }
        guard let reader = running.withLock({ $0.reader }) else { return }
        if let pack {
            _ = try await ask(reader, "release \(pack)")
        } else {
            _ = try await ask(reader, "loose")
            for pack in Self.packs { _ = try await ask(reader, "release \(pack.id)") }
        }
    }
}
