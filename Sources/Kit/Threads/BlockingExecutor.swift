// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// A serial executor with its own thread, for actors whose work blocks (a database, a disk).
///
/// An actor uses it by holding it in a constant and returning `asUnownedSerialExecutor()` from `unownedExecutor`. A task that
/// prefers it runs on its thread as long as no other executor is asked for, so that going to the actor and back wakes nobody.
package final class BlockingExecutor: SerialExecutor, TaskExecutor {
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
        let identity = Locked<(UnownedSerialExecutor, UnownedTaskExecutor)?>(nil)
        try WorkerThread.start(name: name, stackSize: 1 << 20) {
            while let jobs = Self.next(mailbox) {
                guard let (serial, task) = identity.withLock({ $0 }) else { return }
                for job in jobs { job.runSynchronously(isolatedTo: serial, taskExecutor: task) }
            }
        }
        identity.withLock { $0 = (asUnownedSerialExecutor(), asUnownedTaskExecutor()) }
    }

    deinit { mailbox.withLock { $0.closed = true } }

    package func enqueue(_ job: consuming ExecutorJob) {
        let unowned = UnownedJob(job)
        mailbox.withLock { $0.jobs.append(unowned) }
    }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    package func asUnownedTaskExecutor() -> UnownedTaskExecutor { UnownedTaskExecutor(ordinary: self) }

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
