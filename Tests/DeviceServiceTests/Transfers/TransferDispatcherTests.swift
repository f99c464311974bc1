// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import Testing

@testable import DeviceService

/// Packs and downloads in one queue (C8).
@Suite(.timeLimit(.minutes(5))) struct TransferDispatcherTests {
    private typealias Action = TransferQueue.Action

    private let now = ContinuousClock.now

    private func pack(_ id: String, app: String = "a") -> TransferKey { TransferKey(app: app, pack: id) }
    private func file(_ id: String, app: String = "b") -> TransferKey { TransferKey(app: app, download: id) }

    private func submit(
        _ dispatcher: TransferDispatcher, _ key: TransferKey, host: String,
        _ rankClass: TransferRank.Class = .background
    ) {
        dispatcher.change(key.owner) {
            $0.submit(key, host: host, rankClass: rankClass, priority: 0, now: now)
        }
    }

    private func inbox(_ dispatcher: TransferDispatcher, _ owner: TransferKey.Owner) -> [Action] {
        var actions: [Action] = []
        while let action = dispatcher.next(owner) { actions.append(action) }
        return actions
    }

    @Test func thePlacesAreSharedAndTheHighestRankTakesThem() {
        let dispatcher = TransferDispatcher(TransferQueue(limits: TransferQueue.Limits(total: 2, perHost: 2)))
        let woken = Locked<[TransferKey.Owner]>([])
        for owner in [TransferKey.Owner.packs, .downloads] {
            dispatcher.attach(owner) { woken.withLock { $0.append(owner) } }
        }
        submit(dispatcher, pack("p1"), host: "x")
        submit(dispatcher, file("f1"), host: "y")
        submit(dispatcher, file("f2"), host: "z")
        #expect(inbox(dispatcher, .packs) == [.start(pack("p1"))])
        #expect(inbox(dispatcher, .downloads) == [.start(file("f1"))], "two places for both together")
        #expect(woken.withLock { $0 } == [])
        // An essential pack takes the place of the file that came last, a file in front that of the pack behind.
        submit(dispatcher, pack("vital"), host: "x", .essential)
        #expect(inbox(dispatcher, .downloads) == [.stop(file("f1"))])
        #expect(woken.withLock { $0 } == [.downloads])
        submit(dispatcher, file("front"), host: "y", .foreground)
        #expect(inbox(dispatcher, .packs) == [.stop(pack("p1"))])
        dispatcher.change(.downloads) { $0.ended(file("f1"), .stopped, jitter: 0, now: now) }
        dispatcher.change(.packs) { $0.ended(pack("p1"), .stopped, jitter: 0, now: now) }
        #expect(inbox(dispatcher, .packs) == [.start(pack("vital"))])
        #expect(inbox(dispatcher, .downloads) == [.start(file("front"))])
        // What was pushed aside comes back, the older first, whoever made room.
        dispatcher.change(.packs) { $0.ended(pack("vital"), .finished, jitter: 0, now: now) }
        #expect(inbox(dispatcher, .packs) == [.tellFinished(pack("vital")), .start(pack("p1"))])
        dispatcher.change(.downloads) { $0.ended(file("front"), .finished, jitter: 0, now: now) }
        #expect(inbox(dispatcher, .downloads) == [.tellFinished(file("front")), .start(file("f1"))])
    }

    @Test func aHostsLimitHoldsOverBoth() {
        let dispatcher = TransferDispatcher(TransferQueue(limits: TransferQueue.Limits(total: 9, perHost: 1)))
        submit(dispatcher, pack("p"), host: "x")
        submit(dispatcher, file("f"), host: "x")
        submit(dispatcher, file("other"), host: "y")
        #expect(inbox(dispatcher, .packs) == [.start(pack("p"))])
        #expect(inbox(dispatcher, .downloads) == [.start(file("other"))])
        dispatcher.change(.packs) { $0.cancel(pack("p"), now: now) }
        dispatcher.change(.packs) { $0.ended(pack("p"), .stopped, jitter: 0, now: now) }
        #expect(inbox(dispatcher, .downloads) == [.start(file("f"))])
    }

    @Test func aPackAndADownloadOfOneNameAreTwo() {
        let dispatcher = TransferDispatcher()
        submit(dispatcher, TransferKey(app: "a", pack: "map"), host: "x")
        submit(dispatcher, TransferKey(app: "a", download: "map"), host: "x")
        dispatcher.change(.downloads) { $0.cancel(TransferKey(app: "a", download: "map"), now: now) }
        #expect(dispatcher.state(of: TransferKey(app: "a", pack: "map")) == .running)
        #expect(dispatcher.state(of: TransferKey(app: "a", download: "map")) == .stopping(then: .removed))
    }

    @Test func anInboxKeepsItsOrder() {
        let dispatcher = TransferDispatcher(TransferQueue(limits: TransferQueue.Limits(total: 1, perHost: 1)))
        submit(dispatcher, file("f"), host: "x")
        submit(dispatcher, pack("p"), host: "y")
        dispatcher.change(.downloads) { $0.ended(file("f"), .permanent, jitter: 0, now: now) }
        // The packs' owner has not yet looked when it changes its mind: it must not be told to stop before it has begun.
        dispatcher.change(.packs) { $0.cancel(pack("p"), now: now) }
        #expect(inbox(dispatcher, .packs) == [.start(pack("p")), .stop(pack("p"))])
    }

    @Test func whoWaitedForATimeIsWoken() async throws {
        let dispatcher = TransferDispatcher()
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        dispatcher.attach(.downloads) { continuation.yield() }
        submit(dispatcher, file("f"), host: "x")
        #expect(inbox(dispatcher, .downloads) == [.start(file("f"))])
        dispatcher.change(.downloads) {
            $0.ended(file("f"), .transient(brought: false, wish: .milliseconds(1)), jitter: 0, now: .now)
        }
        for await _ in stream { break }
        guard case .tellWaiting = dispatcher.next(.downloads) else {
            Issue.record("nothing was told of the wait")
            return
        }
        #expect(inbox(dispatcher, .downloads) == [.start(file("f"))])
    }
}
