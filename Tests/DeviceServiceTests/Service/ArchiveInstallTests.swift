// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import System
import TestSupport
import Testing

@testable import DeviceService

/// Installs from archives over a real socket and a real server (C2).
@Suite(.timeLimit(.minutes(5))) struct ArchiveInstallTests {
    private func archive(
        _ harness: ServiceHarness, version: String = "1.0", _ change: (inout AppFixture) -> Void = { _ in }
    ) throws -> String {
        let bundle = FilePath(try harness.bundle(version: version, change))
        let bytes = try AppArchiveFixture.bytes(of: bundle)
        return try harness.scratch.write(bytes, to: "Game-\(version).aar").string
    }

    @Test func anAppIsInstalledAndUpdatedFromArchives() async throws {
        try await ServiceHarness.with { harness in
            let path = try archive(harness) { $0.files["big"] = Array(repeating: 7, count: 3 << 20) }
            let events = try await harness.install(path)
            #expect(events.last?.phase == .complete)
            #expect(events.contains { $0.phase == .copyingApp && $0.completed > 0 && $0.completed < $0.total })
            #expect(try await harness.packs()["E"]?.state == .local)
            let connection = try await harness.connect()
            let launch = try await connection.send(LaunchRequest(app: ServiceHarness.app))
            let installed = FilePath(launch.executable).removingLastComponent()
            let built = harness.scratch("build-1.0/Game.app")
            #expect(try AppArchiveFixture.tree(installed) == AppArchiveFixture.tree(built))
            let size = try await connection.send(StorageRequest()).apps.first?.baseSize
            #expect(try size == TreeSize.measure(built).logical)

            let update = try archive(harness, version: "2.0")
            let updated = connection.stream(UpdateRequest(path: update, until: .complete))
            for try await event in updated { #expect(event.error == nil) }
            #expect(try await connection.send(AppsRequest()).apps.map(\.version) == ["2.0"])
            #expect(try bases(harness) == ["2", "current"])
            try expectNothingIncoming(harness)
        }
    }

    private func bases(_ harness: ServiceHarness) throws -> [String] {
        let folder = harness.paths.appRoot(ServiceHarness.app).appending("bundle")
        return try FileDescriptor.currentDirectory.entries(at: folder).map(\.name)
    }

    private func expectNothingIncoming(_ harness: ServiceHarness) throws {
        let here = FileDescriptor.currentDirectory
        guard here.exists(at: harness.paths.incoming) else { return }
        #expect(try here.entries(at: harness.paths.incoming) == [])
    }

    @Test func theExtensionRunsFromTheUnpackedBundle() async throws {
        try await ServiceHarness.with { harness in
            let path = try archive(harness) { fixture in
                fixture.extensionExecutable = """
                    #!/bin/sh
                    test -f "${0%/*}/../../Info.plist" || exit 1
                    printf '\\000\\000\\000\\044{"id":1,"result":{"download":false}}' >&3
                    printf '\\000\\000\\000\\043{"id":2,"result":{"download":true}}' >&3
                    read line <&3
                    """
            }
            let last = try await harness.install(path).last
            #expect(last?.notes == [])
            #expect(last?.packs.map(\.state) == [.declined, .local])
        }
    }

    @Test func aRefusedArchiveLeavesNothing() async throws {
        try await ServiceHarness.with { harness in
            let bad = try archive(harness) { $0.keys["BAManifestURL"] = "<string>ftp://x</string>" }
            let path = try harness.scratch.write(Array("no archive at all".utf8), to: "no.aar").string
            for (path, code) in [(bad, DeviceError.Code.badBundle), (path, .init(rawValue: "archive.notAnArchive"))] {
                await #expect { try await harness.install(path) } throws: { ($0 as? DeviceError)?.code == code }
            }
            #expect(try await harness.isGone())
            try expectNothingIncoming(harness)
        }
    }

    @Test func aFailedInstallTakesTheUnpackedBundleAway() async throws {
        try await ServiceHarness.with { harness in
            harness.server.fail(.status(404))
            let last = try await harness.install(try archive(harness)).last
            #expect(last?.phase == .failed)
            #expect(try await harness.isGone())
            // An update that fails leaves the version that was there.
            _ = try await harness.install(try harness.bundle())
            harness.server.fail(.status(404))
            let update = try await harness.install(try archive(harness, version: "2.0")).last
            #expect(update?.phase == .failed)
            #expect(try bases(harness) == ["1", "current"])
        }
    }

    @Test func aRestartGoesOnFromTheUnpackedBundle() async throws {
        try await ServiceHarness.with { harness in
            harness.server.fail(.reset(after: 1))
            let path = try archive(harness)
            let connection = try await harness.connect()
            for try await _ in connection.stream(InstallRequest(path: path, until: .accepted)) {}
            await harness.stop()
            try await harness.start()
            let watching = try await harness.connect()
            for try await event in watching.stream(WatchInstallRequest(app: ServiceHarness.app, until: .complete)) {
                #expect(event.error == nil)
            }
            #expect(try await harness.packs()["E"]?.state == .local)
            #expect(try bases(harness) == ["1", "current"])
        }
    }
}
