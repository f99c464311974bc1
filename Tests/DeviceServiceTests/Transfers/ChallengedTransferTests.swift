// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import Testing

@testable import DeviceService

/// Transfers whose server asks what only app or extension can answer.
@Suite struct ChallengedTransferTests {
    private let start = ContinuousClock.now

    private func key(_ name: String) -> TransferKey { TransferKey(app: "com.example.app", download: name) }

    private func submit(_ queue: inout TransferQueue, _ name: String) -> [TransferQueue.Action] {
        queue.submit(key(name), host: "a.example", rankClass: .background, priority: 0, now: start)
    }

    @Test func aChallengedTransferHoldsNoPlaceAndGoesOnWhenAnswered() {
        var queue = TransferQueue(limits: .init(total: 1, perHost: 1))
        #expect(submit(&queue, "locked") == [.start(key("locked"))])
        #expect(submit(&queue, "open") == [])
        #expect(queue.ended(key("locked"), .challenged, jitter: 0, now: start) == [.start(key("open"))])
        #expect(queue.items[key("locked")]?.state == .challenged && queue.nextDeadline == nil)
        // Neither time nor a person's word is an answer.
        #expect(queue.tick(now: start + .seconds(86_400)) == [])
        #expect(queue.resume(key("locked"), now: start) == [])
        #expect(queue.answered(key("locked"), now: start) == [])
        #expect(queue.items[key("locked")]?.state == .queued)
        #expect(
            queue.ended(key("open"), .finished, jitter: 0, now: start) == [
                .tellFinished(key("open")), .start(key("locked")),
            ])
        // An answer that comes too late, or twice, changes nothing.
        #expect(queue.answered(key("locked"), now: start) == [] && queue.answered(key("gone"), now: start) == [])
        #expect(queue.items[key("locked")]?.state == .running)
    }

    @Test func aChallengedTransferIsPausedCancelledAndRefused() {
        var queue = TransferQueue()
        func challenge(_ name: String) {
            _ = submit(&queue, name)
            _ = queue.ended(key(name), .challenged, jitter: 0, now: start)
        }
        challenge("paused")
        #expect(queue.pause(key("paused"), now: start) == [.tellPaused(key("paused"))])
        #expect(queue.answered(key("paused"), now: start) == [])
        #expect(queue.items[key("paused")]?.state == .paused)
        #expect(queue.resume(key("paused"), now: start) == [.start(key("paused"))])
        challenge("cancelled")
        #expect(
            queue.cancel(key("cancelled"), now: start) == [
                .discard(key("cancelled")), .tellCancelled(key("cancelled")),
            ])
        challenge("refused")
        #expect(queue.refuse(key("refused")) == [.discard(key("refused")), .tellFailed(key("refused"))])
        #expect(queue.refuse(key("refused")) == [] && queue.refuse(key("paused")) == [])
        challenge("stopping")
        _ = queue.answered(key("stopping"), now: start)
        _ = queue.cancel(key("stopping"), now: start)
        #expect(
            queue.ended(key("stopping"), .challenged, jitter: 0, now: start) == [
                .discard(key("stopping")), .tellCancelled(key("stopping")),
            ])
    }
}
