// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DevelopmentServer
import DeviceProtocol
import DeviceSupport
import HTTP
import Kit
import System
import TestSupport

/// Everything that goes wrong while a scenario is under way. When it does is the round's random variable, not a wait for
/// something.
extension Campaign {
    func suffer(_ script: RoundScript) async {
        spoil(script)
        let action = Task { await act(script) }
        let filling = Task { await fillDisk(script) }
        let purging = Task { await purge(script) }
        // Extensions live for moments: whoever is to kill one lies in wait from the start.
        let ambush = Task { await hunt(script.kills.filter { $0.target == .extension }) }
        for kill in script.kills where kill.target != .extension {
            try? await Task.sleep(for: .milliseconds(kill.milliseconds))
            await perform(kill)
        }
        await filling.value
        await purging.value
        // Some rounds go on under faults until the client has its answer.
        let patience = Task {
            try? await Task.sleep(for: .milliseconds(Int(script.faultSeed % 800)))
            action.cancel()
        }
        await action.value
        patience.cancel()
        ambush.cancel()
        await ambush.value
        server.spoil(nil)
        if let disk, script.fullDisk != nil { _ = try? await offload { disk.relieve() } }
    }

    private func fillDisk(_ script: RoundScript) async {
        guard let disk, let full = script.fullDisk else { return }
        try? await Task.sleep(for: .milliseconds(full.milliseconds))
        tally.count("disk filled")
        // A full disk takes finished files away that nobody took.
        films.withLock { $0.maySomethingBePurged = true }
        _ = try? await offload { disk.fill(leaving: full.room) }
    }

    /// Finished files that nobody was told of go; whoever is being told has the whole of his.
    private func purge(_ script: RoundScript) async {
        for pause in script.purges {
            try? await Task.sleep(for: .milliseconds(pause))
            do {
                let reply = try await device.connect().send(StoragePurgeRequest(bytes: 1 << 40))
                films.withLock { films in for file in reply.purged { films.purged.insert(file.download) } }
                tally.count("purges")
                tally.count("files purged", reply.purged.count)
            } catch {
                films.withLock { $0.maySomethingBePurged = true }
            }
        }
    }

    private func spoil(_ script: RoundScript) {
        let plan = Locked(FaultPlan(script.faults, seed: script.faultSeed))
        let sizes = Dictionary(
            uniqueKeysWithValues: editions[script.after - 1].map { ("/assets/\($0.id)", $0.archiveSize) }
                + script.films.map { ("/films/\($0.id)", Int64($0.size)) })
        let (tally, base, rate) = (tally, server.baseURL, script.rate)
        server.spoil { request, _, response in
            let resource: FaultResource =
                ["/manifest", Self.list].contains(request.path)
                ? .manifest : .asset(String(request.path.split(separator: "/").last ?? ""))
            guard let kind = plan.withLock({ $0.fault(for: resource) }) else {
                if resource != .manifest { response.behaviour.bytesPerSecond = rate }
                return
            }
            // Nobody could tell: an unmanaged download and its manifest have no digest, only a size.
            if case .wrongByte = kind, !request.path.hasPrefix("/assets/"), request.path != "/manifest" { return }
            tally.count("fault \("\(kind)".prefix { $0 != "(" })")
            response = kind.spoil(response, to: request, size: sizes[request.path] ?? 0, base: base)
        }
    }

    // MARK: - Kills

    private func perform(_ kill: RoundScript.Kill) async {
        do {
            switch kill.target {
            case .service: try await killService(kill)
            case .app: try await killReader()
            case .extension: break
            }
        } catch {
            tally.violation("\(error)")
        }
    }

    /// - Parameter kill: may have the next one killed before it listens as well.
    func killService(_ kill: RoundScript.Kill? = nil) async throws {
        guard let service = running.withLock({ $0.service }) else { return }
        service.process.kill()
        check(service, try await service.end())
        tally.count("kills of service")
        if let early = kill?.early {
            let next = try RunningProgram("larderd", environment: device.environment)
            try? await Task.sleep(for: .milliseconds(early))
            next.process.kill()
            check(next, try await next.end())
            tally.count("kills of service as it starts")
        }
        try await startService()
    }

    /// Whether a service that has ended was killed, and did not fall over before.
    func check(_ service: RunningProgram, _ code: Int32) {
        if code != 137 { tally.violation("larderd ended by itself with \(code): \(service.errorText.suffix(2000))") }
        if service.errorText.contains("Fatal error") { tally.violation("larderd trapped: \(service.errorText)") }
    }

    private func killReader() async throws {
        guard let reader = running.withLock({ $0.reader }) else { return }
        try await reader.kill()
        absorb(reader)
        tally.count("kills of app")
        try startReader()
    }

    /// Kills an extension, or the sandbox around it, for each of `kills`: some time after something has happened in the folders
    /// that are an extension's.
    private func hunt(_ kills: [RoundScript.Kill]) async {
        let (running, tally, state) = (running, tally, device.paths.state)
        let folders = [
            device.paths.apps, device.paths.appRoot(SampleApp.bundleID), device.paths.appRoot(Self.downloader),
            state.appending("groups"), groupFolder, groupFolder.appending("Films"),
        ]
        try? await offloadCancellable { isCancelled in
            let changes = try FolderChanges()
            var left = kills[...]
            while let kill = left.first, !isCancelled() {
                for folder in folders { _ = try? changes.add(folder) }
                changes.wait(milliseconds: 50)
                guard let service = running.withLock({ $0.service }), Processes.hasChildren(service.processID) else {
                    continue
                }
                Processes.sleep(milliseconds: kill.milliseconds % 80)
                let victims = Processes.descendants(of: service.processID)
                guard !victims.isEmpty else { continue }
                Processes.kill(victims[kill.victim % victims.count])
                tally.count("kills of extension")
                left = left.dropFirst()
            }
        }
    }
}
