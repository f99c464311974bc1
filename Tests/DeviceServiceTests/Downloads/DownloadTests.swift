// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import System
import TestSupport
import Testing

@testable import DeviceService

/// Unmanaged downloads from being scheduled to being told of, over the service's socket (B4, C8, C9).
@Suite(.timeLimit(.minutes(5))) struct DownloadTests {
    private func bytes(_ count: Int, seed: UInt64 = 7) -> [UInt8] {
        var random = SeededGenerator(seed: seed)
        return random.bytes(count, redundancy: false)
    }

    private func problem(_ body: () async throws -> Void) async -> DownloadProblem? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? DeviceError)?.downloadProblem
        }
    }

    @Test func aScheduledDownloadArrivesAndItsFileGoesWithTheAcknowledgement() async throws {
        try await ServiceHarness.withUnmanagedApp { harness, connection in
            let content = bytes(300_000)
            harness.server.serve(content, as: "map")
            var ears = DownloadEars(connection)
            let download = harness.download("map", size: 300_000)
            try await harness.schedule(download, connection)
            #expect(try await ears.next(.began).download.state == .downloading)
            var place: String?
            let end = try await ears.end { step in
                #expect(step.change == .finished && step.total == 300_000 && step.expected == 300_000)
                #expect(step.download.uniqueIdentifier == download.uniqueIdentifier && step.download.state == .finished)
                let file = try #require(step.file)
                place = file
                #expect(try await offload { try File.read(FilePath(file)) } == content)
                #expect(try await harness.current(connection).isEmpty, "what has ended is not current")
            }
            #expect(end.error == nil)
            #expect(!FileDescriptor.currentDirectory.exists(at: FilePath(try #require(place))))
            #expect(try await harness.downloadFiles() == [])
        }
    }

    /// Somebody who begins to listen has the service look at what there is to tell, also while an end is being acknowledged.
    @Test func whatIsBeingAcknowledgedIsNotToldAgain() async throws {
        try await ServiceHarness.withUnmanagedApp { harness, connection in
            harness.server.serve(bytes(1000), as: "map")
            var ears = DownloadEars(connection)
            for turn in 0..<20 {
                let download = harness.download("map \(turn)", url: harness.server.url("map"))
                try await harness.schedule(download, connection)
                let step = try await ears.next(.finished)
                try #require(step.download.identifier == download.identifier)
                let other = try await harness.connect()
                async let acknowledged = connection.send(
                    AcknowledgeDownloadRequest(app: ServiceHarness.app, number: try #require(step.number)))
                let listening = DownloadEars(other)
                _ = try await harness.current(other)
                _ = try await acknowledged
                withExtendedLifetime(listening) {}
            }
        }
    }

    @Test func aMovedFileStays() async throws {
        try await ServiceHarness.withUnmanagedApp { harness, connection in
            harness.server.serve(bytes(1000), as: "map")
            var ears = DownloadEars(connection)
            try await harness.schedule(harness.download("map"), connection)
            let kept = harness.scratch("kept")
            try await ears.end { step in
                try FileDescriptor.currentDirectory.rename(from: FilePath(try #require(step.file)), to: kept)
            }
            #expect(try await offload { try File.read(kept) } == bytes(1000))
        }
    }

    @Test func whatIsRefused() async throws {
        try await ServiceHarness.withUnmanagedApp { harness, connection in
            harness.server.serve(bytes(10), as: "slow")
            harness.server.fail(.stall(after: 1), .stall(after: 1))
            let slow = harness.download("slow")
            try await harness.schedule(slow, connection)
            #expect(await problem { try await harness.schedule(slow, connection) } == .alreadyScheduled)
            let other = harness.download("slow")
            #expect(await problem { try await harness.schedule(other, connection) } == .alreadyScheduled)
            let essential = harness.download("vital", size: 10, essential: true)
            #expect(await problem { try await harness.schedule(essential, connection) } == .essentialNotPermitted)
            for url in ["http://example.org/x", "ftp://example.org/x", "", "https://", "file:///etc/passwd"] {
                let bad = harness.download("bad", url: url)
                #expect(await problem { try await harness.schedule(bad, connection) } == .invalid, "\(url)")
            }
            var unnamed = harness.download("")
            #expect(await problem { try await harness.schedule(unnamed, connection) } == .invalid)
            unnamed.identifier = "x"
            for group in ["", "..", "a/b"] {
                unnamed.appGroup = group
                #expect(await problem { try await harness.schedule(unnamed, connection) } == .invalid, "\(group)")
            }
            let unknown = RemoveDownloadRequest(app: ServiceHarness.app, identifier: "unknown")
            #expect(await problem { _ = try await connection.send(unknown) } == .doesNotExist)
            let background = StartForegroundDownloadRequest(
                app: ServiceHarness.app, download: harness.download("y"), isInFront: false)
            #expect(
                await problem { _ = try await connection.send(background) } == .callFromInactiveProcessNotAllowed)
            #expect(try await harness.current(connection).map(\.identifier) == ["slow"])
        }
    }

    @Test func withoutInAppContentNothingComesBeforeTheFirstLaunch() async throws {
        try await ServiceHarness.withUnmanagedApp(launched: false) { harness, connection in
            harness.server.serve(bytes(10), as: "map")
            _ = try await connection.send(SettingsSetRequest(name: "inAppContent", app: nil, value: "off"))
            let map = harness.download("map")
            #expect(await problem { try await harness.schedule(map, connection) } == .notPermittedBeforeAppLaunch)
            _ = try await connection.send(LaunchRequest(app: ServiceHarness.app))
            #expect(await problem { try await harness.schedule(map, connection) } == nil)
        }
    }

    @Test func whatHasEndedIsNotScheduledAnyMore() async throws {
        try await ServiceHarness.withUnmanagedApp { harness, connection in
            harness.server.serve(bytes(10), as: "map")
            var ears = DownloadEars(connection)
            try await harness.schedule(harness.download("map"), connection)
            let cancel = RemoveDownloadRequest(app: ServiceHarness.app, identifier: "map")
            try await ears.end { _ in
                #expect(await problem { _ = try await connection.send(cancel) } == .notScheduled)
            }
            #expect(await problem { _ = try await connection.send(cancel) } == .doesNotExist)
        }
    }

    @Test func whatCannotBeStartedFailsToStart() {
        let noThread = DownloadFailure(starting: "map", Errno.resourceTemporarilyUnavailable)
        #expect(noThread.error.downloadProblem == .failedToStart && noThread.outcome == .permanent)
        let reason = DeviceError(.disallowedByDomain, "no")
        #expect(DownloadFailure(starting: "map", reason).error == reason)
    }

    @Test func aCancelledDownloadIsGoneAndMayBeScheduledAgain() async throws {
        try await ServiceHarness.withUnmanagedApp { harness, connection in
            harness.server.serve(bytes(100_000), as: "map")
            harness.server.fail(.stall(after: 50_000))
            var ears = DownloadEars(connection)
            try await harness.schedule(harness.download("map"), connection)
            _ = try await ears.next(.began)
            try await harness.server.waitForRequests(1)
            _ = try await connection.send(RemoveDownloadRequest(app: ServiceHarness.app, identifier: "map"))
            let told = try await ears.next(.failed)
            #expect(told.error?.code == .cancelled && told.number == nil)
            #expect(try await harness.current(connection).isEmpty)
            #expect(try await harness.downloadFiles() == [])
            try await harness.schedule(harness.download("map"), connection)
            #expect(try await ears.end().change == .finished)
        }
    }

    @Test func aWrongSizeFailsAndLeavesNothing() async throws {
        try await ServiceHarness.withUnmanagedApp { harness, connection in
            harness.server.serve(bytes(1000), as: "map")
            var ears = DownloadEars(connection)
            try await harness.schedule(harness.download("map", size: 999), connection)
            let end = try await ears.end { step in
                #expect(step.error?.code == .downloadWrongSize, "\(String(describing: step.error))")
                // From here, as a delegate would, before the end is acknowledged.
                try await harness.schedule(harness.download("map", size: 1000), connection)
            }
            #expect(end.change == .failed && end.download.state == .failed)
            #expect(try await ears.end().change == .finished)
            #expect(try await harness.downloadFiles() == [])
        }
    }

    @Test func aBrokenTransferGoesOnWhereItWas() async throws {
        try await ServiceHarness.withUnmanagedApp { harness, connection in
            let content = bytes(400_000)
            harness.server.serve(content, as: "map")
            harness.server.fail(.cut(after: 150_000))
            var ears = DownloadEars(connection)
            try await harness.schedule(harness.download("map", size: 400_000), connection)
            _ = try await ears.next(.paused)
            try await ears.end { step in
                let file = try #require(step.file)
                #expect(try await offload { try File.read(FilePath(file)) } == content)
            }
            let requests = harness.server.requests.filter { $0.path == "/map" }
            #expect(requests.count == 2 && requests[1].range?.hasPrefix("bytes=") == true && requests[1].ifRange != nil)
        }
    }

    @Test func anotherFileUnderTheSameAddressIsFetchedFromItsBeginning() async throws {
        try await ServiceHarness.withUnmanagedApp { harness, connection in
            let newer = bytes(200_000, seed: 8)
            harness.server.serve(bytes(400_000), as: "map")
            harness.server.fail(.cut(after: 150_000), .replaced(newer))
            var ears = DownloadEars(connection)
            try await harness.schedule(harness.download("map"), connection)
            try await ears.end { step in
                let file = try #require(step.file)
                #expect(try await offload { try File.read(FilePath(file)) } == newer)
            }
        }
    }

    @Test func aServiceThatStartsAnewGoesOn() async throws {
        try await ServiceHarness.withUnmanagedApp { harness, connection in
            let content = bytes(500_000)
            harness.server.serve(content, as: "map")
            harness.server.fail(.stall(after: 200_000))
            var ears = DownloadEars(connection)
            let download = harness.download("map", size: 500_000)
            try await harness.schedule(download, connection)
            let come = try await ears.next(.progress).total
            await harness.stop()
            try await harness.start()
            let again = try await harness.connect()
            var newEars = DownloadEars(again)
            try await newEars.end { step in
                #expect(step.download.uniqueIdentifier == download.uniqueIdentifier)
                let file = try #require(step.file)
                #expect(try await offload { try File.read(FilePath(file)) } == content)
            }
            let range = try #require(harness.server.requests.last?.range)
            let first = try #require(Int64(range.dropFirst("bytes=".count).dropLast()))
            #expect(first >= come && come > 0, "nothing that had come is asked for again")
        }
    }

    @Test func anEndThatNobodyHeardIsToldLater() async throws {
        try await ServiceHarness.withUnmanagedApp { harness, connection in
            harness.server.serve(bytes(1000), as: "map")
            var presence = DownloadEars(connection)
            try await harness.schedule(harness.download("map"), connection)
            try await harness.schedule(harness.download("missing"), connection)
            // Told and not acknowledged: this app dies in its delegate.
            let first = try await presence.next(.finished, .failed)
            let second = try await presence.next(.finished, .failed)
            connection.close()
            await harness.stop()
            try await harness.start()
            let again = try await harness.connect()
            var ears = DownloadEars(again)
            var told: [Int64?: DownloadStep.Change] = [:]
            for _ in 0..<2 {
                let step = try await ears.end()
                told[step.number] = step.change
            }
            #expect(told == [first.number: first.change, second.number: second.change])
            #expect(try await harness.downloadFiles() == [])
            again.close()
            let third = try await harness.connect()
            var lateEars = DownloadEars(third)
            harness.server.serve(bytes(5), as: "sign")
            try await harness.schedule(harness.download("sign"), third)
            #expect(try await lateEars.end().download.identifier == "sign", "what was acknowledged is not told again")
        }
    }

    @Test func promotionLetsARunningTransferGoOn() async throws {
        try await ServiceHarness.withUnmanagedApp { harness, connection in
            harness.server.serve(bytes(400_000), as: "map")
            harness.server.serve(bytes(5), as: "sign")
            let app = try await harness.connect()
            var ears = DownloadEars(app)
            // Whoever has heard an end is listening.
            try await harness.schedule(harness.download("sign"), connection)
            try await ears.end()
            harness.server.fail(.stall(after: 200_000))
            let download = harness.download("map", size: 400_000)
            try await harness.schedule(download, connection)
            // Before bytes come the server may not have been asked yet.
            _ = try await ears.next(.progress)
            _ = try await app.send(
                StartForegroundDownloadRequest(app: ServiceHarness.app, download: download, isInFront: true))
            #expect(try await harness.current(app).map(\.state) == [.downloading])
            #expect(harness.server.requests.filter { $0.path == "/map" }.count == 1, "it goes on as it was")
        }
    }
}

extension DownloadTests {
    /// A holder that dies gives control back (B4).
    @Test func controlEndsWithItsConnection() async throws {
        try await ServiceHarness.withUnmanagedApp { harness, connection in
            let holder = try await harness.connect()
            var held = holder.stream(ExclusiveControlRequest(app: ServiceHarness.app, patience: nil))
                .makeAsyncIterator()
            _ = try await held.next()
            var refused = connection.stream(ExclusiveControlRequest(app: ServiceHarness.app, patience: 0))
                .makeAsyncIterator()
            let error = await #expect(throws: DeviceError.self) { _ = try await refused.next() }
            #expect(error?.code == .controlHeld)
            var waiting = connection.stream(ExclusiveControlRequest(app: ServiceHarness.app, patience: nil))
                .makeAsyncIterator()
            holder.close()
            #expect(try await waiting.next() != nil)
        }
    }

    /// An app that has control goes on with what it does when the service is killed, and the next service knows of it.
    @Test func controlOutlivesTheServiceThatGaveIt() async throws {
        try await ServiceHarness.withUnmanagedApp { harness, connection in
            // As the library in an app does while its body runs.
            let file = harness.paths.appRoot(ServiceHarness.app).appending("control")
            var lock: HeldLock? = try HeldLock(FileLock.acquire(file, .exclusive))
            for patience in [0, 20] as [Int64] {
                var refused = connection.stream(ExclusiveControlRequest(app: ServiceHarness.app, patience: patience))
                    .makeAsyncIterator()
                let error = await #expect(throws: DeviceError.self) { _ = try await refused.next() }
                #expect(error?.code == .controlHeld)
            }
            // Whoever does not wait any more does not get in anybody's way.
            let gone = try await harness.connect()
            _ = gone.stream(ExclusiveControlRequest(app: ServiceHarness.app, patience: nil))
            _ = try await harness.current(gone)
            gone.close()
            var waiting = connection.stream(ExclusiveControlRequest(app: ServiceHarness.app, patience: nil))
                .makeAsyncIterator()
            withExtendedLifetime(lock) {}
            lock = nil
            #expect(try await waiting.next() != nil)
            // The app locks it itself, so the service does not.
            let other = try OwnedDescriptor(file, .readOnly)
            let isFree = try other.borrowed.tryLock(.exclusive)
            #expect(isFree)
        }
    }

    private final class HeldLock: Sendable {
        private let lock: FileLock
        init(_ lock: consuming FileLock) { self.lock = lock }
    }

    @Test func whatIsGoingOnIsListed() async throws {
        try await ServiceHarness.withUnmanagedApp { harness, connection in
            harness.server.serve(Array(repeating: 1, count: 1000), as: "map")
            harness.server.fail(.stall(after: 500))
            var ears = DownloadEars(connection)
            try await harness.schedule(harness.download("map", size: 1000), connection)
            _ = try await ears.next(.progress)
            let packs = try await harness.packs()
            #expect(packs["map"]?.state == .downloading && packs["map"]?.downloadSize == 1000)
            let status = try await connection.send(StatusRequest())
            #expect(status.transfers.map(\.pack) == ["map"] && status.transfers.first?.total == 1000)
            // A person pauses it and cancels it by name.
            _ = try await connection.send(PauseRequest(app: ServiceHarness.app, pack: "map"))
            #expect(try await harness.packs()["map"]?.state == .paused)
            _ = try await connection.send(ResumeRequest(app: ServiceHarness.app, pack: "map"))
            try await ears.end()
            _ = await #expect(throws: DeviceError.self) {
                _ = try await connection.send(CancelRequest(app: ServiceHarness.app, pack: "map"))
            }
        }
    }
}
