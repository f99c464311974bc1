// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Glibc

/// A piece of work that passes from the submitting thread to a worker and back; one thread holds it at a time.
protocol PipelineItem: AnyObject, Sendable {}

/// Works on items with own threads and gives them back in the order they came. Submitted to and taken from by one
/// thread. Threads start when first needed and end with the pipeline.
final class OrderedPipeline<Item: PipelineItem> {
    /// Does the work on one thread, with working memory of its own.
    typealias Worker = (Item) -> Void

    private struct State {
        var waiting: [Item] = []
        var finished: Set<ObjectIdentifier> = []
        var idle = 0
        var closed = false
    }

    private let threads: Int
    private let makeWorker: @Sendable () -> Worker
    private let monitor = Monitor(State())
    private var started = 0
    private var ordered: [Item] = []

    /// - Parameter threads: how many threads at most; 0 means one for each core.
    init(threads: Int, makeWorker: @escaping @Sendable () -> Worker) {
        self.threads = threads > 0 ? threads : OrderedPipeline.coreCount
        self.makeWorker = makeWorker
    }

    deinit {
        monitor.update { state in
            state.closed = true
            state.waiting = []
        }
    }

    static var coreCount: Int { max(1, Int(sysconf(CInt(_SC_NPROCESSORS_ONLN)))) }

    var inFlight: Int { ordered.count }

    /// As many items as keep every thread busy while the submitting thread is away.
    var capacity: Int { threads + 2 }

    /// Hands an item to the threads.
    func submit(_ item: Item) {
        ordered.append(item)
        let needsThread = monitor.update { state in
            state.waiting.append(item)
            return state.idle < state.waiting.count
        }
        if needsThread, started < threads { startThread() }
    }

    /// The oldest item, when its work is done; nil when it is not, or none is in flight.
    /// - Parameter waiting: whether to wait for it.
    func next(waiting: Bool) -> Item? {
        guard let first = ordered.first else { return nil }
        let id = ObjectIdentifier(first)
        let done =
            waiting
            ? monitor.wait { $0.finished.remove(id) != nil ? true : nil }
            : monitor.update { $0.finished.remove(id) != nil }
        guard done else { return nil }
        ordered.removeFirst()
        return first
    }

    private func startThread() {
        started += 1
        let (monitor, makeWorker) = (monitor, makeWorker)
        PipelineThread.start {
            let worker = makeWorker()
            while true {
                monitor.update { $0.idle += 1 }
                let item: Item?? = monitor.wait { state in
                    if state.closed { return .some(nil) }
                    guard !state.waiting.isEmpty else { return nil }
                    state.idle -= 1
                    return .some(state.waiting.removeFirst())
                }
                guard case .some(.some(let next)) = item else { return }
                worker(next)
                monitor.update { state in _ = state.finished.insert(ObjectIdentifier(next)) }
            }
        }
    }
}

/// Starts a thread of the room's own, so that nothing here blocks the cooperative pool.
enum PipelineThread {
    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    static func start(_ body: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(Body(body)).toOpaque()
        let result = pthread_create(&thread, nil, pipelineThreadMain, context)
        if result == 0 {
            pthread_detach(thread)
        } else {
            // No thread to be had: the work is done right here, late but complete.
            Unmanaged<Body>.fromOpaque(context).release()
        }
    }

    fileprivate static func main(_ context: UnsafeMutableRawPointer) {
        Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
    }
}

private func pipelineThreadMain(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let context { PipelineThread.main(context) }
    return nil
}
