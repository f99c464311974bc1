// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import DeviceSupport
import Kit
import System
import TestSupport

/// One device on a small disk, an app with many tags that share packs, and several processes of it that begin, end, pause,
/// cancel and die while room is taken away. Everything follows from the seed, but for what the machine does in between.
final class ResourceCampaign {
    static let tags = 14
    static let processes = 3
    /// Bytes of one file; a pack has two.
    private static let fileSize = 90_000

    let tally: Tally
    let device: Device
    let disk: SmallDisk?
    let app: TaggedApp
    private let server: AssetServer
    private var random: SeededGenerator
    var holders: [ResourceHolder?] = []
    private var number = 0

    init(_ scratch: Scratch, seed: UInt64, tally: Tally) async throws {
        self.tally = tally
        random = SeededGenerator(seed: seed)
        app = Self.app(&random)
        server = try AssetServer(scratch)
        server.publish(try app.packs(in: scratch))
        server.slow(to: 3_000_000)
        device = try Device(scratch)
        try FileDescriptor.currentDirectory.makeDirectories(at: device.paths.state)
        disk = SmallDisk(at: device.paths.state)
        if let disk { scratch.addCleanup { disk.unmount() } }
        try await device.start()
        try await device.trust(server)
        let bundle = try app.write(into: scratch, manifestURL: server.manifestURL) { $0.extensionProgram = nil }
        for event in try await device.install(bundle, until: .complete) {
            if let error = event.error { throw error }
        }
        holders = Array(repeating: nil, count: Self.processes)
    }

    /// A pack for each tag, and one for each of many pairs.
    private static func app(_ random: inout SeededGenerator) -> TaggedApp {
        var sets = Set((0..<tags).map { Set(["t\($0)"]) })
        while sets.count < tags * 2 {
            sets.insert([
                "t\(Int.random(in: 0..<tags, using: &random))", "t\(Int.random(in: 0..<tags, using: &random))",
            ])
        }
        let ordered = sets.sorted { $0.sorted().joined() < $1.sorted().joined() }
        return TaggedApp(
            ordered.map { tags in
                let name = tags.sorted().joined(separator: "-")
                return TaggedApp.Part(
                    tags,
                    [
                        "\(name).bin": random.bytes(fileSize, redundancy: false),
                        "Places/\(name)/map.bin": random.bytes(fileSize, redundancy: false),
                    ])
            })
    }

    // MARK: - Steps

    func run(until end: ContinuousClock.Instant) async throws {
        var step = 0
        while ContinuousClock.now < end, tally.violations.isEmpty {
            step += 1
            tally.count("steps")
            do {
                try await self.step()
                if step.isMultiple(of: 4) { try await checkHeld() }
                if step.isMultiple(of: 25) { try await checkNothingIsKept() }
            } catch let error as DeviceError where [.disconnected, .unavailable].contains(error.code) {
                tally.count("steps that the service's end cut short")
            } catch {
                tally.violation("step \(step): \(error)")
            }
        }
        try await finish()
    }

    private func step() async throws {
        let place = Int.random(in: 0..<Self.processes, using: &random)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<4:
            tally.count("processes killed")
            try await holders[place]?.program.kill()
            holders[place] = nil
        case 4..<7:
            tally.count("services killed")
            try await device.kill()
            try await device.start()
        case 7..<14:
            tally.count("purges")
            let bytes = Int64.random(in: 1...2_000_000, using: &random)
            let purged = try await device.connect().send(StoragePurgeRequest(bytes: bytes)).purged
            tally.count("packs purged", purged.count)
        case 14..<18:
            tally.count("disks filled")
            disk?.fill(leaving: Int64.random(in: 0...600_000, using: &random))
        case 18..<24: disk?.relieve()
        default:
            let holder = try await holder(place)
            try await act(holder)
        }
    }

    private func holder(_ place: Int) async throws -> ResourceHolder {
        if let holder = holders[place] { return holder }
        // A full disk has no room for what a launch notes.
        disk?.relieve()
        let holder = ResourceHolder(try await device.launch())
        holders[place] = holder
        return holder
    }

    private func act(_ holder: ResourceHolder) async throws {
        holder.look()
        let known = holder.requests.keys.sorted().randomElement(using: &random)
        switch (Int.random(in: 0..<12, using: &random), known) {
        case (0...2, let name?):
            tally.count("requests ended")
            try await holder.end(name, Int.random(in: 0..<2, using: &random) == 0 ? "end" : "drop")
        case (3, let name?): _ = try await holder.ask("pause \(name)")
        case (4, let name?): _ = try await holder.ask("resume \(name)")
        case (5, let name?):
            tally.count("requests cancelled")
            _ = try await holder.ask("cancel \(name)")
        case (6, let name?):
            let priority = ["0.1", "0.9", "urgent"].randomElement(using: &random) ?? "0.5"
            _ = try await holder.ask("priority \(name) \(priority)")
        case (7, _):
            let tag = "t\(Int.random(in: 0..<Self.tags, using: &random))"
            _ = try await holder.ask("preserve \(tag) 0.\(Int.random(in: 0...9, using: &random))")
        default:
            guard holder.requests.count < 6 else { return }
            number += 1
            tally.count("requests begun")
            let tags = Set(
                (0..<Int.random(in: 1...2, using: &random)).map { _ in
                    "t\(Int.random(in: 0..<Self.tags, using: &random))"
                })
            try await holder.begin("r\(number)", tags, isConditional: Int.random(in: 0..<4, using: &random) == 0)
        }
    }
}
