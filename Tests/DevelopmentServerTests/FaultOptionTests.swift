// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import Testing

@testable import DevelopmentServer

@Suite struct FaultOptionTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let text: String
        let option: FaultOption
        var testDescription: String { text }

        init(_ text: String, _ rule: FaultRule) {
            self.text = text
            option = .rule(rule)
        }
    }

    static let cases: [Case] = [
        Case("asset=Coast:stall,after=1MiB,times=1", FaultRule(.asset("Coast"), .stall(after: 1 << 20), times: 1)),
        Case("manifest:503,retry-after=2", FaultRule(.manifest, .status(503, retryAfter: 2))),
        Case("*:slow,rate=200kB", FaultRule(.any, .slow(rate: 200_000))),
        Case("slow", FaultRule(.any, .slow(rate: 65_536))),
        Case("any:cut", FaultRule(.any, .cut(after: nil))),
        Case("reset,after=0", FaultRule(.any, .reset(after: 0))),
        Case("wrong-byte,at=12,probability=0.25", FaultRule(.any, .wrongByte(at: 12), probability: 0.25)),
        Case("short,by=10", FaultRule(.any, .short(by: 10))),
        Case("long", FaultRule(.any, .long(by: 1))),
        Case("endless,times=1", FaultRule(.any, .endless, times: 1)),
        Case("no-ranges,times=2", FaultRule(.any, .noRanges, times: 2)),
        Case("index=Coast:short,by=1", FaultRule(.index("Coast"), .short(by: 1))),
        Case("patch=Coast:first-range", FaultRule(.patch("Coast"), .firstRange)),
        Case("list=Coast:404", FaultRule(.list("Coast"), .status(404, retryAfter: nil))),
        Case("wrong-range", FaultRule(.any, .wrongRange)),
        Case("asset=a=b:shifted", FaultRule(.asset("a=b"), .shifted)),
        Case("404", FaultRule(.any, .status(404, retryAfter: nil))),
        Case("redirect", FaultRule(.any, .redirect(.https))),
        Case("redirect=loop,times=3", FaultRule(.any, .redirect(.loop), times: 3)),
        Case("asset=A.b-c_1:redirect=http", FaultRule(.asset("A.b-c_1"), .redirect(.http))),
        Case("redirect=https://example.com/x", FaultRule(.any, .redirect(.url("https://example.com/x")))),
        Case(
            "manifest:redirect=https://example.com:8443/x",
            FaultRule(.manifest, .redirect(.url("https://example.com:8443/x")))),
    ]

    @Test(arguments: cases) func isRead(fault: Case) throws {
        #expect(try FaultOption(fault.text) == fault.option)
    }

    @Test func certificates() throws {
        #expect(try FaultOption("certificate=expired") == .certificate(.expired))
    }

    @Test(arguments: [
        "", ":", "stal", "asset=:stall", "index=:stall", "patch:cut", "pack=x:stall", "stall,after", "stall,after=",
        "stall,after=-1",
        "stall,after=1XB",
        "stall,rate=5", "stall,after=1,after=2", "slow,times=0", "slow,times=x", "slow,probability=2",
        "slow,probability=",
        "200", "600", "404,retry-after=-1", "redirect=ftp://x", "stall=5", "certificate=", "certificate=old",
        "stall,after=99999999999999999999", "stall,after=9999999999GiB", "manifest:", "slow,=3",
    ])
    func isRefusedWithItsText(text: String) {
        let error = #expect(throws: UsageError.self) { try FaultOption(text) }
        #expect(error?.message.contains("\"\(text)\"") == true)
    }

    @Test func saysWhatWasProbablyMeant() {
        let error = #expect(throws: UsageError.self) { try FaultOption("stal,after=1") }
        #expect(error?.suggestion == "stall")
    }

    @Test func nothingTraps() {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededGenerator(state: seed)
        let pieces = [
            "asset=", "manifest", ":", ",", "=", "stall", "slow", "redirect", "after", "1MiB", "-", "9", "é", "times",
            "*",
        ]
        for _ in 0..<5000 {
            let text = (0..<Int.random(in: 0...8, using: &random)).map { _ in pieces.randomElement(using: &random) ?? ""
            }
            .joined()
            do {
                _ = try FaultOption(text)
            } catch {
                #expect(error is UsageError, "seed \(seed): \(text)")
            }
        }
    }
}

@Suite struct FaultPlanTests {
    @Test func theFirstRuleThatFitsCounts() {
        var plan = FaultPlan([
            FaultRule(.asset("A"), .status(404, retryAfter: nil), times: 1),
            FaultRule(.asset("A"), .status(500, retryAfter: nil)),
            FaultRule(.manifest, .slow(rate: 1)),
        ])
        #expect(plan.fault(for: .asset("A")) == .status(404, retryAfter: nil))
        #expect(plan.fault(for: .asset("A")) == .status(500, retryAfter: nil))
        #expect(plan.fault(for: .asset("B")) == nil)
        #expect(plan.fault(for: .manifest) == .slow(rate: 1))
        #expect(plan.fault(for: .manifest, isHead: true) == nil)
    }

    @Test func headRequestsUseUpNoBodyFault() {
        var plan = FaultPlan([FaultRule(.any, .cut(after: nil), times: 1)])
        #expect(plan.fault(for: .manifest, isHead: true) == nil)
        #expect(plan.fault(for: .manifest) == .cut(after: nil))
        #expect(plan.fault(for: .manifest) == nil)
    }

    @Test func probabilityFollowsTheSeed() {
        func hits(_ seed: UInt64) -> [Bool] {
            var plan = FaultPlan([FaultRule(.any, .slow(rate: 1), probability: 0.3)], seed: seed)
            return (0..<1000).map { _ in plan.fault(for: .manifest) != nil }
        }
        #expect(hits(1) == hits(1))
        #expect(hits(1) != hits(2))
        let count = hits(1).count { $0 }
        #expect((230...370).contains(count))
    }
}
