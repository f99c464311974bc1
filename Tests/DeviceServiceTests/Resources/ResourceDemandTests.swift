// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import TestSupport
import Testing

@testable import DeviceService

@Suite struct ResourceDemandTests {
    private static let a = TransferKey(app: "app", pack: "a")
    private static let b = TransferKey(app: "app", pack: "b")

    private func key(_ request: String) -> ResourceDemand.Key { ResourceDemand.Key(app: "app", request: request) }

    @Test func packsAreFetchedOnceForAllRequests() {
        var demand = ResourceDemand()
        let fetched: [ResourceDemand.Action] = [.fetch(Self.a, .standard), .fetch(Self.b, .standard)]
        #expect(demand.begin(key("1"), packs: ["a", "b"], .init()) == fetched)
        #expect(demand.begin(key("2"), packs: ["b"], .init()) == [])
        #expect(demand.waited == [Self.a, Self.b])
    }

    @Test func theMostEagerRequestCounts() {
        var demand = ResourceDemand()
        _ = demand.begin(key("1"), packs: ["a"], .init(importance: FetchImportance(0.2)))
        #expect(
            demand.begin(key("2"), packs: ["a"], .init(importance: FetchImportance(0.7)))
                == [.rank(Self.a, FetchImportance(0.7))])
        #expect(demand.steer(key("1"), .init(importance: .urgent)) == [.rank(Self.a, .urgent)])
        #expect(demand.end(key("1"), .left) == [.rank(Self.a, FetchImportance(0.7))])
    }

    @Test func aPackIsPausedWhileAllRequestsAre() {
        var demand = ResourceDemand()
        _ = demand.begin(key("1"), packs: ["a"], .init())
        _ = demand.begin(key("2"), packs: ["a"], .init(importance: .urgent))
        // Who pauses does not count while others do not.
        #expect(demand.steer(key("2"), .init(importance: .urgent, isPaused: true)) == [.rank(Self.a, .standard)])
        #expect(
            demand.steer(key("1"), .init(isPaused: true)) == [.rank(Self.a, .urgent), .pause(Self.a)])
        #expect(demand.steer(key("2"), .init()) == [.rank(Self.a, .standard), .resume(Self.a)])
    }

    @Test func whatNobodyWantsIsCancelledOrComesBehind() {
        var demand = ResourceDemand()
        _ = demand.begin(key("1"), packs: ["a", "b"], .init())
        _ = demand.begin(key("2"), packs: ["b"], .init(isPaused: true))
        #expect(demand.end(key("1"), .cancelled) == [.cancel(Self.a), .pause(Self.b)])
        // The process of the second is gone: nobody could go on with it otherwise.
        #expect(demand.end(key("2"), .left) == [.resume(Self.b), .release(Self.b)])
        #expect(demand.waited.isEmpty)
    }

    @Test func whatHasComeIsNotWaitedFor() {
        var demand = ResourceDemand()
        _ = demand.begin(key("1"), packs: ["a", "b"], .init())
        demand.ended(Self.a)
        #expect(demand.waited == [Self.b])
        #expect(demand.end(key("1"), .cancelled) == [.cancel(Self.b)])
        #expect(demand.end(key("1"), .cancelled) == [])
        #expect(demand.steer(key("1"), .init(isPaused: true)) == [])
    }

    @Test func appsHaveDemandsOfTheirOwn() {
        var demand = ResourceDemand()
        let other = ResourceDemand.Key(app: "other", request: "1")
        _ = demand.begin(key("1"), packs: ["a"], .init())
        #expect(demand.begin(other, packs: ["a"], .init()) == [.fetch(TransferKey(app: "other", pack: "a"), .standard)])
        #expect(demand.end(key("1"), .cancelled) == [.cancel(Self.a)])
    }

    /// By chance: what is being fetched is what somebody waits for, and is treated as the requests together say.
    @Test func aModelOfManyRequestsAgrees() {
        var generator = SeededGenerator.forTest(#function)
        for _ in 0..<200 {
            var demand = ResourceDemand()
            var model: [String: (packs: Set<String>, steering: ResourceDemand.Steering)] = [:]
            var state: [TransferKey: ResourceDemand.Steering] = [:]
            func steering() -> ResourceDemand.Steering {
                let importance: FetchImportance =
                    Int.random(in: 0..<5, using: &generator) == 0
                    ? .urgent : FetchImportance(Double.random(in: 0...1, using: &generator))
                return .init(importance: importance, isPaused: Bool.random(using: &generator))
            }
            for step in 0..<60 {
                let actions: [ResourceDemand.Action]
                let known = model.keys.sorted().randomElement(using: &generator)
                switch (Int.random(in: 0..<4, using: &generator), known) {
                case (1, let known?):
                    let new = steering()
                    model[known]?.steering = new
                    actions = demand.steer(key(known), new)
                case (2, let known?):
                    model[known] = nil
                    actions = demand.end(key(known), Bool.random(using: &generator) ? .cancelled : .left)
                case (3, _?):
                    let pack = ["a", "b", "c", "d"].randomElement(using: &generator) ?? "a"
                    demand.ended(TransferKey(app: "app", pack: pack))
                    state[TransferKey(app: "app", pack: pack)] = nil
                    for name in model.keys { model[name]?.packs.remove(pack) }
                    actions = []
                default:
                    let packs = Set(["a", "b", "c", "d"].filter { _ in Bool.random(using: &generator) })
                    let new = steering()
                    model["\(step)"] = (packs, new)
                    actions = demand.begin(key("\(step)"), packs: packs, new)
                }
                for action in actions { Self.apply(action, &state) }
                var expected: [TransferKey: ResourceDemand.Steering] = [:]
                for pack in ["a", "b", "c", "d"] {
                    let wants = model.values.filter { $0.packs.contains(pack) }.map(\.steering)
                    let active = wants.filter { !$0.isPaused }
                    guard let most = (active.isEmpty ? wants : active).map(\.importance).max() else { continue }
                    expected[TransferKey(app: "app", pack: pack)] = .init(importance: most, isPaused: active.isEmpty)
                }
                #expect(state == expected)
                #expect(demand.waited == Set(expected.keys))
            }
        }
    }

    private static func apply(_ action: ResourceDemand.Action, _ state: inout [TransferKey: ResourceDemand.Steering]) {
        switch action {
        case .fetch(let key, let importance): state[key] = .init(importance: importance)
        case .rank(let key, let importance): state[key]?.importance = importance
        case .pause(let key): state[key]?.isPaused = true
        case .resume(let key): state[key]?.isPaused = false
        case .release(let key):
            #expect(state[key]?.isPaused == false)
            state[key] = nil
        case .cancel(let key): state[key] = nil
        }
    }
}
