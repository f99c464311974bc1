// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import DeviceSupport
import Kit
import System
import TestSupport
import Testing

/// Pause, resume and cancel, again and again; services and clients that come and go.
@Suite struct ControlTests {
    @Test func aDownloadIsPausedAndResumedSeveralTimes() async throws {
        try await Bench.with { bench in
            _ = try await bench.device.install(try bench.app(), until: .complete)
            bench.server.slow(to: bench.onDemand.archiveSize / 2)
            let app = try await bench.device.launch()
            let connection = try await bench.device.connect()
            var updates = connection.stream(StatusUpdatesRequest(app: SampleApp.bundleID, pack: "Third"))
                .makeAsyncIterator()
            try app.tell("ensure Third")
            for _ in 1...3 {
                try await wait(for: .downloading, &updates)
                _ = try await connection.send(PauseRequest(app: SampleApp.bundleID, pack: "Third"))
                try await wait(for: .paused, &updates)
                #expect(try await bench.device.packs()["Third"]?.state == .paused)
                _ = try await connection.send(ResumeRequest(app: SampleApp.bundleID, pack: "Third"))
            }
            bench.server.spoil(nil)
            try await wait(for: .finished, &updates)
            _ = try await app.line { $0 == "ok Third" }
            try await bench.expectWhole(bench.onDemand, through: app)
            #expect(bench.server.bytesSent(pack: "Third") < 3 * bench.onDemand.archiveSize)
        }
    }

    private func wait(
        for change: DownloadEvent.Change, _ updates: inout AsyncThrowingStream<DownloadEvent, any Error>.Iterator
    ) async throws {
        while let event = try await updates.next() {
            if event.change == change { return }
            if event.change == .failed { throw TestFailure("\(event)") }
        }
        throw TestFailure("The updates ended before \(change.rawValue).")
    }

    @Test func aDownloadIsCancelledAgainAndAgain() async throws {
        try await Bench.with { bench in
            _ = try await bench.device.install(try bench.app(), until: .complete)
            bench.server.slow(to: bench.onDemand.archiveSize / 4)
            let app = try await bench.device.launch()
            for _ in 1...4 {
                let answer = try await app.ask("cancelled Third")
                #expect(answer.hasPrefix("ok failed"), "\(answer)")
                #expect(try await app.ask("local Third") == "ok false")
                #expect(try bench.staged() == [])
            }
            bench.server.spoil(nil)
            #expect(try await app.ask("ensure Third") == "ok Third")
            try await bench.expectWhole(bench.onDemand, through: app)
        }
    }

    @Test func anInstallIsCancelledAndLeavesNothing() async throws {
        try await Bench.with { bench in
            bench.server.slow(to: bench.essential.archiveSize / 10)
            let connection = try await bench.device.connect()
            let path = try bench.app().string
            var last: InstallEvent?
            for try await event in connection.stream(InstallRequest(path: path)) {
                if event.phase == .downloading, last?.phase != .downloading {
                    _ = try await connection.send(CancelRequest(app: SampleApp.bundleID))
                }
                last = event
            }
            #expect(last?.phase == .cancelled, "\(String(describing: last))")
            #expect(!FileDescriptor.currentDirectory.exists(at: bench.device.paths.appRoot(SampleApp.bundleID)))
            bench.server.spoil(nil)
            #expect(try await bench.device.install(try bench.app()).last?.error == nil)
        }
    }

    @Test func aClientThatDisappearsDoesNotStopTheInstall() async throws {
        try await Bench.with { bench in
            bench.server.slow(to: bench.essential.archiveSize / 2)
            let client = try bench.device.startLarder("install", "--json", try bench.app().string)
            _ = try await client.line { $0.contains("downloading") }
            try await client.kill()
            bench.server.spoil(nil)
            let connection = try await bench.device.connect()
            for try await event in connection.stream(WatchInstallRequest(app: SampleApp.bundleID)) {
                #expect(event.error == nil)
            }
            let app = try await bench.device.launch()
            try await bench.expectWhole(bench.essential, through: app)
        }
    }

    @Test func twoServicesDoNotShareOneStateFolder() async throws {
        try await Bench.with { bench in
            let second = try RunningProgram("larderd", environment: bench.device.environment)
            #expect(try await second.end() != 0)
            #expect(second.errorText.contains("state") || second.errorText.contains("running"), "\(second.errorText)")
            #expect(try await bench.device.larder("status").exitCode == 0, "the first is unharmed")
        }
    }

    @Test func stoppingAndAskingAgainReachesTheNextService() async throws {
        try await Bench.with { bench in
            // The one that the bench started, then those that the command line starts.
            for _ in 1...5 {
                let stopped = try await bench.device.larder("stop")
                #expect(stopped.exitCode == 0, "\(stopped.errorText)")
                let status = try await bench.device.larder("status")
                #expect(status.exitCode == 0, "\(status.errorText)")
            }
            _ = try await bench.device.larder("stop")
        }
    }

    @Test func theServiceEndsInGoodOrderOnTerm() async throws {
        try await Bench.with(start: false) { bench in
            let service = try await bench.device.start()
            service.process.terminate()
            #expect(try await service.end(atMost: .seconds(15)) == 0, "\(service.errorText)")
            #expect(!FileDescriptor.currentDirectory.exists(at: bench.device.paths.socket))
            // And the command line starts it by itself.
            #expect(try await bench.device.larder("status").exitCode == 0)
            #expect(try await bench.device.connect().send(StopRequest()) == EmptyReply())
        }
    }
}
