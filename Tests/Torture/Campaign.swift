// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import DeviceSupport
import Kit
import System
import TestSupport

/// One device with its server, an app that reads, an extension that is told, and rounds in which things go wrong.
final class Campaign: Sendable {
    let seed: UInt64
    let tally: Tally
    let scratch: Scratch
    let server: AssetServer
    let device: Device
    let disk: SmallDisk?
    /// By version, from 1.
    let editions: [[SamplePack]]
    let bundles: [FilePath]
    /// The app whose extension hears of its downloads, since nobody opens it.
    let downloaderBundle: FilePath

    let running = Locked(Running())
    /// How often the service was started.
    let starts = Monitor(0)
    /// What the app must be able to read; a reader that is started anew is told.
    let required = Locked<Set<String>>([])
    /// Files and bytes that each reader has checked.
    let read = Locked<[Int32: (files: Int, bytes: Int)]>([:])
    let films = Locked(FilmLedger())

    struct Running {
        var service: RunningProgram?
        var reader: RunningProgram?
        /// Lines of the reader that were looked at.
        var seen = 0
        /// Questions it was asked.
        var asked = 0
    }

    init(_ scratch: Scratch, _ publication: Publication, seed: UInt64, tally: Tally) async throws {
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
        editions = publication.editions
        bundles = try (1...Publication.versions).map { version in
            var app = SampleApp()
            app.version = "\(version).0"
            app.program = nil
            app.manifestURL = server.manifestURL
            return try app.write(into: scratch, named: "Probe\(version)")
        }
        downloaderBundle = try Self.writeDownloader(into: scratch, manifestURL: "\(server.baseURL)\(Self.list)")
        let running = running
        scratch.addCleanup {
            for program in running.withLock({ [$0.reader, $0.service] }) {
                program?.process.kill()
                _ = try? program?.process.wait()
            }
        }
        try await startService()
        try await device.trust(server)
        _ = try await device.connect().send(DeveloperModeRequest(isOn: true))
    }

    // MARK: - Rounds

    /// Plays rounds, of which `stride` devices share the numbers, until the time is over, one ends badly on any of them, or
    /// each of `numbers` was played.
    func run(until end: ContinuousClock.Instant, first: Int, stride: Int, chosen: RoundScript.Choice) async throws {
        var number = first
        repeat {
            await run(RoundScript(seed: seed, number: number, canFillDisk: disk != nil, chosen: chosen.scenario))
            number += stride
        } while chosen.round == nil && ContinuousClock.now < end && tally.violations.isEmpty
        try await stop()
    }

    private func run(_ script: RoundScript) async {
        let known = tally.violations.count
        tally.count("rounds")
        tally.count("rounds of \(script.scenario)")
        do {
            try await timed("before") { try await prepare(script) }
            try await timed("faults") { await suffer(script) }
            try await timed("recovery") { try await recover(script) }
            try await timed("checks") { try await verify(script) }
        } catch {
            tally.violation("round \(script.number): \(error)")
        }
        if tally.violations.count > known { say("\(script)\n  again with: --seed \(seed) --round \(script.number)") }
    }

    private func timed(_ part: String, _ body: () async throws -> Void) async throws {
        let begin = ContinuousClock.now
        defer { tally.count("seconds: \(part)", begin.duration(to: .now) / .milliseconds(1)) }
        try await body()
    }

    private func stop() async throws {
        await collect()
        for program in running.withLock({ [$0.reader, $0.service] }) { try await program?.kill() }
        let home = device.home.string
        let left = try await offload { try Processes.outliving(.seconds(20), mentioning: home) }
        if !left.isEmpty { tally.violation("processes outlive the service: \(left)") }
        let counts = read.withLock { Array($0.values) }
        tally.count("files read", counts.reduce(0) { $0 + $1.files })
        tally.count("MiB read", counts.reduce(0) { $0 + $1.bytes } >> 20)
    }
}
