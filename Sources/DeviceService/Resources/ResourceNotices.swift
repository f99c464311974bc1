// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit

/// Tells processes that use resources what they ought to know, and hears when they let go of some.
final class ResourceNotices: Sendable {
    private struct State {
        var next = 0
        var listeners: [Int: AsyncStream<ResourceNotice>.Continuation] = [:]
        /// Who shows what there is, and uses nothing.
        var watchers: [Int: AsyncStream<Void>.Continuation] = [:]
        /// Who waits for something to be let go of.
        var waiters: [Int: CheckedContinuation<Bool, Never>] = [:]
    }

    private let state = Locked(State())

    /// Notices from this call on.
    func listen() -> AsyncStream<ResourceNotice> {
        let (stream, continuation) = AsyncStream.makeStream(of: ResourceNotice.self)
        let number = state.withLock { state in
            state.next += 1
            state.listeners[state.next] = continuation
            return state.next
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.listeners[number] = nil }
            // A process that is gone uses nothing any more.
            self?.released()
            self?.changed()
        }
        continuation.yield(.listening)
        return stream
    }

    /// An element whenever what is in use, or how long it is kept, may have changed.
    func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.next += 1
            state.watchers[state.next] = continuation
            return state.next
        }
        continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.watchers[number] = nil } }
        return stream
    }

    func changed() { for watcher in state.withLock({ Array($0.watchers.values) }) { watcher.yield() } }

    /// Something was let go of.
    func released() {
        let waiters = state.withLock { state in
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for waiter in waiters { waiter.resume(returning: true) }
    }

    /// Tells everybody that room is needed, and waits until something is let go of.
    /// - Returns: false when nobody listens, or nothing was let go of in that time.
    func askForRoom(patience: Duration) async -> Bool {
        let (listeners, number) = state.withLock { state in
            state.next += 1
            return (Array(state.listeners.values), state.next)
        }
        guard !listeners.isEmpty else { return false }
        let timer = Task {
            try await Task.sleep(for: patience)
            self.giveUp(number)
        }
        defer { timer.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if Task.isCancelled { return true }
                    state.waiters[number] = continuation
                    return false
                }
                // Told when the answer cannot be missed any more.
                for listener in listeners { listener.yield(.lowDiskSpace) }
                if isOver { continuation.resume(returning: false) }
            }
        } onCancel: {
            giveUp(number)
        }
    }

    private func giveUp(_ number: Int) {
        let waiter = state.withLock { $0.waiters.removeValue(forKey: number) }
        waiter?.resume(returning: false)
    }
}
