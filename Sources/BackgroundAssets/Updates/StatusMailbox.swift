// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Kit

/// Updates on their way to one reader. Progress that was not read yet gives way to newer progress of the same pack, so that
/// a slow reader never misses a beginning or an end, and never piles up more than a few updates for each pack.
final class StatusMailbox: Sendable {
    typealias Update = AssetPackManager.DownloadStatusUpdate

    private struct State {
        var queue: [Update] = []
        var readers: [(id: UInt64, continuation: CheckedContinuation<Update?, Never>)] = []
        var nextReader: UInt64 = 0
        var isFinished = false
    }

    private let state = Locked(State())

    /// Adds an update; nothing happens after `finish()`.
    func put(_ update: Update) {
        let reader = state.withLock { state -> CheckedContinuation<Update?, Never>? in
            guard !state.isFinished else { return nil }
            if !state.readers.isEmpty { return state.readers.removeFirst().continuation }
            if case .downloading(let pack, _) = update,
                let last = state.queue.lastIndex(where: { $0.pack.id == pack.id }),
                case .downloading = state.queue[last]
            {
                state.queue[last] = update
            } else {
                state.queue.append(update)
            }
            return nil
        }
        reader?.resume(returning: update)
    }

    /// Nothing follows; what is in the queue can still be read.
    func finish() {
        let readers = state.withLock { state in
            state.isFinished = true
            let readers = state.readers.map(\.continuation)
            state.readers = []
            return readers
        }
        for reader in readers { reader.resume(returning: nil) }
    }

    /// The next update; nil after the last one, or when the task is cancelled.
    func next() async -> Update? {
        let id = state.withLock { state in
            state.nextReader += 1
            return state.nextReader
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ready = state.withLock { state -> Update?? in
                    if Task.isCancelled { return .some(nil) }
                    if !state.queue.isEmpty { return state.queue.removeFirst() }
                    if state.isFinished { return .some(nil) }
                    state.readers.append((id, continuation))
                    return nil
                }
                if let ready { continuation.resume(returning: ready) }
            }
        } onCancel: {
            let reader = state.withLock { state -> CheckedContinuation<Update?, Never>? in
                guard let index = state.readers.firstIndex(where: { $0.id == id }) else { return nil }
                return state.readers.remove(at: index).continuation
            }
            reader?.resume(returning: nil)
        }
    }
}
