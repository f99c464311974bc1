// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Database
import Kit
import System
import TestSupport
import Testing

@testable import HostingService

/// Who takes which job, and what becomes of those whose host is gone.
@Suite(.timeLimit(.minutes(5))) struct ClaimTests {
    private static let job = Job(kind: .processVersion, subject: "a")

    @Test(
        arguments: [
            (nil, nil, .restUntilAsked),
            (90, nil, .take(.init(subject: "a", attempts: 2, due: 90))),
            (100, 3, .take(.init(subject: "a", attempts: 2, due: 100))),
            (130, nil, .rest(30)), (130, 7, .rest(7)), (103, 7, .rest(3)), (nil, 7, .rest(7)), (nil, 0, .rest(1)),
        ] as [(Int64?, Int64?, JobQueue.Step)])
    func whatIsDueIsTakenAndTheRestWaitedFor(_ due: Int64?, _ nextLease: Int64?, _ step: JobQueue.Step) {
        let first = due.map { JobQueue.Entry(subject: "a", attempts: 2, due: $0) }
        #expect(JobQueue(first: first, nextLease: nextLease).step(now: 100) == step)
    }

    private func with(
        _ database: TestDatabase, _ body: (_ first: any Database, _ second: any Database) async throws -> Void
    ) async throws {
        try await Scratch.with { scratch in
            var configuration = HostConfiguration(data: scratch("data"))
            configuration.postgres = try await database.newAddress()
            let (first, second) = (try await configuration.openDatabase(), try await configuration.openDatabase())
            try await first.write { try $0.add(Self.job) }
            try await body(first, second)
            await first.close()
            await second.close()
        }
    }

    private func claim(_ owner: String) -> ClaimedJob { ClaimedJob(job: Self.job, attempts: 0, owner: owner) }

    @Test(arguments: TestDatabase.allCases)
    func ofManyOneGetsAJob(on database: TestDatabase) async throws {
        try await with(database) { first, second in
            let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<12 {
                    group.addTask {
                        try await (number % 2 == 0 ? first : second).write { try $0.claim(Self.job, for: "\(number)") }
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(winners == 1)
            let queue = try await second.read { try $0.queue(of: .processVersion) }
            #expect(queue.first == nil)
            #expect((1...Connection.lease).contains(queue.nextLease ?? 0))
        }
    }

    @Test(arguments: TestDatabase.allCases)
    func whoeverIsSilentForTooLongLosesTheJob(on database: TestDatabase) async throws {
        try await with(database) { first, second in
            #expect(try await first.write { try $0.claim(Self.job, for: "silent") })
            // As if the time of the claim had gone by.
            try await first.write { try $0.execute(#"UPDATE "jobs" SET "leaseEnd" = 1"#) }
            #expect(try await second.write { try $0.claim(Self.job, for: "next") })
            let lost = claim("silent")
            await #expect(throws: ClaimLost.self) { try await first.write { try $0.remove(lost) } }
            await #expect(throws: ClaimLost.self) { try await first.write { try $0.postpone(lost, until: 5) } }
            // What was recorded with it is undone with it.
            await #expect(throws: ClaimLost.self) {
                try await first.write { store in
                    try store.add(Job(kind: .sendLetter, subject: "b"))
                    try store.remove(lost)
                }
            }
            #expect(try await first.read { try $0.queue(of: .sendLetter).first } == nil)
            let won = claim("next")
            try await second.write { try $0.remove(won) }
            #expect(try await first.read { try $0.queue(of: .processVersion) } == JobQueue())
        }
    }

    @Test(arguments: TestDatabase.allCases)
    func whoSaysThatItIsAtWorkKeepsTheJob(on database: TestDatabase) async throws {
        try await with(database) { first, second in
            #expect(try await first.write { try $0.claim(Self.job, for: "busy") })
            try await first.write { store in
                try store.execute(#"UPDATE "jobs" SET "leaseEnd" = 1"#)
                try store.renewClaims(of: "busy")
            }
            #expect(try await second.write { try $0.claim(Self.job, for: "next") } == false)
            #expect(try await second.read { try $0.hasClaims(of: "busy") })
            try await second.write { try $0.releaseClaims(of: "busy") }
            #expect(try await second.write { try $0.claim(Self.job, for: "next") })
            let claim = claim("next")
            try await second.write { try $0.postpone(claim, until: 70) }
            let entry = try await first.read { try $0.queue(of: .processVersion).first }
            #expect(entry == JobQueue.Entry(subject: "a", attempts: 1, due: 70))
        }
    }

    /// Whoever could not do its own part has the job rest by the database's clock: its own may stand still, or be wrong.
    @Test(arguments: TestDatabase.allCases)
    func aJobRestsByTheDatabasesClock(on database: TestDatabase) async throws {
        try await with(database) { first, second in
            #expect(try await first.write { try $0.claim(Self.job, for: "busy") })
            let claim = claim("busy")
            try await first.write { try $0.rest(claim, seconds: 3600, counts: true) }
            try await first.write { store in
                try store.renewClaims(of: "busy")
                try store.releaseClaims(of: "busy")
            }
            #expect(try await first.write { try $0.claim(Self.job, for: "busy") } == false)
            let queue = try await second.read { try $0.queue(of: .processVersion) }
            #expect(queue.first == nil && (1...3600).contains(queue.nextLease ?? 0))
            // As if the time had gone by.
            try await first.write { try $0.execute(#"UPDATE "jobs" SET "leaseEnd" = 1"#) }
            let entry = try await second.read { try $0.queue(of: .processVersion).first }
            #expect(entry == JobQueue.Entry(subject: "a", attempts: 1, due: 0))
            #expect(try await second.write { try $0.claim(Self.job, for: "next") })
        }
    }

    @Test func aHostThatIsGoneIsSeenAtOnce() throws {
        try Scratch.with { scratch in
            let here = try HostPresence(data: scratch(""))
            var other: HostPresence? = try HostPresence(data: scratch(""))
            let name = try #require(other?.owner)
            #expect(try here.departed().isEmpty)
            other = nil
            #expect(try here.departed() == [name])
            here.forget(name)
            #expect(try here.departed().isEmpty)
        }
    }
}
