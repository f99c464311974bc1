// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import TestSupport
import Testing

@testable import DeviceService

/// Periodic requests over simulated months: how often an app gets them, and when it gets none (C5).
@Suite struct PeriodicPlannerTests {
    private static let day: Int64 = 86_400

    /// What happens around one app for some months.
    private struct Life {
        /// Launches a day, on average, at random times.
        var rate: Double
        var days: Int64 = 120
        /// Days on which the settings or the power forbid requests.
        var lowPower: Range<Int64> = 0..<0
        var refreshOff: Range<Int64> = 0..<0
        /// Closed for good at the start of this day; launches do not come until `reopened`.
        var closed: Range<Int64> = 0..<0

        /// Times of requests, minute by minute as a scheduler would wake for them.
        func requests(_ random: inout SeededGenerator) -> [Int64] {
            var facts = PeriodicPlanner.Facts(
                history: LaunchHistory(), lastCheck: 0, isClosed: false, allowsBackgroundRefresh: true, jitter: 0)
            var requests: [Int64] = []
            var held: Int64 = 0
            for minute in 0..<(days * 1440) {
                let now = minute * 60
                let today = now / PeriodicPlannerTests.day
                let isAway = closed.contains(today)
                if !isAway, Double.random(in: 0..<1, using: &random) < rate / 1440 {
                    facts.history.launched(at: now)
                    facts.isClosed = false
                }
                if isAway { facts.isClosed = true }
                facts.allowsBackgroundRefresh = !refreshOff.contains(today)
                facts.jitter = PeriodicPlanner.jitter("app", facts.lastCheck)
                guard now >= held else { continue }
                let conditions = Conditions(isLowPower: lowPower.contains(today))
                switch PeriodicPlanner.decide(facts, conditions, at: now) {
                case .never: continue
                case .at(let time): held = conditions.isLowPower ? time : 0
                case .now:
                    requests.append(now)
                    facts.lastCheck = now
                }
            }
            return requests
        }
    }

    /// From requests a day over the last two months of four.
    private func perDay(_ life: Life, _ random: inout SeededGenerator) -> Double {
        Double(life.requests(&random).filter { $0 >= 60 * Self.day }.count) / 60
    }

    @Test func oftenForAppsUsedOftenAndRarelyForOthers() {
        var random = SeededGenerator.forTest()
        let rates = [8, 2, 1, 1.0 / 4, 1.0 / 12, 0]
        var counts = rates.map { perDay(Life(rate: $0), &random) }
        // One person's months may be far from the average.
        let others = (0..<5).map { _ in perDay(Life(rate: 1), &random) }
        counts[2] = others.reduce(counts[2], +) / 6
        for (more, less) in zip(counts, counts.dropFirst()) { #expect(more >= less, "\(counts)") }
        #expect(counts[0] > 6 && counts[0] <= 12, "used all day: every few hours: \(counts)")
        #expect((1.2...2.6).contains(counts[2]), "once a day: about twice: \(counts)")
        #expect(counts[5] >= 1.0 / 16 && counts[5] <= 1.0 / 13, "never: every two weeks: \(counts)")
    }

    @Test(arguments: 0..<8) func whateverTheUseItStaysWithinBounds(_ number: Int) {
        var random = SeededGenerator.forTest()
        let life = Life(rate: Double.random(in: 0...20, using: &random), days: 90)
        let requests = life.requests(&random)
        #expect(!requests.isEmpty)
        for (first, second) in zip(requests, requests.dropFirst()) {
            #expect(second - first >= PeriodicPlanner.shortest)
            #expect(second - first <= PeriodicPlanner.longest + PeriodicPlanner.longest / 10 + 60)
        }
    }

    @Test func noneInLowPowerOrWithRefreshOff() {
        var random = SeededGenerator.forTest()
        let low = Life(rate: 4, days: 60, lowPower: 20..<30).requests(&random).map { $0 / Self.day }
        #expect(!low.contains { (20..<30).contains($0) } && low.contains(30) && low.contains(19))
        let off = Life(rate: 4, days: 60, refreshOff: 20..<30).requests(&random).map { $0 / Self.day }
        #expect(!off.contains { (20..<30).contains($0) } && off.contains(30) && off.contains(19))
    }

    @Test func noneAfterItWasClosedForGood() {
        var random = SeededGenerator.forTest()
        let requests = Life(rate: 4, days: 60, closed: 20..<40).requests(&random).map { $0 / Self.day }
        #expect(!requests.contains { (20..<40).contains($0) })
        #expect(requests.contains { $0 >= 40 }, "a launch takes it back")
    }

    @Test func meteredNetworksPutItOff() {
        let facts = PeriodicPlanner.Facts(
            history: LaunchHistory(), lastCheck: 0, isClosed: false, allowsBackgroundRefresh: true, jitter: 0)
        let now = PeriodicPlanner.longest
        #expect(PeriodicPlanner.decide(facts, Conditions(), at: now) == .now)
        let metered = Conditions(isMetered: true)
        #expect(PeriodicPlanner.decide(facts, metered, at: now) == .at(now + PeriodicPlanner.postponement))
    }

    @Test func jitterSpreadsAndIsStable() {
        let values = (0..<200).map { PeriodicPlanner.jitter("app\($0)", 5) }
        #expect(values == (0..<200).map { PeriodicPlanner.jitter("app\($0)", 5) })
        #expect(values.allSatisfy { (0..<1).contains($0) } && Set(values).count == 200)
        #expect(values.contains { $0 < 0.2 } && values.contains { $0 > 0.8 })
    }
}
