// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Runs work that blocks on a thread outside the cooperative pool and suspends the caller meanwhile.
///
/// What `body` captured is let go of before the caller goes on, who alone has the result. Cancelling the calling task does not
/// interrupt `body`; work that can be cancelled brings its own means.
package func offload<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    let work = OffloadedWork(body)
    await withCheckedContinuation { continuation in
        BlockingPool.shared.run {
            work.carryOut()
            continuation.resume()
        }
    }
    return try work.takeResult()
}

/// As `offload`, on a thread of its own: for work that waits for what others do. `offload` has so many threads and no more; all
/// of them waiting for somebody who needs one would be the end of it.
/// - Throws: `Errno` when the system has no room for another thread, and what `body` throws.
package func onOwnThread<Result: Sendable>(
    name: String = "larder-waiting", _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
    let work = OffloadedWork(body)
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        do {
            try WorkerThread.start(name: name) {
                work.carryOut()
                continuation.resume()
            }
        } catch {
            continuation.resume(throwing: error)
        }
    }
    return try work.takeResult()
}

/// Work on its way to another thread, then its result on the way back. Neither side keeps what the other has by then: a result
/// handed over by a continuation would stay with the thread for a moment, and with it, say, a lock.
private final class OffloadedWork<Result: Sendable>: Sendable {
    private enum State: Sendable {
        case due(@Sendable () throws -> Result)
        case done(Swift.Result<Result, any Error>)
        case taken
    }

    private let state: Locked<State>

    init(_ body: @escaping @Sendable () throws -> Result) { state = Locked(.due(body)) }

    func carryOut() {
        guard case .due(let body) = take() else { return }
        let result = Swift.Result { try body() }
        state.withLock { $0 = .done(result) }
    }

    func takeResult() throws -> Result {
        guard case .done(let result) = take() else { throw CancellationError() }
        return try result.get()
    }

    private func take() -> State {
        state.withLock { state in
            defer { state = .taken }
            return state
        }
    }
}

/// As `offload`, for work that asks from time to time whether the calling task was cancelled.
package func offloadCancellable<Result: Sendable>(
    _ body: @escaping @Sendable (_ isCancelled: @escaping @Sendable () -> Bool) throws -> Result
) async throws -> Result {
    let flag = Locked(false)
    return try await withTaskCancellationHandler {
        try await offload { try body { flag.withLock { $0 } } }
    } onCancel: {
        flag.withLock { $0 = true }
    }
}

/// Threads for blocking work: one is started when none is idle, two stay for the next, without any time-out ticking.
final class BlockingPool: Sendable {
    static let shared = BlockingPool(maximum: 64, keptIdle: 2)

    private struct State {
        var jobs: [@Sendable () -> Void] = []
        var idle = 0
        var threads = 0
    }

    private let maximum: Int
    private let keptIdle: Int
    private let monitor = Monitor(State())

    init(maximum: Int, keptIdle: Int) {
        self.maximum = maximum
        self.keptIdle = keptIdle
    }

    func run(_ job: @escaping @Sendable () -> Void) {
        let startThread = monitor.withLock { state -> Bool in
            state.jobs.append(job)
            guard state.idle < state.jobs.count, state.threads < maximum else { return false }
            state.threads += 1
            return true
        }
        guard startThread else { return }
        do {
            try WorkerThread.start(name: "larder-blocking") { self.work() }
        } catch {
            // No thread to be had: those there are will come to the job; with none, it runs here rather than never.
            let runHere = monitor.withLock { state -> (@Sendable () -> Void)? in
                state.threads -= 1
                return state.threads == 0 ? state.jobs.popLast() : nil
            }
            runHere?()
        }
    }

    private func work() {
        while let job = next() { job() }
    }

    private func next() -> (@Sendable () -> Void)? {
        let mayIdle = monitor.withLock { state -> Bool in
            if state.jobs.isEmpty, state.idle >= keptIdle {
                state.threads -= 1
                return false
            }
            state.idle += 1
            return true
        }
        guard mayIdle else { return nil }
        return monitor.wait { state in
            guard !state.jobs.isEmpty else { return nil }
            state.idle -= 1
            return state.jobs.removeFirst()
        }
    }
}
