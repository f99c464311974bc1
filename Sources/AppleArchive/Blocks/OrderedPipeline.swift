// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// Works on items with own threads, or on the submitting one, and gives them back in the order they came. Submitted to and
/// taken from by one thread. Threads start when first needed and end with the pipeline.
///
/// The pipeline owns an item from `submit` to `next`, and within it one thread at a time does: whoever takes an item on
/// takes it out of the state behind the lock. The submitting thread keeps no other reference.
package final class OrderedPipeline<Item> {
    /// Does the work on one thread, with working memory of its own.
    package typealias Worker = (Item) -> Void

    private struct State {
        var waiting: [(number: Int, item: Item)] = []
        var finished: [Int: Item] = [:]
        var idle = 0
        var closed = false
    }

    /// Who does the work.
    private enum Labour {
        case threads(atMost: Int, makeWorker: @Sendable () -> Worker)
        case submitter(Worker)
    }

    private let labour: Labour
    private let monitor = Monitor(State())
    private var started = 0
    /// Items are numbered in their order: the next to hand in, and the next to give back.
    private var submitted = 0
    private var returned = 0
    /// Does the work when the system has no room for a thread.
    private var ownWorker: Worker?

    /// - Parameter threads: how many threads at most; 0 means one for each core.
    package init(threads: Int, makeWorker: @escaping @Sendable () -> Worker) {
        labour = .threads(atMost: threads > 0 ? threads : Processors.count, makeWorker: makeWorker)
    }

    /// Has the submitting thread do the work.
    init(worker: @escaping Worker) {
        labour = .submitter(worker)
    }

    deinit {
        monitor.withLock { state in
            state.closed = true
            state.waiting = []
        }
    }

    package var inFlight: Int { submitted - returned }

    /// As many items as keep every thread busy while the submitting thread is away.
    package var capacity: Int { if case .threads(let threads, _) = labour { threads + 2 } else { 1 } }

    /// Hands an item to the threads.
    package func submit(_ item: Item) {
        let number = submitted
        submitted += 1
        let needsThread = monitor.withLock { state in
            state.waiting.append((number, item))
            return state.idle < state.waiting.count
        }
        switch labour {
        case .threads(let threads, let makeWorker):
            if needsThread, started < threads { startThread(makeWorker) }
        case .submitter(let worker): workHere(worker)
        }
    }

    /// The oldest item, when its work is done; nil when it is not, or none is in flight.
    /// - Parameter waiting: whether to wait for it.
    package func next(waiting: Bool) -> Item? {
        guard inFlight > 0 else { return nil }
        let item =
            waiting
            ? monitor.wait { $0.finished.removeValue(forKey: returned) }
            : monitor.withLock { $0.finished.removeValue(forKey: returned) }
        if item != nil { returned += 1 }
        return item
    }

    private func startThread(_ makeWorker: @escaping @Sendable () -> Worker) {
        let monitor = monitor
        do {
            try WorkerThread.start(name: "larder-blocks") {
                let worker = makeWorker()
                while let (number, item) = Self.take(monitor) {
                    worker(item)
                    monitor.withLock { $0.finished[number] = item }
                }
            }
            started += 1
        } catch {
            guard started == 0 else { return }
            let worker = ownWorker ?? makeWorker()
            ownWorker = worker
            workHere(worker)
        }
    }

    private func workHere(_ worker: Worker) {
        while let (number, item) = monitor.withLock({ $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }) {
            worker(item)
            monitor.withLock { $0.finished[number] = item }
        }
    }

    private static func take(_ monitor: Monitor<State>) -> (number: Int, item: Item)? {
        monitor.withLock { $0.idle += 1 }
        return monitor.wait { state -> (number: Int, item: Item)?? in
            guard !state.closed else { return .some(nil) }
            guard !state.waiting.isEmpty else { return nil }
            state.idle -= 1
            return .some(state.waiting.removeFirst())
        }
    }
}
