// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import DeviceSupport
import Kit
import System
import TestSupport
import Testing

/// Room on the disk: planned before the first byte, and run out of at any write (C5, C10).
@Suite struct SpaceTests {
    private static func withSmallDisk(
        _ size: Int64, name: String = #function, _ body: (Bench, Device) async throws -> Void
    ) async throws {
        try await Bench.with(fileCount: 40, fileSize: 400_000, start: false, name: name) { bench in
            let home = bench.scratch("small")
            guard try SmallDisk.mount(size, at: home, bench.scratch) else { return }
            let device = try Device(bench.scratch, home: home)
            try await device.start()
            try await device.trust(bench.server)
            try await body(bench, device)
        }
    }

    /// About 16 MB a pack, and as much for the app: there is room for one of them.
    @Test func anInstallThatCannotFitIsRefusedBeforeTheFirstByte() async throws {
        try await Self.withSmallDisk(24 << 20) { bench, device in
            let events = try await device.install(try bench.app())
            let last = try #require(events.last)
            #expect(last.phase == .failed)
            #expect(last.error?.code == .noSpace, "\(String(describing: last.error))")
            #expect(bench.server.bytesSent(pack: "First") == 0)
            #expect(!FileDescriptor.currentDirectory.exists(at: device.paths.appRoot(SampleApp.bundleID)))
        }
    }

    /// The plan believed a manifest without sizes, or someone else filled the disk: the writes themselves fail.
    @Test func aDiskThatFillsDuringADownloadIsSurvived() async throws {
        try await Self.withSmallDisk(96 << 20) { bench, device in
            _ = try await device.install(try bench.app(), until: .complete)
            let filler = device.home.appending("filler")
            bench.server.slow(to: bench.onDemand.archiveSize / 8)
            let connection = try await device.connect()
            let request = EnsureLocalAvailabilityRequest(app: SampleApp.bundleID, packs: ["Third"])
            async let reply = connection.send(request)
            try await bench.server.waitForRequests(pack: "Third", count: 1)
            let free = try FileSystemSpace(at: device.home).available
            let file = try FileDescriptor.open(
                filler, .writeOnly, options: [.create], permissions: FilePermissions(rawValue: 0o600))
            try file.closeAfter { try file.allocate(length: free - (2 << 20)) }
            let failures = try await reply.failures
            #expect(failures.first?.error.code == .noSpace, "\(failures)")
            try FileDescriptor.currentDirectory.remove(at: filler)
            bench.server.spoil(nil)
            #expect(try await connection.send(request).successes.map(\.id) == ["Third"])
        }
    }
}
