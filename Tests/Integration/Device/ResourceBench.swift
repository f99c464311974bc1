// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import DeviceSupport
import Kit
import System
import TestSupport
import Testing

/// A device with an app that has on-demand resources: places that two levels share, and things of their own.
struct ResourceBench: Sendable {
    let scratch: Scratch
    let server: AssetServer
    let device: Device
    let app: TaggedApp

    static let bundleID = SampleApp.bundleID

    /// Levels 1 to 3; the forest is in 1 and 2.
    static func levels(size: Int = 60_000, using generator: inout SeededGenerator) -> TaggedApp {
        func bytes() -> [UInt8] { generator.bytes(size, redundancy: false) }
        return TaggedApp([
            TaggedApp.Part(["one"], ["Levels/1/map.bin": bytes(), "one.bin": bytes()]),
            TaggedApp.Part(["two"], ["Levels/2/map.bin": bytes()]),
            TaggedApp.Part(["three"], ["Levels/3/map.bin": bytes(), "en.lproj/three.bin": bytes()]),
            TaggedApp.Part(["one", "two"], ["Places/forest.bin": bytes()]),
        ])
    }

    /// - Parameter home: where the device is; nil where the test's folder is.
    static func with(
        _ app: ((inout SeededGenerator) -> TaggedApp)? = nil, diskSize: Int64? = nil, name: String = #function,
        _ body: (ResourceBench) async throws -> Void
    ) async throws {
        await Turnstile.shared.enter()
        let result: Result<Void, any Error>
        do {
            try await Scratch.with { scratch in
                var generator = SeededGenerator.forTest(name)
                let app = app?(&generator) ?? levels(using: &generator)
                let server = try AssetServer(scratch)
                server.publish(try app.packs(in: scratch))
                var home: FilePath?
                if let diskSize {
                    home = scratch("small")
                    guard let home, try SmallDisk.mount(diskSize, at: home, scratch) else { return }
                }
                let device = try Device(scratch, home: home)
                try await device.start()
                try await device.trust(server)
                try await body(ResourceBench(scratch: scratch, server: server, device: device, app: app))
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await Turnstile.shared.leave()
        try result.get()
    }

    /// Installs the app and starts it.
    func launch(
        extra: [String: String] = [:], until goal: InstallGoal = .complete,
        _ change: (inout SampleApp) -> Void = { _ in }
    ) async throws -> RunningProgram {
        let bundle = try app.write(into: scratch, manifestURL: server.manifestURL, extra: extra, change)
        let events = try await device.install(bundle, until: goal)
        if let error = events.last?.error { throw TestFailure("\(error)") }
        return try await device.launch()
    }

    func tags() async throws -> [String: ResourceTagListing] {
        let reply = try await device.connect().send(ResourceTagsRequest(app: Self.bundleID))
        return Dictionary(uniqueKeysWithValues: reply.tags.map { ($0.tag, $0) })
    }

    func state(_ tag: String) async throws -> ResourceTagState? { try await tags()[tag]?.state }

    func content(_ path: String) -> [UInt8]? { app.parts.lazy.compactMap { $0.files[path] }.first }
}
