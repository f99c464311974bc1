// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System
import TestSupport
import Testing

@testable import DeviceService

/// Budget, meter and launch history: pure values.
@Suite struct RuntimeTests {
    private let start = ContinuousClock.now
    private static let day: Int64 = 86_400

    @Test func meterCountsFromCallToReturn() {
        var meter = RuntimeMeter(limit: .seconds(10), notice: .seconds(2))
        #expect(meter.step(start) == .idle)
        meter.begin(start)
        #expect(meter.step(start) == .wait(until: start + .seconds(8)))
        meter.end(start + .seconds(3))
        #expect(meter.spent(start + .seconds(60)) == .seconds(3))
        #expect(meter.step(start + .seconds(60)) == .idle, "time between requests is nobody's")
        meter.begin(start + .seconds(100))
        #expect(meter.step(start + .seconds(104)) == .wait(until: start + .seconds(105)))
        #expect(meter.step(start + .seconds(105)) == .warn)
        #expect(meter.step(start + .seconds(105)) == .wait(until: start + .seconds(107)), "it is warned once")
        #expect(meter.step(start + .seconds(107)) == .end)
    }

    @Test func nothingCountsTwice() {
        var meter = RuntimeMeter(limit: .seconds(10), notice: .seconds(1))
        meter.begin(start)
        meter.begin(start + .seconds(1))
        meter.end(start + .seconds(2))
        #expect(meter.spent(start + .seconds(4)) == .seconds(4), "the first is still being answered")
        meter.end(start + .seconds(5))
        meter.end(start + .seconds(6))
        #expect(meter.spent(start + .seconds(9)) == .seconds(5))
    }

    @Test func aShortLimitIsWarnedHalfWay() {
        var meter = RuntimeMeter(limit: .seconds(1), notice: .seconds(2))
        meter.begin(start)
        #expect(meter.step(start + .milliseconds(499)) == .wait(until: start + .milliseconds(500)))
        #expect(meter.step(start + .milliseconds(500)) == .warn)
        var none = RuntimeMeter(limit: .seconds(-1), notice: .seconds(2))
        none.begin(start)
        #expect(none.step(start) == .end)
    }

    /// The thread that keeps the time may look when none counts yet, and be about to wait when it begins.
    @Test func timeThatBeginsWhileItIsLookedForIsKept() async throws {
        try await onOwnThread {
            let meter = RuntimeMeter(limit: .zero, notice: .zero)
            let watch = Monitor(ExtensionWatch(meter: meter))
            let count = Locked(0)
            try WorkerThread.start(name: "keeper") {
                while watch.nextStep() == .end {
                    watch.withLock { $0.meter = meter }
                    count.withLock { $0 += 1 }
                }
            }
            let deadline = ContinuousClock.now + .seconds(60)
            for number in 0..<100_000 {
                watch.withLock { $0.meter.begin(.now) }
                // Not asleep: the next one is to begin as soon as the keeper looks.
                while count.withLock({ $0 }) == number, ContinuousClock.now < deadline {}
            }
            watch.withLock { $0.isOver = true }
            #expect(count.withLock { $0 } == 100_000)
        }
    }

    @Test func allowanceFollowsUse() {
        let now = 400 * Self.day
        func allowance(every days: Int64, for span: Int64 = 100) -> Duration {
            var history = LaunchHistory()
            for time in stride(from: now - span * Self.day, through: now, by: Int(days * Self.day)) {
                history.launched(at: time)
            }
            return RuntimeBudget.allowance(history, at: now)
        }
        #expect(
            RuntimeBudget.allowance(LaunchHistory(), at: now) == RuntimeBudget.most, "never launched: just installed")
        #expect(allowance(every: 1) >= .seconds(595))
        #expect(allowance(every: 1) > allowance(every: 3))
        #expect(allowance(every: 3) > allowance(every: 10))
        #expect(allowance(every: 10) > RuntimeBudget.least)
        var old = LaunchHistory()
        old.launched(at: 0)
        #expect(RuntimeBudget.allowance(old, at: now) < RuntimeBudget.least + .seconds(1))
    }

    @Test func aDayIsSpentOnceAndReset() {
        var budget = RuntimeBudget()
        let now = 100 * Self.day + 5
        budget.spend(.seconds(590), at: now)
        #expect(budget.remaining(LaunchHistory(), at: now) == .seconds(10))
        budget.spend(.seconds(20), at: now)
        #expect(budget.remaining(LaunchHistory(), at: now) == .zero)
        #expect(budget.remaining(LaunchHistory(), at: now + Self.day) == RuntimeBudget.most)
        budget.spend(.seconds(1), at: now + Self.day)
        #expect(budget.remaining(LaunchHistory(), at: now + Self.day) == .seconds(599))
        budget.reset()
        #expect(budget.remaining(LaunchHistory(), at: now + Self.day) == RuntimeBudget.most)
    }

    @Test func launchesInAHurryAreOne() {
        var history = LaunchHistory()
        for second in 0..<100 { history.launched(at: 1000 + Int64(second)) }
        var once = LaunchHistory()
        once.launched(at: 1000)
        #expect(history == once)
        #expect(history.launchesPerDay(at: -5) == history.launchesPerDay(at: 1000), "a clock set back changes nothing")
    }

    @Test func historyEstimatesTheRate() {
        for perDay in [1, 2, 6] {
            var history = LaunchHistory()
            let end = 120 * Self.day
            for time in stride(from: Int64(0), through: end, by: Int(Self.day) / perDay) { history.launched(at: time) }
            let rate = history.launchesPerDay(at: end)
            #expect(abs(rate - Double(perDay)) < 0.1 * Double(perDay) + 0.1, "\(perDay): \(rate)")
        }
    }

    /// Whatever the bytes, the reader of ELF files returns.
    @Test func hostileObjectsAreRefused() throws {
        var random = SeededGenerator.forTest()
        let real = try File.read(try Binaries.path("ProbeExtension")).prefix(8192)
        try Scratch.with { scratch in
            for number in 0..<300 {
                var bytes = Array(real)
                for _ in 0..<Int.random(in: 1...40, using: &random) {
                    bytes[Int.random(in: 0..<1024, using: &random)] = UInt8.random(in: 0...255, using: &random)
                }
                if number % 3 == 0 { bytes = Array(bytes.prefix(Int.random(in: 0..<bytes.count, using: &random))) }
                _ = SharedObject(at: try scratch.write(bytes, to: "object"))
            }
            #expect(SharedObject(at: try scratch.write("#!/bin/sh", to: "script")) == nil)
            #expect(SharedObject(at: scratch.path) == nil)
        }
    }

    @Test func neededLibrariesAreFound() throws {
        let program = try Binaries.path("ProbeExtension")
        let object = try #require(SharedObject(at: program))
        #expect(object.needed.contains { $0.hasPrefix("libc.so") })
        // Whatever the build links from outside the system's folders is shown, and only shared objects are.
        for file in NeededLibraries.files(of: program, visible: "/nowhere") {
            #expect(SharedObject(at: file) != nil && !file.starts(with: "/usr"))
        }
    }

    @Test func planShowsOnlyWhatItNames() {
        let plan = SandboxPlan(
            root: [.folder("/usr"), .link("/bin", target: "usr/bin")], files: ["/opt/lib.so"],
            readable: ["/apps/A.app"],
            writable: ["/groups/g"], workingDirectory: "/apps/A.app/Extensions/E.appex")
        let words = plan.arguments(filter: 4)
        let text = words.joined(separator: " ")
        #expect(text.hasPrefix("--unshare-all --die-with-parent --new-session --cap-drop ALL --seccomp 4 "))
        #expect(!text.contains("--share-net"))
        let binds = words.indices.filter { words[$0].hasSuffix("bind") }.map { "\(words[$0]) \(words[$0 + 2])" }
        #expect(binds == ["--ro-bind /usr", "--ro-bind /opt/lib.so", "--ro-bind /apps/A.app", "--bind /groups/g"])
        #expect(words.last == "--")
    }

    @Test(arguments: ["group.org.example", "A-b_c.1"]) func groupsHaveFolders(_ id: String) {
        let paths = LarderPaths(state: "/s", runtime: "/r", configuration: "/c")
        #expect(paths.groupFolder(id) == FilePath("/s/groups/\(id)"))
    }

    @Test(arguments: ["", ".", "..", "../x", "a/b", ".hidden", "a b", "ä", String(repeating: "a", count: 201)])
    func otherGroupsHaveNone(_ id: String) {
        let paths = LarderPaths(state: "/s", runtime: "/r", configuration: "/c")
        #expect(paths.groupFolder(id) == nil)
    }
}
