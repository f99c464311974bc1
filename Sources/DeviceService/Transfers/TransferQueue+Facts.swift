// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

extension TransferQueue {
    /// Something is wanted. What is there already keeps its age and is promoted if the new request ranks higher.
    /// - Parameters:
    ///   - priority: the place among those of one class.
    ///   - paused: it begins paused (as it was before the service restarted).
    ///   - replacing: what is wanted now is another version: what is staged is void.
    package mutating func submit(
        _ key: TransferKey, host: String, rankClass: TransferRank.Class, priority: Int, paused: Bool = false,
        replacing: Bool = false, now: Instant
    ) -> [Action] {
        guard var item = items[key] else {
            items[key] = Item(
                key: key, host: host, rankClass: rankClass, priority: priority, state: paused ? .paused : .queued,
                sequence: nextSequence, retries: Retries(now: now))
            nextSequence += 1
            return judge(key) + schedule()
        }
        var actions: [Action] = []
        let promoted = TransferRank(rankClass: rankClass, priority: priority, sequence: item.sequence)
        if promoted > item.rank || replacing {
            item.rankClass = rankClass
            item.priority = priority
        }
        item.host = host
        item.retries.reset(now: now)
        switch item.state {
        case .queued:
            if replacing { actions.append(.discard(key)) }
        case .running:
            if replacing {
                item.state = .stopping(then: .restarted(paused: false))
                actions.append(.stop(key))
            }
        case .stopping(let next):
            switch next {
            case .removed, .restarted: item.state = .stopping(then: .restarted(paused: false))
            case .paused, .queued:
                item.state = .stopping(then: replacing ? .restarted(paused: false) : .queued)
            }
        case .waiting, .challenged, .paused:
            if replacing { actions.append(.discard(key)) }
            item.state = .queued
        }
        items[key] = item
        return actions + judge(key) + schedule()
    }

    /// Ranks a transfer anew, up or down; one that runs goes on without a break unless its place is needed. One that waited
    /// out trouble and ranks higher now is tried at once: somebody waits for it.
    /// - Parameter priority: the place among those of its class; nil keeps it.
    package mutating func rank(
        _ key: TransferKey, _ rankClass: TransferRank.Class, priority: Int? = nil, now: Instant
    ) -> [Action] {
        guard var item = items[key] else { return [] }
        if rankClass > item.rankClass {
            item.retries.reset(now: now)
            if case .waiting = item.state { item.state = .queued }
        }
        item.rankClass = rankClass
        item.priority = priority ?? item.priority
        items[key] = item
        return judge(key) + schedule()
    }

    package mutating func pause(_ key: TransferKey, now: Instant) -> [Action] {
        guard var item = items[key] else { return [] }
        var actions: [Action] = []
        switch item.state {
        case .paused, .stopping(then: .paused), .stopping(then: .removed), .stopping(then: .restarted(paused: true)):
            return []
        case .queued, .waiting, .challenged:
            item.state = .paused
            actions = [.tellPaused(key)]
        case .running:
            item.state = .stopping(then: .paused)
            actions = [.stop(key)]
        case .stopping(then: .queued):
            item.state = .stopping(then: .paused)
        case .stopping(then: .restarted(paused: false)):
            item.state = .stopping(then: .restarted(paused: true))
        }
        items[key] = item
        return actions + schedule()
    }

    /// Goes on with a paused transfer, and at once with one that waits.
    package mutating func resume(_ key: TransferKey, now: Instant) -> [Action] {
        guard var item = items[key] else { return [] }
        switch item.state {
        case .paused, .waiting: item.state = .queued
        case .stopping(then: .paused): item.state = .stopping(then: .queued)
        case .stopping(then: .restarted(paused: true)): item.state = .stopping(then: .restarted(paused: false))
        case .queued, .running, .challenged, .stopping: return []
        }
        item.retries.reset(now: now)
        items[key] = item
        return schedule()
    }

    /// Ends a transfer and deletes what is staged. Cancelling what is not there, or again, does nothing.
    package mutating func cancel(_ key: TransferKey, now: Instant) -> [Action] {
        guard var item = items[key] else { return [] }
        switch item.state {
        case .queued, .waiting, .challenged, .paused:
            items[key] = nil
            return [.discard(key), .tellCancelled(key)] + schedule()
        case .running:
            item.state = .stopping(then: .removed)
            items[key] = item
            return [.stop(key)]
        case .stopping:
            item.state = .stopping(then: .removed)
            items[key] = item
            return []
        }
    }

    /// An attempt that was started has ended, in whatever way.
    /// - Parameter jitter: from 0 to 1, by chance.
    package mutating func ended(_ key: TransferKey, _ outcome: Outcome, jitter: Double, now: Instant) -> [Action] {
        guard var item = items[key], item.holdsPlace else { return [] }
        if case .transient(brought: true, _, _) = outcome {
            item.retries.reset(now: now)
        }
        switch (item.state, outcome) {
        case (_, .finished):
            // Also when it was told to stop and the pack was complete before the word came.
            items[key] = nil
            guard case .stopping(then: .restarted(let paused)) = item.state else {
                return [.tellFinished(key)] + schedule()
            }
            item.state = paused ? .paused : .queued
            items[key] = item
            return (paused ? [.tellPaused(key)] : []) + schedule()
        case (.stopping(let next), _):
            return stopped(item, next) + schedule()
        case (_, .permanent):
            items[key] = nil
            return [.discard(key), .tellFailed(key)] + schedule()
        case (_, .challenged):
            item.state = .challenged
            items[key] = item
            return schedule()
        case (_, .stopped):
            // Nobody told it to: its thread could not go on. It takes its turn again.
            item.state = .queued
            items[key] = item
            return schedule()
        case (_, .transient(_, let wish, let isUnreachable)):
            let wait = item.retries.next(
                policy(of: item), jitter: jitter, wish: wish, isUnreachable: isUnreachable, now: now)
            guard let wait else {
                // What is staged stays: the next request goes on from there.
                items[key] = nil
                return [.tellFailed(key)] + schedule()
            }
            item.state = .waiting(until: now + wait)
            items[key] = item
            return [.tellWaiting(key, wait)] + schedule()
        }
    }

    private mutating func stopped(_ item: Item, _ next: Next) -> [Action] {
        var item = item
        let key = item.key
        switch next {
        case .paused:
            item.state = .paused
            items[key] = item
            return [.tellPaused(key)]
        case .queued:
            item.state = .queued
            items[key] = item
            return []
        case .removed:
            items[key] = nil
            return [.discard(key), .tellCancelled(key)]
        case .restarted(let paused):
            item.state = paused ? .paused : .queued
            items[key] = item
            return [.discard(key)] + (paused ? [.tellPaused(key)] : [])
        }
    }

    /// What its server asked has an answer: it takes its turn again. One that was paused meanwhile stays so.
    package mutating func answered(_ key: TransferKey, now: Instant) -> [Action] {
        guard var item = items[key], item.state == .challenged else { return [] }
        item.state = .queued
        item.retries.reset(now: now)
        items[key] = item
        return judge(key) + schedule()
    }

    /// Ends a transfer whose server will not give it, in whatever state it is.
    package mutating func refuse(_ key: TransferKey) -> [Action] {
        guard let item = items[key], !item.holdsPlace else { return [] }
        items[key] = nil
        return [.discard(key), .tellFailed(key)] + schedule()
    }

    /// Time has passed: what waited long enough takes its turn.
    package mutating func tick(now: Instant) -> [Action] {
        for (key, until) in items.lanes.waiting where until <= now { items[key]?.state = .queued }
        return schedule()
    }
}
