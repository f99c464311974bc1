// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DevelopmentServer
import DeviceProtocol
import DeviceSupport
import HTTP
import Kit
import System
import TestSupport

/// A device, a server, an app that reads, and rounds in which things go wrong.
final class Campaign: Sendable {
    static let versions = 4
    static let fileCount = 14
    static let fileSize = 18_000
    static let packs = [
        (id: "First", policy: "essential"), (id: "Second", policy: "prefetch"), (id: "Third", policy: "onDemand"),
    ]
    static var always: [String] { ["First", "Second"] }

    let seed: UInt64
    let tally: Tally
    let scratch: Scratch
    let server: AssetServer
    let device: Device
    let disk: SmallDisk?
    /// By version, from 1.
    let editions: [[SamplePack]]
    let bundles: [FilePath]
    let running = Locked(Running())
    /// What the app must be able to read; a reader that is started anew is told.
    let required = Locked<Set<String>>([])

    /// Unmanaged downloads that were taken on, and those whose failure was told.
    let scheduled = Locked<Set<String>>([])
    let told = Locked<Set<String>>([])

    struct Running {
        var service: RunningProgram?
        var reader: RunningProgram?
        /// Lines of the reader that were looked at.
        var seen = 0
    }

    init(_ scratch: Scratch, seed: UInt64, tally: Tally) async throws {
        self.seed = seed
        self.tally = tally
        self.scratch = scratch
        let server = try AssetServer(scratch)
        self.server = server
        let device = try Device(scratch)
        self.device = device
        try FileDescriptor.currentDirectory.makeDirectories(at: device.paths.state)
        let disk = SmallDisk(at: device.paths.state)
        self.disk = disk
        // Undone last first: the programs end before their disk goes.
        if let disk { scratch.addCleanup { disk.unmount() } }
        editions = try (1...Self.versions).map { version in
            try Self.packs.map { pack in
                var files: [String: [UInt8]] = [:]
                for number in 0..<Self.fileCount {
                    let path = "\(pack.id)/\(number % 3)/\(number)"
                    files[path] =
                        StampedFile(
                            pack: pack.id, version: version, path: path,
                            size: Self.fileSize * (number % 4 + version) / 4
                        ).bytes
                }
                return try SamplePack.make(
                    pack.id, version: version, policy: pack.policy, files: files, blockSize: 32 << 10, in: scratch)
            }
        }
        bundles = try (1...Self.versions).map { version in
            var app = SampleApp()
            app.version = "\(version).0"
            app.manifestURL = server.manifestURL
            return try app.write(into: scratch, named: "Probe\(version)")
        }
        let running = running
        scratch.addCleanup {
            for program in running.withLock({ [$0.reader, $0.service] }) {
                program?.process.kill()
                _ = try? program?.process.wait()
            }
        }
        try await startService()
        try await device.trust(server)
    }

    // MARK: - Rounds

    func run(for time: Duration, only: Int?, scenario: RoundScript.Scenario?) async throws {
        let end = ContinuousClock.now + time
        var number = only ?? 0
        repeat {
            let script = RoundScript(
                seed: seed, number: number, canFillDisk: disk != nil, chosen: scenario)
            await run(script)
            number += 1
        } while only == nil && ContinuousClock.now < end && tally.violations.isEmpty
        try await stop()
    }

    private func run(_ script: RoundScript) async {
        let known = tally.violations.count
        tally.count("rounds")
        tally.count("rounds of \(script.scenario)")
        do {
            try await prepare(script)
            await suffer(script)
            try await recover(script)
            try await verify(script)
        } catch {
            tally.violation("\(error)")
        }
        if tally.violations.count > known { say("\(script)\n  again with: --seed \(seed) --round \(script.number)") }
    }

    /// Everything that goes wrong, while the scenario is under way.
    private func suffer(_ script: RoundScript) async {
        spoil(script)
        let action = Task { await act(script) }
        let filling = Task { [disk] in
            guard let disk, let full = script.fullDisk else { return }
            try? await Task.sleep(for: .milliseconds(full.milliseconds))
            tally.count("disk filled")
            _ = try? await offload { disk.fill(leaving: full.room) }
        }
        // Extensions live for moments: whoever is to kill one lies in wait from the start.
        let ambush = Task {
            for kill in script.kills where kill.target == .extension { await killExtension(within: .seconds(3)) }
        }
        for kill in script.kills where kill.target != .extension {
            // When something dies is the round's random variable.
            try? await Task.sleep(for: .milliseconds(kill.milliseconds))
            await perform(kill.target)
        }
        await filling.value
        // Some rounds go on under faults until the client has its answer.
        let patience = Task {
            try? await Task.sleep(for: .milliseconds(Int(script.faultSeed % 1500)))
            action.cancel()
        }
        await action.value
        patience.cancel()
        ambush.cancel()
        await ambush.value
        server.spoil(nil)
        if let disk, script.fullDisk != nil { _ = try? await offload { disk.relieve() } }
    }

    private func spoil(_ script: RoundScript) {
        let plan = Locked(FaultPlan(script.faults, seed: script.faultSeed))
        let sizes = Dictionary(
            uniqueKeysWithValues: editions[script.after - 1].map { ("/assets/\($0.id)", $0.archiveSize) }
                + films(script).map { ("/films/\($0.id)", Int64($0.size)) })
        let (tally, base, rate) = (tally, server.baseURL, script.rate)
        server.spoil { request, _, response in
            let resource: FaultResource =
                request.path == "/manifest" ? .manifest : .asset(String(request.path.split(separator: "/").last ?? ""))
            guard let kind = plan.withLock({ $0.fault(for: resource) }) else {
                if resource != .manifest { response.behaviour.bytesPerSecond = rate }
                return
            }
            // Nobody could tell: an unmanaged download has no digest.
            if case .wrongByte = kind, request.path.hasPrefix("/films/") { return }
            tally.count("fault \("\(kind)".prefix { $0 != "(" })")
            response = kind.spoil(response, to: request, size: sizes[request.path] ?? 0, base: base)
        }
    }

    // MARK: - Kills

    private func perform(_ target: RoundScript.Target) async {
        do {
            switch target {
            case .service: try await killService()
            case .app:
                guard let reader = running.withLock({ $0.reader }) else { return }
                await collect()
                try await reader.kill()
                // What it said last comes from the pipe.
                _ = try? await reader.line(atMost: .seconds(10)) { _ in false }
                absorb(reader)
                try await startReader()
            case .extension: break
            }
        } catch {
            tally.violation("\(error)")
        }
    }

    private func killService() async throws {
        guard let service = running.withLock({ $0.service }) else { return }
        service.process.kill()
        let code = try await service.end()
        check(service, code)
        tally.count("kills of service")
        try await startService()
    }

    /// Whether a service that has ended was killed, and did not fall over before.
    func check(_ service: RunningProgram, _ code: Int32) {
        if code != 137 { tally.violation("larderd ended by itself with \(code): \(service.errorText.suffix(2000))") }
        if service.errorText.contains("Fatal error") { tally.violation("larderd trapped: \(service.errorText)") }
    }

    private func killExtension(within limit: Duration) async {
        let end = ContinuousClock.now + limit
        while ContinuousClock.now < end, !Task.isCancelled {
            guard let service = running.withLock({ $0.service }) else { return }
            if let victim = (try? await offload({ Processes.descendants(of: service.processID) }))?.last {
                Processes.kill(victim)
                return tally.count("kills of extension")
            }
            try? await Task.sleep(for: .milliseconds(1))
        }
    }

    // MARK: - Programs

    func startService() async throws {
        let service = try await device.start()
        running.withLock { $0.service = service }
    }

    func startReader() async throws {
        let root = device.paths.appRoot(SampleApp.bundleID)
        let reader = try RunningProgram(
            "TortureReader",
            environment: device.environment.merging([
                "LARDER_BUNDLE_ID": SampleApp.bundleID, "LARDER_APP_ROOT": root.string,
                "LARDER_SOCKET": device.paths.socket.string, "LARDERD": "/no/larderd",
            ]) { $1 })
        _ = try await reader.line { $0 == "ready" }
        let before = running.withLock { running in
            defer { (running.reader, running.seen) = (reader, 0) }
            return running.reader
        }
        if before != nil { tally.count("kills of app") }
        let packs = required.withLock { $0 }
        for pack in packs { _ = try await ask(reader, "require \(pack)") }
        if !packs.isEmpty { _ = try await ask(reader, "strict") }
    }

    /// Has the reader do something; questions may be under way at the same time.
    func ask(_ reader: RunningProgram, _ command: String) async throws -> String {
        let word = asked.withLock { number in
            number += 1
            return "q\(number)"
        }
        let start = reader.lines.count
        try reader.tell("\(word) \(command)")
        return try await reader.line(from: start) { $0.hasPrefix("ok \(word) ") || $0.hasPrefix("error \(word) ") }
    }

    private let asked = Locked(0)

    /// Takes over what the reader has said.
    func collect() async {
        guard let reader = running.withLock({ $0.reader }) else { return }
        if let counts = try? await ask(reader, "counts").split(separator: " ").compactMap({ Int($0) }),
            counts.count == 3
        {
            read.withLock { $0[reader.processID] = (counts[0], counts[1]) }
        }
        absorb(reader)
    }

    private func absorb(_ reader: RunningProgram) {
        let lines = reader.lines
        let seen = running.withLock { running in
            defer { if running.reader === reader { running.seen = lines.count } }
            return running.reader === reader ? running.seen : lines.count
        }
        for line in lines.dropFirst(seen) {
            if line.hasPrefix("violation") { tally.violation("reader: \(line.dropFirst(10))") }
            let words = line.split(separator: " ")
            if words.first == "failed", words.count > 1 { told.withLock { _ = $0.insert(String(words[1])) } }
        }
    }

    /// Files and bytes that each reader has checked.
    private let read = Locked<[Int32: (files: Int, bytes: Int)]>([:])

    private func stop() async throws {
        await collect()
        let counts = read.withLock { Array($0.values) }
        tally.count("files read", counts.reduce(0) { $0 + $1.files })
        tally.count("MiB read", counts.reduce(0) { $0 + $1.bytes } >> 20)
        for program in running.withLock({ [$0.reader, $0.service] }) { try await program?.kill() }
        let home = device.home.string
        let left = try await eventually(within: .seconds(20)) { Processes.mentioning(home, except: []) }
        if !left.isEmpty { tally.violation("processes outlive the service: \(left)") }
    }

    /// Asks until the answer is empty or the time is over; the last answer.
    func eventually(
        within limit: Duration, _ ask: @escaping @Sendable () throws -> [String]
    ) async throws -> [String] {
        let end = ContinuousClock.now + limit
        while true {
            let answer = try await offload(ask)
            if answer.isEmpty || ContinuousClock.now > end { return answer }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
