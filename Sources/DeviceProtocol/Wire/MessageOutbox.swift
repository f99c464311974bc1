// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Kit

/// Sends messages in the order they were posted, without ever making the poster wait.
///
/// A peer that stops reading fills the outbox up to its limit; then the channel is closed, because memory is finite and
/// a message left out would be worse than a connection that ends.
package final class MessageOutbox: Sendable {
    private struct State {
        var messages: [[UInt8]] = []
        var bytes = 0
        var draining = false
        var closed = false
        /// The channel is to be closed once nothing waits.
        var finishing = false
    }

    private let channel: any MessageChannel
    private let limit: Int
    private let state = Locked(State())
    private let sending = Locked(())

    /// - Parameter limit: how many bytes may wait for a peer that does not read.
    package init(_ channel: any MessageChannel, limit: Int = 32 << 20) {
        self.channel = channel
        self.limit = limit
    }

    /// Takes a message for sending; false when the connection has ended.
    /// - Parameter here: send on the calling thread, which may block, instead of leaving what the peer does not take at once
    ///   to another. For callers that keep tasks from running.
    @discardableResult
    package func post(_ message: [UInt8], here: Bool = false) -> Bool {
        enum Step { case refuse, overflow, queued, drain }
        let step = state.withLock { state -> Step in
            if state.closed { return .refuse }
            guard state.bytes + message.count <= limit else {
                state.closed = true
                state.messages = []
                return .overflow
            }
            state.messages.append(message)
            state.bytes += message.count
            if state.draining { return here ? .drain : .queued }
            state.draining = true
            return .drain
        }
        switch step {
        case .refuse: return false
        case .overflow:
            channel.close()
            return false
        case .queued: return true
        case .drain:
            if here {
                drain()
            } else if !sending.withLock({ _ in offerInTurn() }) {
                drainElsewhere()
            }
            return true
        }
    }

    /// Drops what waits and refuses what comes.
    package func close() {
        state.withLock {
            $0.closed = true
            $0.messages = []
            $0.bytes = 0
        }
    }

    /// Refuses what comes, sends what waits, then closes the channel.
    package func finish() {
        let drained = state.withLock { state in
            state.closed = true
            state.finishing = true
            return !state.draining
        }
        if drained { channel.close() }
    }

    /// On a thread of its own: peers that do not read must not take all threads of `offload`.
    private func drainElsewhere() {
        do {
            try WorkerThread.start(name: "larder-outbox") { self.drain() }
        } catch {
            giveUp()
        }
    }

    /// May run on several threads: one after the other they take what waits and send it, so the order stays.
    private func drain() {
        sending.withLock { _ in
            do {
                try channel.flush()
                while let batch = nextBatch() { for message in batch { try channel.send(message) } }
            } catch {
                giveUp()
            }
        }
    }

    /// Sends what waits as far as the peer takes it at once.
    /// - Returns: false when something is left for `drain`.
    private func offerInTurn() -> Bool {
        do {
            while let batch = nextBatch() {
                for (index, message) in batch.enumerated() where !(try channel.offer(message)) {
                    putBack(batch[(index + 1)...])
                    return false
                }
            }
        } catch {
            giveUp()
        }
        return true
    }

    /// What waits now; nil when nothing does, and the next message finds nobody draining.
    private func nextBatch() -> [[UInt8]]? {
        let (batch, finished) = state.withLock { state in
            let batch = state.messages
            state.messages = []
            state.bytes = 0
            if batch.isEmpty { state.draining = false }
            return (batch, batch.isEmpty && state.finishing)
        }
        if finished { channel.close() }
        return batch.isEmpty ? nil : batch
    }

    private func putBack(_ messages: ArraySlice<[UInt8]>) {
        state.withLock { state in
            guard !state.closed || state.finishing else { return }
            state.messages.insert(contentsOf: messages, at: 0)
            state.bytes += messages.reduce(0) { $0 + $1.count }
        }
    }

    private func giveUp() {
        close()
        channel.close()
    }
}
