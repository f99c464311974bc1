// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Glibc
import Kit
import System
import TestSupport

/// A device that has a pair's old version installed, and goes to the new one.
struct UpdateDevice {
    let larderd: FilePath
    /// What it keeps; a file system of its own where extra disk is to be seen.
    var home: FilePath
    let publication: LarderPublication
    let url: String
    let authority: FilePath

    /// What an update took.
    struct Cost {
        /// From the request until the app may start, with all files of the new version in place.
        var seconds = 0.0
        /// Of the service.
        var run = RunCost()
        /// At the peak, beyond what was in use before.
        var extraDisk: Int64 = 0
    }

    /// One update on a new device.
    /// - Parameters:
    ///   - link: what the update comes over; the old version does not.
    ///   - beginning: called right before the update.
    func update(
        to offer: LarderPublication.Offer, over link: NetworkLink = .loopback, beginning: () throws -> Void = {}
    ) async throws -> Cost {
        try FileDescriptor.currentDirectory.makeDirectories(at: home)
        try UpdatePair.succeed(["find", home.string, "-mindepth", "1", "-delete"])
        try publication.offerOld()
        let launcher = try ServiceLauncher(larderd: larderd, home: home)
        let service = try launcher.start()
        defer { _ = try? service.stop(grace: .seconds(10)) }
        try launcher.waitForAnswer(of: service)
        let connection = try await DeviceConnection.connect(
            paths: launcher.paths, client: "bench", startIfNeeded: false)
        let pem = String(decoding: try File.read(authority, limit: 1 << 20), as: UTF8.self)
        _ = try await connection.send(TrustAddRequest(name: "bench", pem: pem))
        try await finish(connection.stream(InstallRequest(path: try app("1").string)))
        try publication.offer(offer.rawValue)
        let next = try app("2")
        sync()
        var cost = Cost()
        try await link.held {
            try ProcessUsage.forgetPeak(of: service.processID)
            let processorStart = try ProcessUsage.processorSeconds(of: service.processID)
            try beginning()
            let before = try FileSystemSpace(at: home).available
            let sampler = try DiskSampler(home)
            let begin = ContinuousClock.now
            do {
                try await finish(connection.stream(UpdateRequest(path: next.string)))
            } catch {
                _ = sampler.stop()
                throw error
            }
            cost.seconds = (ContinuousClock.now - begin) / .seconds(1)
            cost.run = RunCost(
                seconds: cost.seconds,
                processorSeconds: try ProcessUsage.processorSeconds(of: service.processID) - processorStart,
                peakBytes: try ProcessUsage.peakResidentBytes(of: service.processID))
            cost.extraDisk = before - sampler.stop()
        }
        try expectNewVersion(launcher.paths)
        return cost
    }

    private func app(_ version: String) throws -> FilePath {
        var app = AppFixture()
        app.version = version
        app.keys = AppFixture.managedKeys(manifestURL: "\(url)/manifest.json")
        // It is asked about each update, and wants it.
        app.extensionProgram = try CurrentExecutable.path().removingLastComponent()
            .appending("bench-managed-extension")
        let place = home.appending("bundle-\(version)")
        try FileDescriptor.currentDirectory.makeDirectories(at: place)
        return try app.write(in: place)
    }

    private func finish(_ events: AsyncThrowingStream<InstallEvent, any Error>) async throws {
        for try await event in events {
            if let error = event.error { throw error }
        }
    }

    /// What it has of the pack is what the tree has: it reads the newest of the versions that are there.
    private func expectNewVersion(_ paths: LarderPaths) throws {
        let packs = paths.state.pushing(FilePath("apps/\(AppFixture().identifier)/packs/Tree"))
        let folders = try FileDescriptor.currentDirectory.entries(at: packs).filter { $0.kind == .directory }
        let problems = folders.compactMap { folder -> String? in
            do {
                try publication.pair.expectNewTree(packs.appending(folder.name))
                return nil
            } catch { return "\(error)" }
        }
        guard problems.count < folders.count else {
            throw BenchmarkError("the device has not the new version: \(problems)")
        }
    }
}
