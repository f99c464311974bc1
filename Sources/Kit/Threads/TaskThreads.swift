// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

// The one place that uses these entry points of Swift 6.3, which may still change their names.
@_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) package import _Concurrency

/// Threads that run Swift's tasks in place of libdispatch, whose thread pool wakes up once a second for as long as the
/// process lives. These sleep until there is work, so an idle process makes no system call at all.
package final class TaskThreads: TaskExecutor {
    private struct Timed {
        var deadline: ContinuousClock.Instant
        var job: UnownedJob
    }

    private struct State {
        var jobs: [UnownedJob] = []
        var head = 0
        /// Latest first.
        var timed: [Timed] = []
    }

    private let monitor = Monitor(State())

    static let shared = TaskThreads()

    /// Takes over the running of tasks. To be called once, at the start of `main`, before there is any task.
    /// - Parameter count: how many tasks may run at once.
    /// - Throws: `Errno` when the system has no room for the threads.
    package static func takeOver(count: Int) throws {
        for _ in 0..<max(2, count) {
            try WorkerThread.start(name: "larder-tasks") { shared.work() }
        }
        _createExecutors(factory: Factory.self)
    }

    private struct Factory: ExecutorFactory {
        static var mainExecutor: any MainExecutor { PlatformExecutorFactory.mainExecutor }
        static var defaultExecutor: any TaskExecutor { TaskThreads.shared }
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        monitor.withLock { $0.jobs.append(job) }
    }

    private func work() {
        while true {
            let job = next()
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    /// Blocks until a job is due.
    private func next() -> UnownedJob {
        while true {
            let deadline = monitor.withLock { $0.timed.last?.deadline }
            // Ends with a job, or with none when another deadline has become the first.
            let look: (inout State) -> UnownedJob?? = { state in
                if let job = Self.take(&state) { return .some(job) }
                return state.timed.last?.deadline == deadline ? nil : .some(nil)
            }
            let job: UnownedJob?
            if let deadline {
                job = monitor.wait(atMost: max(.zero, ContinuousClock.now.duration(to: deadline)), look) ?? nil
            } else {
                job = monitor.wait(look)
            }
            if let job { return job }
        }
    }

    private static func take(_ state: inout State) -> UnownedJob? {
        if let first = state.timed.last, first.deadline <= .now {
            state.timed.removeLast()
            return first.job
        }
        guard state.head < state.jobs.count else { return nil }
        let job = state.jobs[state.head]
        state.head += 1
        if state.head == state.jobs.count {
            state.jobs.removeAll(keepingCapacity: state.head < 1024)
            state.head = 0
        }
        return job
    }
}

extension TaskThreads: SchedulingExecutor {
    /// Sleeping tasks come here. All clocks of the standard library count in `Duration`; another's job is run at once, and
    /// whoever sleeps by it looks at its clock again.
    package func enqueue<C: Clock>(
        _ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C
    ) {
        let job = UnownedJob(job)
        let deadline = ContinuousClock.now.advanced(by: delay as? Duration ?? .zero)
        monitor.withLock { state in
            let place = state.timed.firstIndex { $0.deadline <= deadline } ?? state.timed.endIndex
            state.timed.insert(Timed(deadline: deadline, job: job), at: place)
        }
    }
}
