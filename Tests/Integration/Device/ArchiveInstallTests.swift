// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import DeviceSupport
import Kit
import System
import TestSupport
import Testing

/// Apps from archives, by the real programs (C2).
@Suite(.serialized) struct ArchiveInstallTests {
    private func archive(_ bench: Bench, _ bundle: FilePath, _ name: String) async throws -> FilePath {
        let path = bench.scratch(name)
        let packed = try await bench.device.larder("archive", bundle.string, "-o", path.string)
        #expect(packed.exitCode == 0, "\(packed.errorText)")
        return path
    }

    @Test func anAppComesAndIsUpdatedFromArchives() async throws {
        try await Bench.with { bench in
            let first = try await archive(bench, bench.app(), "one.aar")
            let installed = try await bench.device.larder("install", first.string)
            #expect(installed.exitCode == 0, "\(installed.errorText)")
            let app = try await bench.device.launch()
            try await bench.expectWhole(bench.essential, through: app)

            let second = try await archive(bench, bench.app(version: "2.0"), "two.aar")
            let updated = try await bench.device.larder("update", second.string)
            #expect(updated.exitCode == 0, "\(updated.errorText)")
            let apps = try await bench.device.connect().send(AppsRequest()).apps
            #expect(apps.map(\.version) == ["2.0"])

            let broken = try bench.scratch.write("AA01", to: "broken.aar")
            for path in [broken, bench.essential.archive] {
                let refused = try await bench.device.larder("update", path.string)
                #expect(refused.exitCode != 0)
                #expect(refused.errorText.contains(path.lastComponent?.string ?? ""), "\(refused.errorText)")
            }
        }
    }

    @Test func anInstallFromAnArchiveSurvivesKillsAtRandomInstants() async throws {
        try await Bench.with(fileCount: 10) { bench in
            var generator = SeededGenerator.forTest("archive kills")
            let bundle = try bench.app()
            for number in 0..<24 {
                let path = bundle.appending("Resources/\(number % 4)/\(number)")
                try FileDescriptor.currentDirectory.makeDirectories(at: path.removingLastComponent())
                try AtomicFile.write(generator.bytes(700_000, redundancy: false), to: path, durable: false)
            }
            let archive = try await archive(bench, bundle, "app.aar")
            let connection = try await bench.device.connect()
            for try await _ in connection.stream(InstallRequest(path: archive.string, until: .accepted)) {}
            for _ in 0..<6 {
                // How long a run lives is the test's random variable, not a wait for something.
                try await Task.sleep(for: .milliseconds(Int.random(in: 1...60, using: &generator)))
                try await bench.device.kill()
                try await bench.device.start()
            }
            let watching = try await bench.device.connect()
            for try await event in watching.stream(WatchInstallRequest(app: SampleApp.bundleID, until: .complete)) {
                #expect(event.error == nil)
            }
            let app = try await bench.device.launch()
            try await bench.expectWhole(bench.essential, through: app)
            let bases = bench.device.paths.appRoot(SampleApp.bundleID).appending("bundle")
            #expect(try FileDescriptor.currentDirectory.entries(at: bases).map(\.name) == ["1", "current"])
            let installed = bases.appending("1").appending(bundle.lastComponent?.string ?? "")
            let compared = try await offload {
                try ChildProcess.run(executable: "diff", arguments: ["-r", bundle.string, installed.string])
            }
            #expect(compared.exitCode == 0, "\(compared.outputText)")
            let incoming = bench.device.paths.incoming
            #expect(
                try !FileDescriptor.currentDirectory.exists(at: incoming)
                    || FileDescriptor.currentDirectory.entries(at: incoming).isEmpty)
        }
    }
}
