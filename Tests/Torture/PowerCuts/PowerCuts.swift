// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import DeviceSupport
import HTTP
import Kit
import System
import TestSupport

/// Power cuts: what the disk may hold after one at any instant of a recorded life, and what the service makes of it.
struct PowerCuts {
    private let stage: PowerCutStage
    private let recording: PowerCutRecording
    private let tally: Tally
    private let seed: UInt64

    init(_ scratch: Scratch, seed: UInt64, tally: Tally) async throws {
        stage = try PowerCutStage(scratch)
        recording = try await PowerCutRecording(stage)
        self.seed = seed
        self.tally = tally
        tally.count("operations on the disk", recording.entries.count)
    }

    private struct Sample {
        var number: Int
        var entry: Int
        var names: PowerCut.Names
        var seed: UInt64
    }

    /// - Parameters:
    ///   - count: how many states to look at.
    ///   - only: the one to look at again.
    func run(_ count: Int, only: Int?, names: [PowerCut.Names]) async throws {
        var samples = (only.map { [$0] } ?? Array(0..<count)).map { number in
            var random = SeededGenerator(seed: seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
            return Sample(
                number: number, entry: Int.random(in: recording.entries.indices, using: &random),
                names: names[number % names.count], seed: random.next())
        }
        samples.sort { $0.entry < $1.entry }
        let model = DiskModel(root: stage.device.paths.state.string) { (try? File.read(FilePath($0))) ?? [] }
        var next = 0
        for sample in samples {
            while next <= sample.entry {
                model.perform(recording.entries[next].operation)
                next += 1
            }
            try await check(sample, model)
        }
    }

    private func check(_ sample: Sample, _ model: DiskModel) async throws {
        tally.count("power cuts, names \(sample.names)")
        var cut = PowerCut(model, sample.names, seed: sample.seed)
        let state = stage.device.paths.state
        try FileDescriptor.currentDirectory.removeTree(at: state)
        try cut.write(model.top, to: state, edit: Self.afterBoot)
        do {
            try await recover(recording.promise(after: sample.entry))
        } catch {
            tally.violation("\(error)")
            say(
                "power cut \(sample.number), names \(sample.names), after operation \(sample.entry) of "
                    + "\(recording.entries.count): \(recording.entries[sample.entry].operation.summary)\n"
                    + "  again with: --seed \(seed) --power-cut \(sample.number)")
        }
        try await stage.device.kill()
    }

    private func recover(_ promise: PowerCutRecording.Promise) async throws {
        let stage = stage
        // An app that was being removed may be there in part, as far as names go.
        if promise.app != nil { _ = try await offload { try stage.readAll() } }
        // Nothing can be fetched: what was there must be.
        stage.server.spoil { _, _, response in response = .text(503, "no network") }
        try await stage.device.start()
        let apps = try await stage.device.connect().send(AppsRequest()).apps
        let app = apps.first { $0.app == SampleApp.bundleID }
        if let version = promise.app {
            guard let found = app.flatMap({ Int($0.version.prefix { $0.isNumber }) }), found >= version else {
                throw Violation("the app is \(app?.version ?? "not installed"), and \(version).0 was")
            }
        }
        let packs = try await offload { try stage.readAll() }
        for (pack, version) in promise.packs where packs[pack] ?? 0 < version {
            throw Violation("\(pack) is \(packs[pack].map { "at \($0)" } ?? "gone"), and \(version) was local")
        }
        stage.server.spoil(nil)
        try await goOn()
        let check = StateCheck(state: stage.device.paths.state, apps: [SampleApp.bundleID])
        do {
            try await FolderWatch.wait(below: check.state, atMost: .seconds(20)) { check.findings().isEmpty }
        } catch is FolderWatch.TooLate {
            throw Violation("the state folder holds what it should not: \(check.findings().sorted())")
        }
    }

    /// Whatever was lost, the next calls bring the newest of everything.
    private func goOn() async throws {
        try await stage.device.trust(stage.server)
        stage.server.publish(stage.editions[3])
        let connection = try await stage.device.connect()
        do {
            for try await event in connection.stream(WatchInstallRequest(app: SampleApp.bundleID, until: .complete))
            where event.phase.isFinal && event.error != nil { break }
        } catch is DeviceError {}
        if try await !connection.send(AppsRequest()).apps.contains(where: { $0.app == SampleApp.bundleID }) {
            try await stage.install(4)
        }
        try await stage.ensure(Publication.always)
        try await stage.takeFilms()
        let packs = try await offload { [stage] in try stage.readAll() }
        for pack in Publication.always where packs[pack] != 4 {
            throw Violation("\(pack) is at \(packs[pack] ?? 0) after everything was fetched, not 4")
        }
    }

    /// A machine that was started anew has another boot id.
    private static func afterBoot(_ name: String, _ bytes: [UInt8]) -> [UInt8] {
        guard name.hasPrefix("checkpoint") || name.hasSuffix(".json") else { return bytes }
        let text = String(decoding: bytes, as: UTF8.self)
        guard Array(text.utf8) == bytes else { return bytes }
        return Array(text.split(separator: bootID, omittingEmptySubsequences: false).joined(separator: otherBoot).utf8)
    }

    private static let bootID: String = {
        let bytes = (try? File.read("/proc/sys/kernel/random/boot_id", limit: 64)) ?? []
        return String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self)
    }()
    private static let otherBoot = String(bootID.map { $0 == "-" ? "-" : "0" })
}

extension DiskOperation {
    /// Without the bytes.
    var summary: String {
        switch self {
        case .write(let path, let offset, let bytes): "write \(path) \(offset) \(bytes.count)"
        case .append(let path, let bytes): "append \(path) \(bytes.count)"
        default: "\(self)"
        }
    }
}
