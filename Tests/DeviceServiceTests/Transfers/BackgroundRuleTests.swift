// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import Testing

@testable import DeviceService

/// What settings and conditions hold back, as docs/lifecycle.md has it, and what the queue makes of it (C11).
@Suite struct BackgroundRuleTests {
    private let start = ContinuousClock.now
    private let low = BackgroundRule(conditions: Conditions(isLowPower: true))

    private func key(_ name: String) -> TransferKey { TransferKey(app: "org.a", pack: name) }

    private func submit(
        _ queue: inout TransferQueue, _ name: String, _ kind: FetchKind = .prefetch, foreground: Bool = false
    ) -> [TransferQueue.Action] {
        queue.submit(key(name), host: "a.example", kind: kind, foreground: foreground, now: start)
    }

    @Test func theTable() {
        var refreshOff = BackgroundRule()
        refreshOff.settings.apps = ["org.a": .init(backgroundRefresh: false)]
        var allOff = BackgroundRule()
        allOff.settings.backgroundRefresh = false
        var running = refreshOff
        running.running = ["org.a"]
        let rules: [(BackgroundRule, HoldReason?)] = [
            (BackgroundRule(), nil), (low, .lowPower),
            (BackgroundRule(conditions: Conditions(isMetered: true)), .metered),
            (refreshOff, .backgroundRefresh), (allOff, .backgroundRefresh), (running, nil),
        ]
        for (rule, reason) in rules {
            #expect(rule.reason(app: "org.a", rankClass: .background) == reason)
            #expect(rule.reason(app: "org.a", rankClass: .foreground) == nil)
            #expect(rule.reason(app: "org.a", rankClass: .essential) == nil)
        }
        #expect(refreshOff.reason(app: "org.b", rankClass: .background) == nil)
        #expect(allOff.reason(app: "org.b", rankClass: .background) == .backgroundRefresh)
    }

    @Test func backgroundTransfersWaitUntilTheRuleIsKnown() {
        var queue = TransferQueue()
        queue.rule = nil
        #expect(submit(&queue, "prefetch") == [])
        #expect(submit(&queue, "asked", .onDemand, foreground: true) == [.start(key("asked"))])
        #expect(submit(&queue, "essential", .essential) == [.start(key("essential"))])
        #expect(queue.hasBackgroundWork)
        #expect(queue.setRule(BackgroundRule(), now: start) == [.start(key("prefetch"))])
    }

    @Test func withoutInAppContentNothingComesByItselfBeforeTheFirstLaunch() {
        var queue = TransferQueue()
        // Power and network are not known; this is.
        queue.rule = nil
        let off = ContentRule(allowsInAppContent: false)
        #expect(submit(&queue, "essential", .essential) == [.start(key("essential"))])
        #expect(
            queue.setContent(off, now: start) == [.stop(key("essential")), .tellHold(key("essential"), .inAppContent)])
        #expect(queue.ended(key("essential"), .stopped, jitter: 0, now: start) == [])
        #expect(!queue.hasBackgroundWork, "nobody has to look at the machine for it")
        #expect(submit(&queue, "prefetch") == [.tellHold(key("prefetch"), .inAppContent)])
        #expect(submit(&queue, "asked", .onDemand, foreground: true) == [.start(key("asked"))])
        #expect(queue.setRule(low, now: start) == [], "one reason at a time")
        let launched = ContentRule(allowsInAppContent: false, launched: ["org.a"])
        #expect(
            queue.setContent(launched, now: start) == [
                .tellHold(key("essential"), nil), .tellHold(key("prefetch"), .lowPower), .start(key("essential")),
            ])
        #expect(queue.setContent(off, now: start).contains(.stop(key("essential"))))
        _ = queue.ended(key("essential"), .stopped, jitter: 0, now: start)
        #expect(queue.setContent(ContentRule(), now: start).contains(.start(key("essential"))))
        #expect(queue.setContent(ContentRule(launched: ["org.b"]), now: start) == [])
    }

    @Test func whatRunsStopsWhereItCanGoOnFromAndGoesOnAfterwards() {
        var queue = TransferQueue()
        #expect(submit(&queue, "prefetch") == [.start(key("prefetch"))])
        _ = submit(&queue, "essential", .essential)
        #expect(
            queue.setRule(low, now: start) == [.stop(key("prefetch")), .tellHold(key("prefetch"), .lowPower)])
        #expect(queue.ended(key("prefetch"), .stopped, jitter: 0, now: start) == [])
        #expect(queue.items[key("prefetch")]?.state == .queued)
        #expect(queue.hasBackgroundWork, "somebody has to look when it may go on")
        #expect(submit(&queue, "update", .update) == [.tellHold(key("update"), .lowPower)])
        let actions = queue.setRule(BackgroundRule(), now: start)
        #expect(actions.contains(.tellHold(key("update"), nil)) && actions.contains(.start(key("update"))))
        #expect(actions.contains(.start(key("prefetch"))))
        for name in ["prefetch", "update", "essential"] {
            _ = queue.ended(key(name), .finished, jitter: 0, now: start)
        }
        #expect(!queue.hasBackgroundWork)
    }

    @Test func whatSomebodyWaitsForIsHeldNoMore() {
        var queue = TransferQueue()
        _ = queue.setRule(low, now: start)
        _ = submit(&queue, "pack")
        #expect(
            submit(&queue, "pack", .onDemand, foreground: true) == [.tellHold(key("pack"), nil), .start(key("pack"))])
        let demoted = queue.rank(key("pack"), .background, now: start)
        #expect(demoted == [.stop(key("pack")), .tellHold(key("pack"), .lowPower)])
    }

    @Test func heldOnesTakeNobodysPlace() {
        var queue = TransferQueue(limits: .init(total: 1, perHost: 1))
        _ = queue.setRule(low, now: start)
        for name in 1...20 { _ = submit(&queue, "\(name)") }
        #expect(submit(&queue, "essential", .essential) == [.start(key("essential"))])
        #expect(queue.ended(key("essential"), .finished, jitter: 0, now: start) == [.tellFinished(key("essential"))])
    }
}
