// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import TestSupport
import Testing

@testable import DeviceService

@Suite struct TransferQueueTests {
    private let start = ContinuousClock.now

    private func key(_ name: String) -> TransferKey { TransferKey(app: "com.example.app", pack: name) }

    private func submit(
        _ queue: inout TransferQueue, _ name: String, _ kind: FetchKind = .prefetch, foreground: Bool = false,
        host: String = "a.example", replacing: Bool = false
    ) -> [TransferQueue.Action] {
        queue.submit(
            key(name), host: host, kind: kind, foreground: foreground, replacing: replacing, now: start)
    }

    @Test func essentialGoesFirstThenForegroundThenPriorityThenAge() {
        var queue = TransferQueue(limits: .init(total: 1, perHost: 1))
        #expect(submit(&queue, "running", .essential) == [.start(key("running"))])
        for (name, kind, foreground) in [
            ("update", FetchKind.update, false), ("old", .prefetch, false), ("young", .prefetch, false),
            ("asked", .onDemand, false), ("waited", .onDemand, true), ("essential", .essential, false),
        ] {
            #expect(submit(&queue, name, kind, foreground: foreground) == [])
        }
        var order: [String] = []
        var current = "running"
        while true {
            let actions = queue.ended(key(current), .finished, jitter: 0, now: start)
            #expect(actions.first == .tellFinished(key(current)))
            guard case .start(let next) = actions.last else { break }
            current = next.pack
            order.append(current)
        }
        #expect(order == ["essential", "waited", "asked", "old", "young", "update"])
        #expect(queue.items.isEmpty)
    }

    @Test func limitsHoldInTotalAndPerHost() {
        var queue = TransferQueue(limits: .init(total: 3, perHost: 2))
        #expect(submit(&queue, "1").count == 1)
        #expect(submit(&queue, "2").count == 1)
        #expect(submit(&queue, "3") == [], "the host is full")
        #expect(submit(&queue, "4", host: "b.example").count == 1)
        #expect(submit(&queue, "5", host: "c.example") == [], "all places are taken")
        #expect(queue.ended(key("4"), .finished, jitter: 0, now: start).last == .start(key("5")))
        #expect(queue.ended(key("1"), .finished, jitter: 0, now: start).last == .start(key("3")))
    }

    @Test func oneAppLeavesPlacesToOthers() {
        var queue = TransferQueue(limits: .init(total: 3, perHost: 3, perApp: 2))
        for name in ["1", "2", "3", "4"] { _ = submit(&queue, name, .onDemand) }
        #expect(queue.items.values.filter { $0.state == .running }.count == 2)
        let other = TransferKey(app: "com.example.other", pack: "1")
        #expect(
            queue.submit(other, host: "a.example", rankClass: .background, priority: -9, now: start)
                == [.start(other)])
        #expect(submit(&queue, "essential", .essential).count == 1, "one of the app's own makes room")
        #expect(queue.items[other]?.state == .running)
    }

    @Test func prioritiesCountInsideAnAppOnly() {
        var queue = TransferQueue(limits: .init(total: 1, perHost: 1, perApp: 1))
        let keys = [("a", 0), ("b", 100), ("a", 50)].enumerated().map { index, pair in
            (TransferKey(app: pair.0, pack: "\(index)"), pair.1)
        }
        _ = submit(&queue, "running")
        for (key, priority) in keys {
            _ = queue.submit(key, host: "a.example", rankClass: .background, priority: priority, now: start)
        }
        var order: [TransferKey] = []
        var current = key("running")
        while case .start(let next) = queue.ended(current, .finished, jitter: 0, now: start).last {
            order.append(next)
            current = next
        }
        // Of a the one with the higher priority, which is younger than what b has waiting.
        #expect(order == [keys[1].0, keys[2].0, keys[0].0])
    }

    @Test func roomUnderTwoLimitsIsMadeByAsFewAsCan() {
        var queue = TransferQueue(limits: .init(total: 4, perHost: 2, perApp: 2))
        _ = submit(&queue, "here", .onDemand)
        _ = submit(&queue, "there", .update, host: "b.example")
        let other = TransferKey(app: "com.example.other", pack: "1")
        _ = queue.submit(other, host: "a.example", rankClass: .background, priority: 0, now: start)
        #expect(submit(&queue, "essential", .essential) == [.stop(key("here"))], "app and host are both full")
        #expect(queue.ended(key("here"), .stopped, jitter: 0, now: start) == [.start(key("essential"))])
    }

    @Test func aHigherClassIsNotKeptOutByTwoFullLimitsOfDifferentTransfers() {
        var queue = TransferQueue(limits: .init(total: 4, perHost: 1, perApp: 1))
        _ = submit(&queue, "mine", .prefetch, host: "b.example")
        let other = TransferKey(app: "com.example.other", pack: "1")
        _ = queue.submit(other, host: "a.example", rankClass: .background, priority: 0, now: start)
        #expect(Set(submit(&queue, "essential", .essential)) == [.stop(key("mine")), .stop(other)])
        #expect(queue.ended(other, .stopped, jitter: 0, now: start) == [])
        #expect(queue.ended(key("mine"), .stopped, jitter: 0, now: start).first == .start(key("essential")))
    }

    @Test func anEssentialTransferTakesThePlaceOfTheWeakest() {
        var queue = TransferQueue(limits: .init(total: 2, perHost: 2))
        _ = submit(&queue, "asked", .onDemand)
        _ = submit(&queue, "update", .update)
        #expect(submit(&queue, "essential", .essential) == [.stop(key("update"))])
        #expect(submit(&queue, "second", .essential) == [.stop(key("asked"))], "each takes one place")
        #expect(submit(&queue, "third", .essential) == [], "nobody of a lower class is left")
        #expect(queue.ended(key("update"), .stopped, jitter: 0, now: start) == [.start(key("essential"))])
        #expect(queue.ended(key("asked"), .stopped, jitter: 0, now: start) == [.start(key("second"))])
        #expect(queue.items[key("update")]?.state == .queued)
        _ = queue.ended(key("essential"), .finished, jitter: 0, now: start)
        #expect(queue.ended(key("second"), .finished, jitter: 0, now: start).last == .start(key("asked")))
    }

    @Test func promotionKeepsTheTransferRunning() {
        var queue = TransferQueue(limits: .init(total: 1, perHost: 1))
        _ = submit(&queue, "pack", .prefetch)
        #expect(submit(&queue, "pack", .essential, foreground: true) == [])
        #expect(queue.items[key("pack")]?.state == .running)
        #expect(queue.items[key("pack")]?.rank.rankClass == .essential)
        #expect(submit(&queue, "pack", .update) == [], "a lower request does not demote")
        #expect(queue.items[key("pack")]?.rankClass == .essential)
    }

    @Test func pauseResumeAndCancelAsOftenAsOneLikes() {
        var queue = TransferQueue()
        let pack = key("pack")
        for _ in 0..<3 {
            #expect(submit(&queue, "pack") == [.start(pack)])
            for _ in 0..<3 {
                #expect(queue.pause(pack, now: start) == [.stop(pack)])
                #expect(queue.pause(pack, now: start) == [])
                #expect(queue.ended(pack, .stopped, jitter: 0, now: start) == [.tellPaused(pack)])
                #expect(queue.resume(pack, now: start) == [.start(pack)])
                #expect(queue.resume(pack, now: start) == [])
            }
            #expect(queue.cancel(pack, now: start) == [.stop(pack)])
            #expect(queue.cancel(pack, now: start) == [])
            #expect(queue.ended(pack, .stopped, jitter: 0, now: start) == [.discard(pack), .tellCancelled(pack)])
            #expect(queue.cancel(pack, now: start) == [])
        }
    }

    @Test func wordsThatCrossAreNotLost() {
        var queue = TransferQueue()
        let pack = key("pack")
        _ = submit(&queue, "pack")
        _ = queue.pause(pack, now: start)
        #expect(queue.resume(pack, now: start) == [], "before it had stopped")
        #expect(queue.ended(pack, .stopped, jitter: 0, now: start) == [.start(pack)])
        _ = queue.cancel(pack, now: start)
        #expect(submit(&queue, "pack") == [], "wanted again before it had stopped")
        #expect(queue.ended(pack, .stopped, jitter: 0, now: start) == [.discard(pack), .start(pack)])
        _ = queue.pause(pack, now: start)
        #expect(queue.ended(pack, .finished, jitter: 0, now: start) == [.tellFinished(pack)])
        #expect(queue.items.isEmpty)
    }

    @Test func anotherVersionVoidsWhatIsStaged() {
        var queue = TransferQueue()
        let pack = key("pack")
        _ = submit(&queue, "pack")
        #expect(submit(&queue, "pack", replacing: true) == [.stop(pack)])
        #expect(queue.pause(pack, now: start) == [])
        #expect(queue.ended(pack, .stopped, jitter: 0, now: start) == [.discard(pack), .tellPaused(pack)])
        #expect(submit(&queue, "pack", replacing: true) == [.discard(pack), .start(pack)])
    }

    @Test func transientTroubleIsRetriedUntilPatienceEnds() {
        let policy = RetryPolicy(first: .seconds(1), longest: .seconds(4), patience: .seconds(10))
        var queue = TransferQueue(essential: policy, foreground: policy, background: policy)
        let pack = key("pack")
        var now = start
        _ = submit(&queue, "pack")
        var waits: [Duration] = []
        loop: while true {
            let actions = queue.ended(pack, .transient(brought: false, wish: nil), jitter: 0, now: now)
            switch actions.first {
            case .tellWaiting(_, let wait):
                waits.append(wait)
                #expect(queue.nextDeadline == now + wait)
                #expect(queue.tick(now: now + wait - .milliseconds(1)) == [])
                now += wait
                #expect(queue.tick(now: now) == [.start(pack)])
            case .tellFailed: break loop
            default: Issue.record("\(actions)"); break loop
            }
        }
        #expect(waits == [.seconds(1), .seconds(2), .seconds(4), .seconds(4)])
        #expect(queue.items.isEmpty)
        #expect(queue.nextDeadline == nil)
    }

    @Test func bytesThatArriveStartTheCountAfresh() {
        let policy = RetryPolicy(first: .seconds(1), longest: .seconds(60), patience: .seconds(10))
        var queue = TransferQueue(essential: policy, foreground: policy, background: policy)
        let pack = key("pack")
        _ = submit(&queue, "pack")
        var now = start
        for _ in 0..<20 {
            now += .seconds(9)
            #expect(
                queue.ended(pack, .transient(brought: true, wish: nil), jitter: 0, now: now)
                    == [.tellWaiting(pack, .seconds(1))])
            now += .seconds(1)
            #expect(queue.tick(now: now) == [.start(pack)])
        }
    }

    @Test func aStallThatOutlastsPatienceIsStillTriedOnAnotherConnection() {
        let policy = RetryPolicy(first: .seconds(1), longest: .seconds(4), patience: .seconds(10))
        var queue = TransferQueue(foreground: policy)
        let pack = key("pack")
        _ = submit(&queue, "pack", .onDemand, foreground: true)
        let stalled = TransferQueue.Outcome.transient(brought: false, wish: nil)
        #expect(
            queue.ended(pack, stalled, jitter: 0, now: start + .seconds(30)) == [.tellWaiting(pack, .seconds(1))])
        #expect(queue.tick(now: start + .seconds(31)) == [.start(pack)])
        #expect(queue.ended(pack, stalled, jitter: 0, now: start + .seconds(61)) == [.tellFailed(pack)])
    }

    @Test func withoutNetworkTheForegroundFailsWithinSecondsAndTheBackgroundWaits() {
        let unreachable = TransferQueue.Outcome.transient(brought: false, wish: nil, isUnreachable: true)
        for (isForeground, end) in [(true, Duration.seconds(4)), (false, .seconds(172_800 + 900))] {
            var queue = TransferQueue()
            let pack = key("pack")
            var now = start
            var attempts = 1
            _ = submit(&queue, "pack", .onDemand, foreground: isForeground)
            loop: while true {
                switch queue.ended(pack, unreachable, jitter: 0, now: now).first {
                case .tellWaiting(_, let wait):
                    now += wait
                    #expect(queue.tick(now: now) == [.start(pack)])
                    attempts += 1
                case .tellFailed: break loop
                case let action: Issue.record("\(String(describing: action))"); break loop
                }
            }
            #expect(now - start <= end)
            #expect(isForeground ? (2...4).contains(attempts) : now - start > .seconds(172_800))
        }
    }

    @Test func aConnectionThatDoesNotComeUsesUpTheForegroundsPatience() {
        var queue = TransferQueue()
        let pack = key("pack")
        _ = submit(&queue, "pack", .onDemand, foreground: true)
        let unreachable = TransferQueue.Outcome.transient(brought: false, wish: nil, isUnreachable: true)
        #expect(queue.ended(pack, unreachable, jitter: 0, now: start + .seconds(10)) == [.tellFailed(pack)])
    }

    @Test func whatIsPromotedWhileItWaitsIsTriedAtOnce() {
        var queue = TransferQueue()
        let pack = key("pack")
        _ = submit(&queue, "pack")
        _ = queue.ended(pack, .transient(brought: false, wish: .seconds(600)), jitter: 0, now: start)
        #expect(queue.rank(pack, .foreground, now: start + .seconds(1)) == [.start(pack)])
        #expect(queue.nextDeadline == nil)
    }

    @Test func permanentTroubleEndsAtOnceAndLeavesNothing() {
        var queue = TransferQueue()
        _ = submit(&queue, "pack")
        #expect(
            queue.ended(key("pack"), .permanent, jitter: 0, now: start)
                == [.discard(key("pack")), .tellFailed(key("pack"))])
        #expect(queue.items.isEmpty)
    }

    /// Random facts in any order; what must always hold is checked after each. The seed is in the failure.
    @Test(arguments: 0..<20) func keepsItsPromisesUnderAnyFacts(round: Int) {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let limits = TransferQueue.Limits(
            total: Int.random(in: 1...4, using: &random), perHost: Int.random(in: 1...4, using: &random),
            perApp: Int.random(in: 1...4, using: &random))
        let policy = RetryPolicy(first: .seconds(1), longest: .seconds(8), patience: .seconds(40))
        var queue = TransferQueue(limits: limits, essential: policy, foreground: policy, background: policy)
        var running: Set<TransferKey> = []
        var stopping: Set<TransferKey> = []
        var now = start
        let names = (0..<8).map { "pack\($0)" }
        for _ in 0..<2000 {
            let name = names.randomElement(using: &random) ?? ""
            let pack = TransferKey(app: name.hasSuffix("0") ? "com.example.other" : "com.example.app", pack: name)
            now += .milliseconds(Int.random(in: 0...500, using: &random))
            var actions: [TransferQueue.Action] = []
            switch Int.random(in: 0..<9, using: &random) {
            case 0, 1:
                actions = queue.submit(
                    pack, host: Bool.random(using: &random) ? "a" : "b",
                    kind: FetchKind.allCases.randomElement(using: &random) ?? .update,
                    foreground: Bool.random(using: &random), replacing: Int.random(in: 0..<4, using: &random) == 0,
                    now: now)
            case 2: actions = queue.pause(pack, now: now)
            case 3: actions = queue.resume(pack, now: now)
            case 4: actions = queue.cancel(pack, now: now)
            case 5: actions = queue.tick(now: now)
            case 6:
                let classes: [TransferRank.Class] = [.background, .foreground, .essential]
                actions = queue.rank(pack, classes.randomElement(using: &random) ?? .background, now: now)
            default:
                guard let ending = running.sorted().randomElement(using: &random) else { continue }
                running.remove(ending)
                let wasStopping = stopping.remove(ending) != nil
                let outcomes: [TransferQueue.Outcome] =
                    wasStopping
                    ? [.stopped, .finished, .transient(brought: true, wish: nil), .permanent]
                    : [.finished, .transient(brought: false, wish: nil), .permanent]
                actions = queue.ended(
                    ending, outcomes.randomElement(using: &random) ?? .stopped,
                    jitter: Double.random(in: 0...1, using: &random), now: now)
            }
            for action in actions {
                switch action {
                case .start(let key): #expect(running.insert(key).inserted, "started twice, seed \(seed)")
                case .stop(let key):
                    #expect(running.contains(key) && stopping.insert(key).inserted, "stopped twice, seed \(seed)")
                case .discard(let key): #expect(!running.contains(key), "discarded while it runs, seed \(seed)")
                default: break
                }
            }
            let holders = queue.items.values.filter(\.holdsPlace)
            #expect(Set(holders.map(\.key)) == running, "seed \(seed)")
            #expect(holders.count <= limits.total, "seed \(seed)")
            for host in ["a", "b"] where holders.filter({ $0.host == host }).count > limits.perHost {
                // A transfer whose address moved to another host keeps its place there.
                #expect(holders.count <= limits.total)
            }
            // Nobody rests while there is a place, unless told to, or others leave to make room for somebody.
            let queued = queue.items.values.filter { $0.state == .queued }
            for item in queued where holders.count < limits.total && stopping.isEmpty {
                #expect(
                    holders.filter { $0.host == item.host }.count >= limits.perHost
                        || holders.filter { $0.key.app == item.key.app }.count >= limits.perApp, "seed \(seed)")
            }
            for app in ["com.example.app", "com.example.other"] {
                #expect(holders.filter { $0.key.app == app }.count <= limits.perApp, "seed \(seed)")
            }
            // What is kept by state says the same as the states.
            #expect(queue.items.lanes.holding == running, "seed \(seed)")
            #expect(Set(queue.items.lanes.queued.values.joined().map(\.key)) == Set(queued.map(\.key)), "seed \(seed)")
            #expect(queue.items.lanes.queued.values.allSatisfy { $0.map(\.rank) == $0.map(\.rank).sorted(by: >) })
            #expect(
                queue.items.lanes.waiting.count
                    == queue.items.values.count { if case .waiting = $0.state { true } else { false } })
        }
        // Left alone, everything comes to an end.
        for key in queue.items.values.map(\.key).sorted() { _ = queue.resume(key, now: now) }
        for _ in 0..<200 {
            now += .seconds(10)
            _ = queue.tick(now: now)
            for item in queue.items.values where item.holdsPlace {
                _ = queue.ended(item.key, .finished, jitter: 0, now: now)
            }
        }
        #expect(queue.items.values.allSatisfy { $0.state == .paused }, "seed \(seed)")
    }
}
