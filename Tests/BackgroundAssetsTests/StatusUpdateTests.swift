// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import BackgroundAssets
import DeviceProtocol
import Kit
import System
import TestSupport
import Testing

/// Download updates, of all packs and of one, and cancelling by their progress (B3).
@Suite(.timeLimit(.minutes(5))) struct StatusUpdateTests {
    typealias Update = AssetPackManager.DownloadStatusUpdate

    private func withApp(_ body: (InstalledApp, FakeService, AssetPackManager) async throws -> Void) async throws {
        try await Scratch.with { scratch in
            let app = try InstalledApp(scratch)
            try app.publish(["Tutorial": ["a": "1"]])
            let service = FakeService()
            try await body(app, service, app.manager(service))
        }
    }

    private func event(_ change: DownloadEvent.Change, _ id: String, _ completed: Int64 = 0) -> DownloadEvent {
        DownloadEvent(change, pack: described(id), completed: completed, total: 1000)
    }

    /// What an update says, short.
    private func text(_ update: Update) -> String {
        switch update {
        case .began(let pack): "began \(pack.id)"
        case .paused(let pack): "paused \(pack.id)"
        case .downloading(let pack, let progress):
            "\(pack.id) \(progress.completedUnitCount)/\(progress.totalUnitCount)"
        case .finished(let pack): "finished \(pack.id)"
        case .failed(let pack, let error): "failed \(pack.id) \(error)"
        @unknown default: "unknown"
        }
    }

    @Test func onePackEndsWhenItFinished() async throws {
        try await withApp { _, service, manager in
            let updates = manager.statusUpdates(forAssetPackWithID: "Islands")
            let stream = try await service.stream()
            for event in [
                event(.began, "Islands"), event(.downloading, "Islands", 250), event(.paused, "Islands"),
                event(.began, "Islands"), event(.finished, "Islands", 1000),
            ] {
                try stream.send(event)
            }
            var seen: [String] = []
            for await update in updates { seen.append(text(update)) }
            #expect(
                seen == ["began Islands", "Islands 250/1000", "paused Islands", "began Islands", "finished Islands"])
        }
    }

    @Test func onePackEndsWhenItFailed() async throws {
        try await withApp { _, service, manager in
            let updates = manager.statusUpdates(forAssetPackWithID: "Islands")
            let stream = try await service.stream()
            var failed = event(.failed, "Islands")
            failed.error = DeviceError(.cancelled, "cancelled")
            try stream.send(failed)
            var errors: [any Error] = []
            for await case .failed(_, let error) in updates { errors.append(error) }
            #expect(errors.count == 1 && (errors.first as? URLError)?.code == .cancelled)
        }
    }

    @Test func allPacksGoOnAfterTheServiceWasKilled() async throws {
        try await withApp { _, service, manager in
            let updates = await manager.statusUpdates
            var iterator = updates.makeAsyncIterator()
            try await service.stream().send(event(.finished, "Islands"))
            #expect(await iterator.next(isolation: nil).map(text) == "finished Islands")
            service.die()
            try await service.stream(2).send(event(.began, "Voyage"))
            #expect(await iterator.next(isolation: nil).map(text) == "began Voyage")
        }
    }

    @Test func whatComesPausesWhileTheServiceIsGone() async throws {
        try await withApp { _, service, manager in
            let all = await manager.statusUpdates
            _ = try await service.stream(1)
            let one = manager.statusUpdates(forAssetPackWithID: "Islands")
            for number in 1...2 {
                let stream = try await service.stream(number)
                try stream.send(event(.began, "Islands"))
                try stream.send(event(.downloading, "Islands", 250))
            }
            try await service.stream(1).send(event(.began, "Voyage"))
            try await service.stream(1).send(event(.paused, "Voyage"))
            var (everything, single) = (all.makeAsyncIterator(), one.makeAsyncIterator())
            for expected in ["began Islands", "Islands 250/1000", "began Voyage", "paused Voyage"] {
                #expect(await everything.next(isolation: nil).map(text) == expected)
            }
            for expected in ["began Islands", "Islands 250/1000"] {
                #expect(await single.next(isolation: nil).map(text) == expected)
            }
            service.die()
            #expect(await everything.next(isolation: nil).map(text) == "paused Islands")
            #expect(await single.next(isolation: nil).map(text) == "paused Islands")
            for number in 3...4 { try await service.stream(number).send(event(.began, "Islands")) }
            #expect(await everything.next(isolation: nil).map(text) == "began Islands")
            #expect(await single.next(isolation: nil).map(text) == "began Islands")
        }
    }

    @Test func onePackEndsWhenTheServiceDoesNotComeBack() async throws {
        try await Scratch.with { scratch in
            let app = try InstalledApp(scratch)
            let service = FakeService()
            let soon = RetryPolicy(first: .milliseconds(1), longest: .milliseconds(1), patience: .milliseconds(20))
            let manager = app.manager(service, patience: soon)
            let updates = manager.statusUpdates(forAssetPackWithID: "Islands")
            try await service.stream().send(event(.began, "Islands"))
            var iterator = updates.makeAsyncIterator()
            #expect(await iterator.next(isolation: nil).map(text) == "began Islands")
            service.die(down: true)
            #expect(await iterator.next(isolation: nil).map(text) == "paused Islands")
            guard case .failed(let pack, let error)? = await iterator.next(isolation: nil) else {
                Issue.record("no end was told")
                return
            }
            #expect(pack.id == "Islands" && (error as? BackgroundAssetsError)?.code == .serviceUnavailable, "\(error)")
            #expect(await iterator.next(isolation: nil) == nil)
        }
    }

    @Test func subscriptionIsMadeBeforeWhatIsAskedAfterIt() async throws {
        try await withApp { _, service, manager in
            service.on(EnsureLocalAvailabilityRequest.self) {
                .init(successes: $0.packs.map { described($0) }, failures: [])
            }
            for round in 1...20 {
                let updates = manager.statusUpdates(forAssetPackWithID: "Islands")
                try await manager.ensureLocalAvailability(of: AssetPack(described("Islands")))
                #expect(
                    service.methods.suffix(2) == [StatusUpdatesRequest.method, EnsureLocalAvailabilityRequest.method])
                #expect(service.methods.count == round * 2)
                withExtendedLifetime(updates) {}
            }
        }
    }

    @Test func slowReaderMissesOnlyOldProgress() async throws {
        try await withApp { _, service, manager in
            service.on(ManifestRequest.self) { _ in .init(packs: []) }
            let updates = manager.statusUpdates(forAssetPackWithID: "Islands")
            let stream = try await service.stream()
            try stream.send(event(.began, "Islands"))
            for bytes in 1...999 { try stream.send(event(.downloading, "Islands", Int64(bytes))) }
            try stream.send(event(.finished, "Islands"))
            // An answer on the same connection comes after all that was sent before; then the updates are on their way.
            _ = try await manager.manifest
            var seen: [String] = []
            for await update in updates { seen.append(text(update)) }
            #expect(seen.first == "began Islands" && seen.last == "finished Islands")
            #expect(seen.dropFirst().dropLast().last == "Islands 999/1000")
        }
    }

    @Test func localPackIsToldAsFinishedWithoutAService() async throws {
        try await Scratch.with { scratch in
            let app = try InstalledApp(scratch)
            try app.publish(["Tutorial": ["a": "1"]])
            var seen: [String] = []
            for await update in app.manager().statusUpdates(forAssetPackWithID: "Tutorial") {
                seen.append(text(update))
            }
            #expect(seen == ["began Tutorial", "Tutorial 1000/1000", "finished Tutorial"])
        }
    }

    @Test func unknownPackFailsInsteadOfHanging() async throws {
        try await withApp { _, service, manager in
            service.onStream(StatusUpdatesRequest.self) { _, stream in
                try stream.fail(DeviceError(.packNotFound, "no such pack"))
            }
            var seen: [String] = []
            for await update in manager.statusUpdates(forAssetPackWithID: "None") { seen.append(text(update)) }
            #expect(seen == ["failed None \(assetPackNotFound("None").text)"])
        }
    }

    @Test func endOfReadingEndsTheStream() async throws {
        try await withApp { _, service, manager in
            var updates: (some AsyncSequence<Update, Never>)? = manager.statusUpdates(forAssetPackWithID: "Islands")
            let stream = try await service.stream()
            withExtendedLifetime(updates) {}
            updates = nil
            try await service.letGo(stream.id)
        }
    }

    @Test func updatesThatNobodyReadsAreLetGoOf() async throws {
        try await withApp { _, service, manager in
            // Dropped before there was time to open anything.
            _ = manager.statusUpdates(forAssetPackWithID: "Islands")
            let stream = try await service.stream()
            try await service.letGo(stream.id)
        }
    }

    @Test func cancelledReaderGetsNoMore() async throws {
        try await withApp { _, service, manager in
            let updates = manager.statusUpdates(forAssetPackWithID: "Islands")
            _ = try await service.stream()
            let reading = Task {
                for await _ in updates {}
                return true
            }
            reading.cancel()
            #expect(await reading.value)
        }
    }

    @Test func cancelWorksAgainAndAgain() async throws {
        try await withApp { _, service, manager in
            let cancelled = Locked<[String]>([])
            service.on(CancelDownloadRequest.self) { request in
                cancelled.withLock { $0.append(request.pack) }
                return EmptyReply()
            }
            var iterator = await manager.statusUpdates.makeAsyncIterator()
            let stream = try await service.stream()
            var old: [Progress] = []
            for round in 1...5 {
                try stream.send(event(.began, "Islands"))
                try stream.send(event(.downloading, "Islands", 10))
                #expect(await iterator.next(isolation: nil).map(text) == "began Islands")
                guard case .downloading(_, let progress) = await iterator.next(isolation: nil) else {
                    Issue.record("no progress in round \(round)")
                    return
                }
                #expect(progress.fractionCompleted == 0.01)
                // A progress of an earlier download must not cancel this one.
                for progress in old { progress.cancel() }
                progress.cancel()
                progress.cancel()
                try await service.asked(CancelDownloadRequest.method, times: round)
                var failed = event(.failed, "Islands")
                failed.error = DeviceError(.cancelled, "cancelled")
                try stream.send(failed)
                guard case .failed(_, let error) = await iterator.next(isolation: nil) else {
                    Issue.record("no failure in round \(round)")
                    return
                }
                #expect((error as? URLError)?.code == .cancelled)
                old.append(progress)
            }
            #expect(cancelled.withLock { $0 } == Array(repeating: "Islands", count: 5))
        }
    }
}
