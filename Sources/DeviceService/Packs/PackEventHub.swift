// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// Hands events to everyone who listens. Producers tell progress at most ten times a second for each pack; nothing that
/// is told is dropped.
final class PackEventHub: Sendable {
    private struct Listener {
        var app: String?
        var continuation: AsyncStream<PackEvent>.Continuation
    }

    private struct State {
        var next = 0
        var listeners: [Int: Listener] = [:]
        var closed = false
    }

    private let state = Locked(State())

    /// Events from this call on; all apps' with nil.
    func events(ofApp app: String?) -> AsyncStream<PackEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: PackEvent.self)
        let number = state.withLock { state -> Int? in
            guard !state.closed else { return nil }
            state.next += 1
            state.listeners[state.next] = Listener(app: app, continuation: continuation)
            return state.next
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.listeners[number] = nil } }
        return stream
    }

    func tell(_ event: PackEvent) {
        let continuations = state.withLock { state in
            state.listeners.values.filter { $0.app == nil || $0.app == event.app }.map(\.continuation)
        }
        for continuation in continuations { continuation.yield(event) }
    }

    func close() {
        let continuations = state.withLock { state in
            state.closed = true
            return state.listeners.values.map(\.continuation)
        }
        // Ending one calls back into the lock, so it is not held here.
        for continuation in continuations { continuation.finish() }
    }
}
