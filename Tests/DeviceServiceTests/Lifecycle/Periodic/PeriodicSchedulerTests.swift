// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Database
import Kit
import TestSupport
import Testing

@testable import DeviceService

/// The scheduler on a clock of its own.
@Suite(.timeLimit(.minutes(5))) struct PeriodicSchedulerTests {
    /// Time passes only by sleeping.
    private final class Clock: Sendable {
        let now = Locked<Int64>(1_000_000)
        let checks = Locked<[(app: String, time: Int64)]>([])
        let sleeps = Locked<[Int64]>([])

        /// Ends all after so long.
        func sleep(_ duration: Duration, until end: Int64) throws {
            let seconds = duration.components.seconds
            sleeps.withLock { $0.append(seconds) }
            let time = now.withLock { now in
                now += seconds
                return now
            }
            if time > end { throw CancellationError() }
        }
    }

    private func run(
        days: Int64, root: String = "/nowhere", _ prepare: (AppRegistry, UsageStore, SettingsFile) async throws -> Void
    ) async throws -> Clock {
        let clock = Clock()
        let end = clock.now.withLock { $0 } + days * 86_400
        try await Scratch.with { scratch in
            let database = try await SQLiteDatabase(path: scratch("db"), migrations: Schema.migrations)
            let registry = AppRegistry(database: database)
            let usage = UsageStore(database: database)
            let settings = SettingsFile(scratch.path)
            for app in ["org.a", "org.b"] {
                try await registry.save(
                    AppRecord(
                        id: app, displayName: app, version: "1", bundle: 1, folder: "A.app", executable: "A",
                        wasLaunched: true, baseSize: 0, baseAllocatedSize: 0))
            }
            try await prepare(registry, usage, settings)
            let ended = AsyncStream<Void>.makeStream()
            let scheduler = PeriodicScheduler(
                PeriodicScheduler.Tools(
                    registry: registry, usage: usage, settings: settings,
                    conditions: ConditionsReader(root: scratch("root")), log: .silent,
                    check: { app in clock.checks.withLock { $0.append((app, clock.now.withLock { $0 })) } },
                    now: { clock.now.withLock { $0 } },
                    sleep: { duration in
                        do {
                            try clock.sleep(duration, until: end)
                        } catch {
                            ended.continuation.finish()
                            throw error
                        }
                    }))
            await scheduler.replan()
            for await _ in ended.stream {}
            await scheduler.stop()
            await database.close()
        }
        return clock
    }

    @Test func requestsComeInTimeAndAreKept() async throws {
        let clock = try await run(days: 60) { _, usage, _ in
            try await usage.change("org.a") { usage in
                for hour in 0..<(24 * 40) { usage.history.launched(at: 1_000_000 - Int64(hour) * 6 * 3600) }
            }
        }
        let checks = clock.checks.withLock { $0 }
        let (used, unused) = (checks.filter { $0.app == "org.a" }, checks.filter { $0.app == "org.b" })
        #expect(unused.count >= 3 && unused.count <= 5, "\(unused)")
        #expect(used.count > 2 * unused.count, "\(used)")
        #expect(clock.sleeps.withLock { $0.allSatisfy { $0 >= PeriodicScheduler.resolution } })
        #expect(clock.sleeps.withLock { $0.count } <= 3 * checks.count, "it seldom wakes for nothing")
    }

    @Test func oneAppMayBeLeftAlone() async throws {
        let clock = try await run(days: 60) { _, usage, settings in
            try settings.set(.backgroundRefresh, app: "org.a", to: "off")
        }
        #expect(Set(clock.checks.withLock { $0.map(\.app) }) == ["org.b"])
    }

    @Test func lowPowerPutsRequestsOff() async throws {
        let clock = try await run(days: 40) { _, _, settings in try settings.set(.lowPowerMode, app: nil, to: "on") }
        #expect(clock.checks.withLock { $0.isEmpty })
        #expect(clock.sleeps.withLock { $0.count } > 10, "it looks again now and then once something is due")
    }
}
