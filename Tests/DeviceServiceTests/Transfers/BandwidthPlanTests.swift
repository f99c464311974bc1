// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import TestSupport
import Testing

@testable import DeviceService

@Suite struct BandwidthPlanTests {
    private func transfer(
        _ app: String = "a", _ host: String = "x", _ rankClass: TransferRank.Class = .background, demand: Int64? = nil
    ) -> BandwidthPlan.Transfer {
        BandwidthPlan.Transfer(app: app, host: host, rankClass: rankClass, demand: demand)
    }

    private func rates(_ limits: BandwidthLimits, _ transfers: [BandwidthPlan.Transfer]) -> [Int64?] {
        BandwidthPlan(limits).rates(transfers)
    }

    @Test func withoutLimitsNobodyIsLimited() {
        #expect(rates(BandwidthLimits(), [transfer(), transfer()]) == [nil, nil])
        #expect(rates(BandwidthLimits(total: 1 << 20), []) == [])
    }

    @Test func theTotalIsSharedEqually() {
        #expect(rates(.init(total: 100_000), [transfer(), transfer("b", "y")]) == [50_000, 50_000])
    }

    @Test func theNarrowestLimitCountsAndTheRestGoesToOthers() {
        let all = [transfer("a"), transfer("a"), transfer("b", "y")]
        #expect(rates(.init(total: 100_000, perApp: 40_000), all) == [20_000, 20_000, 40_000])
        #expect(rates(.init(total: 100_000, perHost: 30_000), all) == [15_000, 15_000, 30_000])
        #expect(rates(.init(perHost: 30_000), all) == [15_000, 15_000, 30_000])
    }

    @Test func whoTakesLessLeavesTheRestToTheOthers() {
        let all = [transfer(demand: 10_000), transfer(), transfer()]
        #expect(rates(.init(total: 100_000), all) == [10_000, 45_000, 45_000])
    }

    @Test func aHigherClassIsGivenMore() {
        let all = [transfer("a", "x", .essential), transfer("a", "x", .background)]
        #expect(rates(.init(total: 90_000), all) == [80_000, 10_000])
    }

    @Test func nobodyIsGivenNothing() {
        let all = (0..<100).map { _ in transfer() }
        #expect(rates(.init(total: 0, perApp: 1, perHost: -5), all) == all.map { _ in BandwidthPlan.least })
    }

    /// The seed is in the failure.
    @Test(arguments: 0..<50) func limitsHoldAndNothingIsWasted(round: Int) {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        func limit() -> Int64? {
            Int.random(in: 0..<3, using: &random) == 0 ? nil : Int64.random(in: 1_000_000...1 << 30, using: &random)
        }
        let limits = BandwidthLimits(total: limit(), perApp: limit(), perHost: limit())
        let classes: [TransferRank.Class] = [.background, .foreground, .essential]
        let all = (0..<Int.random(in: 1...12, using: &random)).map { _ in
            transfer(
                ["a", "b", "c"].randomElement(using: &random) ?? "a", ["x", "y"].randomElement(using: &random) ?? "x",
                classes.randomElement(using: &random) ?? .background,
                demand: Bool.random(using: &random) ? nil : Int64.random(in: 2_000...1 << 30, using: &random))
        }
        let rates = rates(limits, all)
        #expect(limits.areNone == rates.allSatisfy { $0 == nil } || limits.areNone, "seed \(seed)")
        guard !limits.areNone else { return }
        var isBound = [Bool](repeating: false, count: all.count)
        func check(_ limit: Int64?, _ group: (BandwidthPlan.Transfer) -> String) {
            guard let limit else { return }
            for members in Dictionary(grouping: all.indices, by: { group(all[$0]) }).values {
                let sum = members.reduce(0) { $0 + (rates[$1] ?? 0) }
                #expect(sum <= limit + Int64(members.count), "seed \(seed)")
                if sum >= limit - Int64(2 * members.count) { for index in members { isBound[index] = true } }
            }
        }
        check(limits.total) { _ in "" }
        check(limits.perApp, \.app)
        check(limits.perHost, \.host)
        // Whoever could take more is kept from it by a limit that is used up.
        for (index, transfer) in all.enumerated() where !isBound[index] {
            #expect((rates[index] ?? 0) >= (transfer.demand ?? .max) - 2, "seed \(seed)")
        }
    }
}
