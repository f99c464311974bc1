// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import System
import TestSupport

/// What most tests need: a scratch folder with a server, three packs, an app, and a device that trusts the server.
struct Bench: Sendable {
    let scratch: Scratch
    let server: AssetServer
    let device: Device
    let packs: [SamplePack]

    var essential: SamplePack { packs[0] }
    var prefetch: SamplePack { packs[1] }
    var onDemand: SamplePack { packs[2] }

    /// - Parameter environment: for the service, such as shorter time-outs.
    static func with(
        fileCount: Int = 24, fileSize: Int = 40_000, environment: [String: String] = [:], start: Bool = true,
        name: String = #function, _ body: (Bench) async throws -> Void
    ) async throws {
        try await Scratch.with { scratch in
            var generator = SeededGenerator.forTest(name)
            let packs = try [("First", "essential"), ("Second", "prefetch"), ("Third", "onDemand")].map { id, policy in
                try SamplePack.make(
                    id, policy: policy,
                    files: SamplePack.randomFiles(id, count: fileCount, size: fileSize, using: &generator), in: scratch)
            }
            let server = try AssetServer(scratch)
            server.publish(packs)
            let device = try Device(scratch)
            if start {
                try await device.start(environment)
                try await device.trust(server)
            }
            try await body(Bench(scratch: scratch, server: server, device: device, packs: packs))
        }
    }

    /// Writes the app, pointed at the server.
    func app(version: String = "1.0", _ change: (inout SampleApp) -> Void = { _ in }) throws -> FilePath {
        var app = SampleApp()
        app.version = version
        app.manifestURL = server.manifestURL
        change(&app)
        return try app.write(into: scratch, named: "Probe\(version.filter(\.isNumber))")
    }

    /// What of a pack's download is on the disk, as paths; empty when nothing was left behind.
    func staged() throws -> [String] {
        let staging = device.paths.appRoot(SampleApp.bundleID).appending("staging")
        guard FileDescriptor.currentDirectory.exists(at: staging) else { return [] }
        return try FileDescriptor.currentDirectory.entries(at: staging).map(\.name)
    }

    /// Every file of a pack as the device holds it, read through the app.
    func read(_ pack: SamplePack, through app: RunningProgram) async throws -> [String: String] {
        var result: [String: String] = [:]
        for path in pack.files.keys { result[path] = try await app.ask("read \(path)") }
        return result
    }

    func expected(_ pack: SamplePack) -> [String: String] { pack.files.mapValues { "ok " + summary($0) } }
}
