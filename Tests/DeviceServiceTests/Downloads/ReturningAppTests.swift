// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import System
import TestSupport
import Testing

@testable import DeviceService

/// What holds over the end of an app, of the service, or of both: what was heard of, and what is in front (C8, C9).
@Suite(.timeLimit(.minutes(5))) struct ReturningAppTests {
    private static let app = ServiceHarness.app

    /// Where an app dies that has heard of an end, and did not live to say so.
    enum Death: CaseIterable { case alone, whileTheServiceIsDown }

    @Test(arguments: Death.allCases) func whatHasAReceiptIsToldNobodyAgain(_ death: Death) async throws {
        try await ServiceHarness.withUnmanagedApp { harness, _ in
            for name in ["map", "sign"] { harness.server.serve(Array(name.utf8), as: name) }
            let connection = try await harness.connect()
            var ears = DownloadEars(connection)
            try await harness.schedule(harness.download("map"), connection)
            try await harness.schedule(harness.download("missing"), connection)
            let ends = [
                try await ears.next(.finished, .failed), try await ears.next(.finished, .failed),
            ]
            #expect(Set(ends.map(\.change)) == [.finished, .failed])
            let receipts = try ends.map { FilePath(try #require($0.receipt)) }
            #expect(Set(receipts).count == 2)
            if death == .whileTheServiceIsDown { await harness.stop() }
            for receipt in receipts { try AtomicFile.write([], to: receipt, durable: false) }
            connection.close()
            if death == .whileTheServiceIsDown { try await harness.start() }
            let again = try await harness.connect()
            var later = DownloadEars(again)
            try await harness.schedule(harness.download("sign"), again)
            #expect(try await later.end().download.identifier == "sign")
            #expect(try await harness.packs().isEmpty)
            let folder = try #require(receipts.first).removingLastComponent()
            #expect(try FileDescriptor.currentDirectory.entries(at: folder).isEmpty, "files and receipts go")
        }
    }

    /// An app that is still in its delegate's method while the service is restarted.
    @Test(arguments: [true, false]) func whatAnAppIsStillHearingIsToldNobodyMeanwhile(livesToSaySo: Bool) async throws {
        try await ProbeDownloaderHarness.with { harness in
            harness.offer()
            try await harness.install()
            var connection = try await harness.service.connect()
            _ = try await connection.send(LaunchRequest(app: Self.app))
            for name in ["map", "sign"] { harness.service.server.serve(Array(name.utf8), as: name) }
            var ears = DownloadEars(connection)
            try await harness.service.schedule(harness.service.download("map"), connection)
            let end = try await ears.next(.finished)
            let receipt = try #require(end.receipt)
            let begun = try FileLock.acquire(FilePath(try #require(end.begun)), .exclusive)
            await harness.service.stop()
            try await harness.service.start()
            connection = try await harness.service.connect()
            // Neither the extension hears of it, nor is it deleted to make room.
            try await harness.service.schedule(harness.service.download("sign"), connection)
            try await harness.waitForLine("finished sign here")
            #expect(try await connection.send(StoragePurgeRequest(bytes: 1 << 30)).purged.isEmpty)
            #expect(FileDescriptor.currentDirectory.exists(at: FilePath(try #require(end.file))))
            if livesToSaySo { try AtomicFile.write([], to: FilePath(receipt), durable: false) }
            begun.descriptor.unlock()
            if livesToSaySo {
                try await eventually { try await harness.service.packs().isEmpty ? () : nil }
                #expect(harness.journal.last == "finished sign here")
            } else {
                try await harness.waitForLine("finished map here")
            }
        }
    }

    @Test func aReceiptIsGoodForItsOwnEndOnly() async throws {
        try await ServiceHarness.withUnmanagedApp { harness, _ in
            let connection = try await harness.connect()
            var ears = DownloadEars(connection)
            for name in ["one", "two"] { try await harness.schedule(harness.download(name), connection) }
            let first = try await ears.next(.failed)
            let second = try await ears.next(.failed)
            try AtomicFile.write([], to: FilePath(try #require(first.receipt)), durable: false)
            connection.close()
            var later = DownloadEars(try await harness.connect())
            let told = try await later.end()
            #expect(told.number == second.number)
        }
    }

    @Test func whatAnAppHasInFrontIsThereAgainAfterARestartOfTheService() async throws {
        try await ServiceHarness.withUnmanagedApp { harness, connection in
            let content = [UInt8](repeating: 9, count: 400_000)
            harness.server.serve(content, as: "map")
            harness.server.serve(content, as: "other")
            // Neither would come in the background.
            _ = try await connection.send(SettingsSetRequest(name: "lowPowerMode", app: nil, value: "on"))
            harness.server.spoil("map", .stall(after: 200_000))
            let app = try await harness.connect()
            var ears = DownloadEars(app)
            let download = harness.download("map", size: 400_000)
            _ = try await app.send(
                StartForegroundDownloadRequest(app: Self.app, download: download, isInFront: true))
            while let step = try? await ears.next(.progress), step.total < 200_000 {}
            try await harness.schedule(harness.download("other"), app)
            await harness.stop()
            harness.server.spoil("map", nil)
            try await harness.start()
            let again = try await harness.connect()
            while try await harness.packs()["map"]?.waitsFor == nil { _ = try await again.send(StatusRequest()) }
            #expect(try await harness.packs()["map"]?.policy.rawValue == "background", "nobody is there")
            // It names one that there is no more, too.
            ears = DownloadEars(again, foreground: ["map", "gone"])
            let end = try await ears.end()
            #expect(end.change == .finished && end.download.identifier == "map")
            let ranges = harness.server.requests.filter { $0.path == "/map" }.map(\.range)
            #expect(ranges.count == 2 && ranges.last??.hasPrefix("bytes=") == true, "no byte is lost: \(ranges)")
            #expect(try await harness.current(again).map(\.identifier) == ["other"])
            #expect(!harness.server.requests.contains { $0.path == "/other" })
        }
    }

    /// The service was killed before it could answer, and the next one was quick.
    @Test func aCallThatIsRepeatedSchedulesOnce() async throws {
        try await ServiceHarness.withUnmanagedApp { harness, connection in
            harness.server.serve([1, 2, 3], as: "one")
            harness.server.spoil("one", .stall(after: 1))
            var download = harness.download("one", size: 3)
            download.ticket = "first"
            for _ in 0..<2 { try await harness.schedule(download, connection) }
            var other = download
            other.ticket = "second"
            let error = await #expect(throws: DeviceError.self) { try await harness.schedule(other, connection) }
            #expect(error?.downloadProblem == .alreadyScheduled)
            harness.server.spoil("one", nil)
            await harness.stop()
            try await harness.start()
            let again = try await harness.connect()
            var ears = DownloadEars(again)
            let end = try await ears.end()
            #expect(end.change == .finished && end.download.ticket == nil)
            let asked = harness.server.requests.count
            for _ in 0..<2 {
                let connection = try await harness.connect()
                try await harness.schedule(download, connection)
                _ = try await connection.send(
                    StartForegroundDownloadRequest(app: ServiceHarness.app, download: download, isInFront: true))
                #expect(try await harness.current(connection).isEmpty)
                await harness.stop()
                try await harness.start()
            }
            #expect(harness.server.requests.count == asked)
            // Another call for the same is a new download.
            let last = try await harness.connect()
            var others = DownloadEars(last)
            try await harness.schedule(other, last)
            #expect(try await others.end().change == .finished)
        }
    }
}
