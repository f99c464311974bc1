// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import DeviceSupport
import Kit
import System
import TestSupport
import Testing

/// What most tests need: a scratch folder with a server, three packs, an app, and a device that trusts the server.
struct Bench: Sendable {
    let scratch: Scratch
    let server: AssetServer
    let device: Device
    let packs: [SamplePack]

    var essential: SamplePack { packs[0] }
    var prefetch: SamplePack { packs[1] }
    var onDemand: SamplePack { packs[2] }

    /// - Parameter start: whether the service runs and trusts the server.
    static func with(
        fileCount: Int = 24, fileSize: Int = 40_000, start: Bool = true,
        name: String = #function, _ body: (Bench) async throws -> Void
    ) async throws {
        await Turnstile.shared.enter()
        let result: Result<Void, any Error>
        do {
            try await prepare(fileCount, fileSize, start, name, body)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await Turnstile.shared.leave()
        try result.get()
    }

    private static func prepare(
        _ fileCount: Int, _ fileSize: Int, _ start: Bool, _ name: String,
        _ body: (Bench) async throws -> Void
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
                try await device.start()
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

    /// Where the pack's files lie that the app reads.
    func folder(of pack: SamplePack, through app: RunningProgram) async throws -> FilePath {
        let path = pack.files.keys.sorted()[0]
        let answer = try await app.ask("url \(path)")
        guard answer.hasPrefix("ok /"), answer.hasSuffix("/" + path) else { throw TestFailure(answer) }
        return FilePath(String(answer.dropFirst(3).dropLast(path.utf8.count + 1)))
    }

    /// All files below a folder, by their paths.
    func files(in folder: FilePath) throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for entry in try FileDescriptor.currentDirectory.entries(at: folder) {
            let path = folder.appending(entry.name)
            guard entry.kind == .directory else {
                files[entry.name] = try File.read(path)
                continue
            }
            for (name, bytes) in try self.files(in: path) { files["\(entry.name)/\(name)"] = bytes }
        }
        return files
    }

    /// Reads every file of a pack through the app and compares.
    func expectWhole(
        _ pack: SamplePack, through app: RunningProgram, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        var wrong: [String] = []
        for (path, bytes) in pack.files.sorted(by: { $0.key < $1.key }) {
            let answer = try await app.ask("read \(path)")
            if answer != "ok " + summary(bytes) { wrong.append("\(path): \(answer), not \(summary(bytes))") }
        }
        if wrong.isEmpty { return }
        let listing = try? await device.packs()[pack.id]
        Issue.record(
            "\(wrong.count) of \(pack.files.count) files are wrong: \(wrong.prefix(3)); \(String(describing: listing))",
            sourceLocation: sourceLocation)
    }
}
