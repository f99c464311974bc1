// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import DeviceSupport
import Kit
import System
import TestSupport
import Testing

/// The main job, end to end: package, serve, trust, install, launch, read.
@Suite struct MainJobTests {
    @Test func installsLaunchesAndReads() async throws {
        try await Bench.with { bench in
            let events = try await bench.device.install(try bench.app())
            let last = try #require(events.last)
            #expect(last.phase == .launchable || last.phase == .complete, "\(events)")
            #expect(events.map(\.completed) == events.map(\.completed).sorted(), "progress never goes back")
            #expect(last.completed == last.total)
            #expect(try await bench.device.packs()["First"]?.state == .local)

            let app = try await bench.device.launch()
            try await bench.expectWhole(bench.essential, through: app)

            #expect(try await app.ask("follow Second") == "ok finished")
            try await bench.expectWhole(bench.prefetch, through: app)

            #expect(try await app.ask("local Third") == "ok false")
            #expect(try await app.ask("read \(bench.onDemand.files.keys.sorted()[0])").hasPrefix("error"))
            #expect(try await app.ask("ensure Third") == "ok Third")
            try await bench.expectWhole(bench.onDemand, through: app)
            #expect(try await app.ask("manifest") == "ok First Second Third")
            app.closeInput()
            #expect(try await app.end() == 0)
        }
    }

    @Test func whatIsHeldSurvivesRemovalAndTheServiceIsNotNeededToRead() async throws {
        try await Bench.with { bench in
            _ = try await bench.device.install(try bench.app(), until: .complete)
            let app = try await bench.device.launch()
            let path = bench.prefetch.files.keys.sorted()[0]
            let whole = "ok " + summary(bench.prefetch.files[path] ?? [])
            #expect(try await app.ask("hold \(path)") == whole)
            #expect(try await app.ask("remove Second") == "ok Second")
            #expect(try await app.ask("read \(path)").hasPrefix("error"))
            #expect(try await app.ask("held") == whole)

            try await bench.device.kill()
            #expect(try await app.ask("held") == whole)
            try await bench.expectWhole(bench.essential, through: app)
        }
    }

    @Test func uninstallLeavesNothingBehind() async throws {
        try await Bench.with { bench in
            _ = try await bench.device.install(try bench.app(), until: .complete)
            let root = bench.device.paths.appRoot(SampleApp.bundleID)
            #expect(FileDescriptor.currentDirectory.exists(at: root))
            let result = try await bench.device.larder("uninstall", SampleApp.bundleID)
            #expect(result.exitCode == 0, "\(result.errorText)")
            #expect(!FileDescriptor.currentDirectory.exists(at: root))
            #expect(try await bench.device.connect().send(AppsRequest()).apps.isEmpty)
        }
    }
}
