// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Database
import DeviceProtocol
import Kit
import PackNamespace
import System
import TestSupport
import Testing

@testable import DeviceService

/// Making room, with users that keep lists instead of files.
@Suite(.timeLimit(.minutes(5))) struct SpaceKeeperTests {
    private actor User: SpaceUser {
        var held: [String: Int64]
        let busy: Set<String>
        let running: Int64
        private(set) var purged: [String] = []

        init(_ held: [String: Int64], busy: Set<String> = [], running: Int64 = 0) {
            self.held = held
            self.busy = busy
            self.running = running
        }

        var sum: Int64 { held.values.reduce(0, +) }

        func outstanding(besides key: TransferKey?) -> Int64 { running }

        func purgeable() -> [PurgePlan.Candidate] {
            held.map { name, size in
                PurgePlan.Candidate(
                    key: TransferKey(app: "org.a", pack: name), allocated: size, preservation: Preservation(.whole),
                    lastUse: Timestamp(seconds: size), isInUse: false)
            }
        }

        func purge(_ key: TransferKey) -> Bool {
            guard !busy.contains(key.pack), held.removeValue(forKey: key.pack) != nil else { return false }
            purged.append(key.pack)
            return true
        }
    }

    private func with(_ users: User..., body: (SpaceKeeper, NoteBoard) async throws -> Void) async throws {
        try await Scratch.with { scratch in
            let notes = NoteBoard()
            let keeper = SpaceKeeper(state: scratch.path, notes: notes, log: .silent)
            for user in users { keeper.attach(user) }
            try await body(keeper, notes)
            withExtendedLifetime(users) {}
        }
    }

    @Test func roomIsMadeAndTold() async throws {
        let (one, two) = (User(["a": 10, "c": 30]), User(["b": 20]))
        try await with(one, two) { keeper, notes in
            let start: Int64 = 60
            // 25 are missing; the two that were not used for longest make 30.
            let room = await keeper.makeRoom(for: "Game", app: "org.game") {
                let missing = await 25 - (start - one.sum - two.sum)
                return PurgePlan.Missing(wanted: missing, needed: missing)
            }
            #expect(room.isThere)
            #expect(await one.purged == ["a"])
            #expect(await two.purged == ["b"])
            let note = try #require(room.note)
            #expect(note.contains("a of org.a, b of org.a") && note.contains("for Game"), "\(note)")
            #expect(notes.all.map(\.message) == [note] && notes.all.first?.app == "org.game")
        }
    }

    @Test func nothingGoesForWhatDoesNotFitAnyway() async throws {
        let user = User(["a": 10, "b": 20])
        try await with(user) { keeper, notes in
            let room = await keeper.makeRoom(for: "Game", app: "org.game") { .init(wanted: 31, needed: 31) }
            #expect(!room.isThere && room.note == nil)
            #expect(await user.sum == 30)
            #expect(notes.all.isEmpty)
        }
    }

    @Test func whatIsInUseAfterAllIsPassedOver() async throws {
        let user = User(["a": 10, "b": 20, "c": 30], busy: ["a"])
        try await with(user) { keeper, _ in
            #expect(await keeper.purge(20).map(\.download) == ["b"])
            #expect(await keeper.purge(.max).map(\.download) == ["c"])
        }
    }

    @Test func aTransferIsRefusedWithFigures() async throws {
        try await with(User([:], running: 1 << 40)) { keeper, _ in
            let error = await #expect(throws: DeviceError.self) {
                try await keeper.makeRoom(for: TransferKey(app: "org.a", pack: "Film"), expected: 10, least: 10)
            }
            #expect(error?.code == .noSpace && error?.details["reserved"] == "\(1 << 40)")
            #expect(error?.message.contains("Film needs 10 bytes") == true, "\(String(describing: error))")
        }
        try await with(User([:])) { keeper, _ in
            try await keeper.makeRoom(for: TransferKey(app: "org.a", pack: "Film"), expected: .max, least: 0)
        }
    }
}

/// What a pack's failed download left.
@Suite(.timeLimit(.minutes(5))) struct PackRestTests {
    @Test func itGoesToMakeRoomAndThePackComesAnew() async throws {
        var configuration = StoreConfiguration.quick
        configuration.foregroundRetries = RetryPolicy(
            first: .milliseconds(1), longest: .milliseconds(1), patience: .zero)
        try await Scratch.with { scratch in
            let server = try PackServer()
            scratch.addCleanup { server.stop() }
            let keeper = SpaceKeeper(state: scratch.path, notes: NoteBoard(), log: .silent)
            let harness = try await StoreHarness(scratch, server, configuration, space: keeper)
            try FileDescriptor.currentDirectory.makeDirectories(at: harness.root)
            try await harness.store.prepare(app: StoreHarness.app)
            var random = SeededGenerator.forTest()
            var fixture = PackFixture("P", files: ["P/file": random.bytes(6_000_000, redundancy: false)])
            fixture.blockSize = 64 << 10
            let (request, archive) = try harness.offer(fixture)
            server.fail(.cut(after: 4_000_000), .status(503), .status(503), .status(503))
            #expect(try await harness.fetch(request)["P"]?.error != nil)
            let staging = harness.layout.staging(ofPack: "P")
            #expect(FileDescriptor.currentDirectory.exists(at: staging))
            let purged = await keeper.purge(1)
            #expect(purged.map(\.download) == ["P"] && purged.first?.isRest == true)
            #expect(purged.first.map { $0.size > 2_000_000 } == true, "\(purged)")
            #expect(!FileDescriptor.currentDirectory.exists(at: staging))
            #expect(await keeper.purge(1) == [])
            #expect(try await harness.store.transfers(app: nil).map(\.downloaded) == [0])
            server.fail()
            #expect(try await harness.fetch(request)["P"]?.local != nil)
            #expect(server.requests.last?.range == nil, "from the beginning: \(archive.count) bytes")
            #expect(await keeper.purge(.max) == [], "what is local stays")
            await harness.store.close()
            await harness.database.close()
        }
    }
}
