// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// Works on items with own threads and gives them back in the order they came. Submitted to and taken from by one
/// thread. Threads start when first needed and end with the pipeline.
///
/// The pipeline owns an item from `submit` to `next`, and within it one thread at a time does: whoever takes an item on
/// takes it out of the state behind the lock. The submitting thread keeps no other reference.
final class OrderedPipeline<Item> {
    /// Does the work on one thread, with working memory of its own.
    typealias Worker = (Item) -> Void

    private struct State {
        var waiting: [(number: Int, item: Item)] = []
        var finished: [Int: Item] = [:]
        var idle = 0
        var closed = false
    }

    private let threads: Int
    private let makeWorker: @Sendable () -> Worker
    private let monitor = Monitor(State())
    private var started = 0
    /// Items are numbered in their order: the next to hand in, and the next to give back.
    private var submitted = 0
    private var returned = 0
    /// Does the work when the system has no room for a thread.
    private var ownWorker: Worker?

    /// - Parameter threads: how many threads at most; 0 means one for each core.
    init(threads: Int, makeWorker: @escaping @Sendable () -> Worker) {
        self.threads = threads > 0 ? threads : Processors.count
        self.makeWorker = makeWorker
    }

    deinit {
        monitor.withLock { state in
            state.closed = true
            state.waiting = []
        }
    }

    var inFlight: Int { submitted - returned }

    /// As many items as keep every thread busy while the submitting thread is away.
    var capacity: Int { threads + 2 }

    /// Hands an item to the threads.
    func submit(_ item: Item) {
        let number = submitted
        submitted += 1
        let needsThread = monitor.withLock { state in
            state.waiting.append((number, item))
            return state.idle < state.waiting.count
        }
        if needsThread, started < threads { startThread() }
    }

    /// The oldest item, when its work is done; nil when it is not, or none is in flight.
    /// - Parameter waiting: whether to wait for it.
    func next(waiting: Bool) -> Item? {
        guard inFlight > 0 else { return nil }
        let item =
            waiting
            ? monitor.wait { $0.finished.removeValue(forKey: returned) }
            : monitor.withLock { $0.finished.removeValue(forKey: returned) }
        if item != nil { returned += 1 }
        return item
    }

    private func startThread() {
        let (monitor, makeWorker) = (monitor, makeWorker)
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
            if started == 0 { workHere() }
        }
    }

    private func workHere() {
        let worker = ownWorker ?? makeWorker()
        ownWorker = worker
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
