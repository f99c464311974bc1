// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// A serial executor with its own thread, for actors whose work blocks (a database, a disk).
///
/// An actor uses it by holding it in a constant and returning `asUnownedSerialExecutor()` from `unownedExecutor`.
package final class BlockingExecutor: SerialExecutor {
    private struct Mailbox {
        var jobs: [UnownedJob] = []
        var closed = false
    }

    private let mailbox: Monitor<Mailbox>

    /// - Parameter name: the thread's name.
    /// - Throws: `Errno` when the system has no room for another thread.
    package init(name: String) throws {
        let mailbox = Monitor(Mailbox())
        self.mailbox = mailbox
        let identity = Locked<UnownedSerialExecutor?>(nil)
        try WorkerThread.start(name: name, stackSize: 1 << 20) {
            while let jobs = Self.next(mailbox) {
                guard let executor = identity.withLock({ $0 }) else { return }
                for job in jobs { job.runSynchronously(on: executor) }
            }
        }
        identity.withLock { $0 = asUnownedSerialExecutor() }
    }

    deinit { mailbox.withLock { $0.closed = true } }

    package func enqueue(_ job: consuming ExecutorJob) {
        let unowned = UnownedJob(job)
        mailbox.withLock { $0.jobs.append(unowned) }
    }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    /// All waiting jobs, oldest first; nil when the executor is gone and nothing is left.
    private static func next(_ mailbox: Monitor<Mailbox>) -> [UnownedJob]? {
        mailbox.wait { state -> [UnownedJob]?? in
            if !state.jobs.isEmpty {
                let jobs = state.jobs
                state.jobs.removeAll()
                return .some(jobs)
            }
            return state.closed ? .some(nil) : nil
        }
    }
}
