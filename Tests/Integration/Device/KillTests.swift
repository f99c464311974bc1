// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import DeviceSupport
import HTTP
import Kit
import System
import TestSupport
import Testing

/// SIGKILL of the service at any instant: the install goes on at the next start and fetches little twice (C1, C8).
@Suite(.serialized) struct KillTests {
    @Test func anInstallSurvivesKillsAtRandomInstants() async throws {
        try await Bench.with(fileCount: 60, fileSize: 120_000) { bench in
            var generator = SeededGenerator.forTest("kills")
            bench.server.slow(to: bench.essential.archiveSize * 2)
            let connection = try await bench.device.connect()
            for try await _ in connection.stream(InstallRequest(path: try bench.app().string, until: .accepted)) {}

            var kills = 0
            while kills < 8, try await !isComplete(bench) {
                // How long a run lives is the test's random variable, not a wait for something.
                try await Task.sleep(for: .milliseconds(Int.random(in: 1...250, using: &generator)))
                try await bench.device.kill()
                try await bench.device.start()
                kills += 1
            }
            for goal in [InstallGoal.launchable, .complete] {
                let watching = try await bench.device.connect()
                for try await event in watching.stream(WatchInstallRequest(app: SampleApp.bundleID, until: goal)) {
                    #expect(event.error == nil)
                }
            }
            #expect(try await isComplete(bench))

            let app = try await bench.device.launch()
            #expect(try await app.ask("follow Second") == "ok finished")
            for pack in [bench.essential, bench.prefetch] {
                try await bench.expectWhole(pack, through: app)
                // What a kill costs: a span of 1 MiB, a block, and what the connection had in flight.
                let limit = pack.archiveSize + Int64(kills) * (4 << 20)
                #expect(bench.server.bytesSent(pack: pack.id) <= limit, "\(kills) kills")
            }
            #expect(try bench.staged() == [])
        }
    }

    @Test func larderInstallGoesOnWhenTheServiceIsKilled() async throws {
        try await Bench.with { bench in
            // Nothing more comes from the server before the kill.
            bench.server.spoil(pack: "First") { number, response in
                guard number == 1 else { return }
                response.behaviour.breaks = .stall
                response.behaviour.breakOffset = bench.essential.archiveSize / 2
            }
            let client = try bench.device.startLarder("install", try bench.app().string)
            try await bench.server.waitForRequests(pack: "First", count: 1)
            try await bench.device.kill()
            #expect(try await client.end() == 0, "\(client.errorText)")
            #expect(client.errorText.contains("went away and was started again"), "\(client.errorText)")
            let app = try await bench.device.launch()
            try await bench.expectWhole(bench.essential, through: app)
            // The command started this one, so the bench does not end it.
            #expect(try await bench.device.larder("stop").exitCode == 0)
        }
    }

    private func isComplete(_ bench: Bench) async throws -> Bool {
        let packs = try await bench.device.packs()
        return packs["First"]?.state == .local && packs["Second"]?.state == .local
    }

    @Test func aReaderNeverSeesHalfOfAnything() async throws {
        try await Bench.with { bench in
            _ = try await bench.device.install(try bench.app(), until: .complete)
            let app = try await bench.device.launch()
            for round in 1...6 {
                let version = 1 + round
                let second = try SamplePack.make(
                    "Second", version: version, policy: "prefetch", files: bench.prefetch.files, in: bench.scratch)
                bench.server.publish([bench.essential, second, bench.onDemand])
                let check = Task { try await app.ask("check") }
                try await bench.server.waitForRequests(pack: "Second", count: round)
                try await bench.device.kill()
                // Its answer, one way or the other, so that the next line is the answer to the next question.
                _ = try await check.value
                try await bench.expectWhole(bench.prefetch, through: app)
                try await bench.device.start()
            }
            #expect(try await app.ask("ensureLatest Second").hasPrefix("ok"))
            #expect(try await bench.device.packs()["Second"]?.localVersion == 7)
        }
    }
}
