// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Testing

@testable import DeviceService

/// How requests for resources rank among all that is transferred.
@Suite struct TransferImportanceTests {
    private func key(_ pack: String) -> TransferKey { TransferKey(app: "app", pack: pack) }

    @Test func importanceCountsAmongWhatIsFetchedForOneReason() {
        #expect(FetchImportance(0) < FetchImportance(0.3))
        #expect(FetchImportance(1) < .urgent)
        #expect(FetchImportance(2) == FetchImportance(1))
        #expect(FetchImportance(.nan) == .standard)
        #expect(FetchKind.prefetch.priority(FetchImportance(1)) < FetchKind.onDemand.priority(FetchImportance(0)))
    }

    @Test func whatIsUrgentTakesThePlaceOfAnything() {
        var queue = TransferQueue(limits: .init(total: 1, perHost: 1, perApp: 1))
        #expect(
            queue.submit(key("e"), host: "h", kind: .essential, foreground: true, now: .now) == [.start(key("e"))])
        #expect(queue.submit(key("a"), host: "h", kind: .onDemand, foreground: true, now: .now) == [])
        #expect(
            queue.submit(key("u"), host: "h", kind: .onDemand, foreground: true, importance: .urgent, now: .now)
                == [.stop(key("e"))])
        #expect(queue.ended(key("e"), .stopped, jitter: 0, now: .now) == [.start(key("u"))])
        #expect(queue.ended(key("u"), .finished, jitter: 0, now: .now) == [.tellFinished(key("u")), .start(key("e"))])
    }

    @Test func aPriorityThatChangesInFlightChangesTheTurn() {
        var queue = TransferQueue(limits: .init(total: 1, perHost: 1, perApp: 1))
        _ = queue.submit(key("running"), host: "h", kind: .onDemand, foreground: true, now: .now)
        for pack in ["a", "b"] { _ = queue.submit(key(pack), host: "h", kind: .onDemand, foreground: true, now: .now) }
        let raised = FetchKind.onDemand.priority(FetchImportance(0.9))
        #expect(queue.rank(key("b"), .foreground, priority: raised, now: .now) == [])
        let lowered = FetchKind.onDemand.priority(FetchImportance(0.1))
        #expect(queue.rank(key("running"), .foreground, priority: lowered, now: .now) == [])
        #expect(
            queue.ended(key("running"), .finished, jitter: 0, now: .now)
                == [.tellFinished(key("running")), .start(key("b"))])
    }
}
