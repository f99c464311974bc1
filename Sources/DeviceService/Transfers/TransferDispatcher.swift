// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// One queue for all that is transferred, packs and unmanaged downloads: ranks and limits hold over both (C8).
///
/// Each owner changes the queue through here and finds what it is to do in an inbox of its own, in the order in which it
/// was decided; an owner who gets work by somebody else's change is woken. The queue itself stays a value.
package final class TransferDispatcher: Sendable {
    package typealias Action = TransferQueue.Action

    private struct State {
        var queue: TransferQueue
        var inboxes: [TransferKey.Owner: FirstInFirstOut<Action>] = [:]
        var wake: [TransferKey.Owner: @Sendable () -> Void] = [:]
        var timer: Task<Void, Never>?
        var deadline: TransferQueue.Instant?
        var isStopped = false
    }

    private let state: Locked<State>
    private let gate: BackgroundGate?

    /// - Parameter gate: says when background transfers may go on; nil lets them always.
    package init(_ queue: TransferQueue = TransferQueue(), gate: BackgroundGate? = nil) {
        state = Locked(State(queue: queue))
        self.gate = gate
        guard let gate else { return }
        state.withLock { state in
            state.queue.rule = nil
            state.queue.content = gate.content
        }
        gate.attach { [weak self] in self?.followRule() }
    }

    /// - Parameter wake: called, from anywhere, when something is in the owner's inbox that its own change did not put there.
    func attach(_ owner: TransferKey.Owner, wake: @escaping @Sendable () -> Void) {
        state.withLock { $0.wake[owner] = wake }
    }

    /// Tells the queue a fact. The caller then empties its own inbox.
    func change(_ owner: TransferKey.Owner, _ body: (inout TransferQueue) -> [Action]) { change(besides: owner, body) }

    /// The next thing that the owner is to do.
    func next(_ owner: TransferKey.Owner) -> Action? { state.withLock { $0.inboxes[owner]?.popFirst() } }

    func state(of key: TransferKey) -> TransferQueue.State? { state.withLock { $0.queue.items[key]?.state } }

    /// Nothing is begun any more by the clock.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.timer?.cancel()
            state.timer = nil
        }
    }

    private func change(besides owner: TransferKey.Owner?, _ body: (inout TransferQueue) -> [Action]) {
        let wakes = state.withLock { state -> [@Sendable () -> Void] in
            var others: Set<TransferKey.Owner> = []
            for action in body(&state.queue) {
                state.inboxes[action.key.owner, default: FirstInFirstOut()].append(action)
                if action.key.owner != owner { others.insert(action.key.owner) }
            }
            setTimer(&state)
            needRule(&state)
            return others.compactMap { state.wake[$0] }
        }
        for wake in wakes { wake() }
    }

    /// The gate looks at the machine only while it is asked to.
    private func needRule(_ state: inout State) {
        guard let gate else { return }
        let isNeeded = state.queue.hasBackgroundWork
        if !isNeeded { state.queue.rule = nil }
        gate.need(isNeeded)
    }

    private func followRule() {
        change(besides: nil) { queue in
            guard let gate else { return [] }
            let actions = queue.setContent(gate.content, now: .now)
            return queue.hasBackgroundWork ? actions + queue.setRule(gate.rule, now: .now) : actions
        }
    }

    /// One timer, and only while a transfer waits for a time.
    private func setTimer(_ state: inout State) {
        let deadline = state.isStopped ? nil : state.queue.nextDeadline
        guard deadline != state.deadline else { return }
        state.timer?.cancel()
        state.deadline = deadline
        state.timer = deadline.map { deadline in
            Task { [weak self] in
                guard (try? await Task.sleep(until: deadline, clock: .continuous)) != nil else { return }
                self?.tick()
            }
        }
    }

    private func tick() {
        state.withLock { $0.deadline = nil }
        change(besides: nil) { $0.tick(now: .now) }
    }
}

/// Takes at one end and gives at the other, at a cost that does not grow with what it holds.
struct FirstInFirstOut<Element: Sendable>: Sendable {
    private var incoming: [Element] = []
    private var outgoing: [Element] = []

    mutating func append(_ element: Element) { incoming.append(element) }

    mutating func popFirst() -> Element? {
        if outgoing.isEmpty {
            outgoing = incoming.reversed()
            incoming = []
        }
        return outgoing.popLast()
    }
}

extension TransferQueue.Action {
    /// Whom it is about.
    var key: TransferKey {
        switch self {
        case .start(let key), .stop(let key), .discard(let key), .tellPaused(let key), .tellWaiting(let key, _),
            .tellFailed(let key), .tellCancelled(let key), .tellFinished(let key), .tellHold(let key, _):
            key
        }
    }
}
