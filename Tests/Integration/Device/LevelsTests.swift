// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import DeviceSupport
import Kit
import System
import TestSupport
import Testing

/// Examples/Levels, a game with on-demand resources, on real game data and a disk that has not room for all levels.
@Suite(.serialized) struct LevelsTests {
    private static let app = "org.example.Levels"
    private static let data = FilePath("/usr/share/games/neverball")
    private static let isThere = FileDescriptor.currentDirectory.exists(at: data.appending("set-easy.txt"))
    private static let levels = ["easy", "medium", "hard", "mym", "mym2", "tones", "fwp"]

    private func with(
        room: Int64, name: String = #function, _ body: (Device) async throws -> Void
    ) async throws {
        await Turnstile.shared.enter()
        let result: Result<Void, any Error>
        do {
            try await Scratch.with { scratch in try await play(scratch, room, body) }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await Turnstile.shared.leave()
        try result.get()
    }

    /// - Parameter room: what the disk has beside the app itself, in bytes.
    private func play(_ scratch: Scratch, _ room: Int64, _ body: (Device) async throws -> Void) async throws {
        let server = try AssetServer(scratch)
        var fixture = AppFixture()
        fixture.name = "Levels"
        fixture.identifier = Self.app
        fixture.keys = AppFixture.managedKeys(manifestURL: "\(server.baseURL)/DownloadManifest.json")
        let bundle = try fixture.write(in: scratch.path)
        var size: Int64 = 0
        for (program, place) in [("Levels", "Levels"), ("ProbeExtension", "Extensions/Downloader.appex/Downloader")] {
            let source = try Binaries.path(program)
            size += try FileDescriptor.currentDirectory.status(at: source).size
            let result = try ChildProcess.run(
                executable: "cp", arguments: [source.string, bundle.pushing(FilePath(place)).string])
            guard result.exitCode == 0 else { throw TestFailure(result.errorText) }
        }
        let tags = FilePath(#filePath).removingLastComponent().pushing("../../../Examples/Levels/Tags.json")
        let built = scratch("built")
        let output = try await Binaries.run(
            "larder",
            [
                "odr", "build", Self.data.string, "--tags", tags.lexicallyNormalized().string, "--app", bundle.string,
                "--download-base-url", "\(server.baseURL)/packs", "-o", built.string, "--quiet",
            ], environment: Binaries.hermeticEnvironment, atMost: .seconds(120))
        guard output.exitCode == 0 else { throw TestFailure(output.errorText) }
        server.publish(built.appending("DownloadManifest.json"), as: "/DownloadManifest.json")
        for entry in try FileDescriptor.currentDirectory.entries(at: built.appending("packs")) {
            server.publish(built.appending("packs").appending(entry.name), as: "/packs/\(entry.name)")
        }
        let home = scratch("small")
        guard try SmallDisk.mount(size + room, at: home, scratch) else { return }
        let device = try Device(scratch, home: home)
        try await device.start()
        try await device.trust(server)
        let events = try await device.install(bundle, until: .complete)
        if let error = events.last?.error { throw error }
        try await body(device)
    }

    private func states(_ device: Device) async throws -> [String: ResourceTagState] {
        let reply = try await device.connect().send(ResourceTagsRequest(app: Self.app))
        return Dictionary(uniqueKeysWithValues: reply.tags.map { ($0.tag, $0.state) })
    }

    private func content(of level: String) throws -> String {
        let folder = Self.data.appending("map-\(level)")
        let maps = try FileDescriptor.currentDirectory.entries(at: folder).filter { $0.name.hasSuffix(".sol") }
        let others = [Self.data.appending("set-\(level).txt"), Self.data.pushing("bgm/track1.ogg")]
        let bytes = try (maps.map { folder.appending($0.name) } + others).reduce(0) {
            try $0 + File.read($1, limit: 64 << 20).count
        }
        return "\(level): \(maps.count) maps, \(bytes) bytes"
    }

    /// All levels together have about 110 MB, of which the largest two that follow each other need half.
    @Test(.enabled(if: isThere, "needs neverball-data"), .timeLimit(.minutes(5)))
    func allLevelsArePlayedOnASmallDisk() async throws {
        try await with(room: 72 << 20) { device in
            #expect(try await states(device)["easy"] == .downloaded)
            let game = try await device.launch(Self.app)
            for level in Self.levels {
                let expected = try content(of: level)
                #expect(try await game.ask("enter \(level)", atMost: .seconds(120)) == "ok \(expected)")
                #expect(try await states(device)[level] == .inUse)
            }
            #expect(try await states(device).values.contains { [.purged, .partiallyDownloaded].contains($0) })
            // The first one again, which is not there any more or only in part.
            let expected = try content(of: "easy")
            #expect(try await game.ask("enter easy", atMost: .seconds(120)) == "ok \(expected)")
        }
    }

    /// Another process wants a level of 26 MB. The game holds 44 of some 61, and 15 of them for the level after its own.
    @Test(.enabled(if: isThere, "needs neverball-data"), .timeLimit(.minutes(5)))
    func theGameMakesRoomWhenItIsTold() async throws {
        try await with(room: 61 << 20) { device in
            let game = try await device.launch(Self.app)
            #expect(try await game.ask("enter mym", atMost: .seconds(120)) == "ok \(try content(of: "mym"))")
            _ = try await eventually {
                try await game.ask("where") == "ok playing mym, next mym2 at 100%" ? true : nil
            }
            #expect(try await states(device)["mym2"] == .inUse)
            let other = try await device.launch(Self.app)
            let entered = try await other.ask("enter fwp", atMost: .seconds(120))
            #expect(entered == "ok \(try content(of: "fwp"))", "\(entered)")
            #expect(game.lines.contains("released mym2"), "\(game.lines)")
            #expect(try await game.ask("where") == "ok playing mym")
            let states = try await states(device)
            #expect(states["fwp"] == .inUse && states["mym"] == .inUse)
            #expect([.purged, .partiallyDownloaded].contains(states["mym2"]))
            // What it plays was never touched.
            #expect(try await game.ask("enter mym") == "ok \(try content(of: "mym"))")
        }
    }
}
