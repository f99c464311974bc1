// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// A serial executor with its own thread, for actors whose work blocks (a database, a disk).
///
/// An actor uses it by holding it in a constant and returning `asUnownedSerialExecutor()` from `unownedExecutor`. A task that
/// prefers it runs on its thread as long as no other executor is asked for, so that going to the actor and back wakes nobody.
/// Another owned thread may do the executor's work in its place, see `lendThread`.
package final class BlockingExecutor: SerialExecutor, TaskExecutor {
    private struct Mailbox {
        var jobs: [UnownedJob] = []
        /// A thread is at work and takes what comes meanwhile, too.
        var isBusy = false
        var closed = false

        /// Whether the executor's own thread has something to do.
        var concernsThread: Bool { !isBusy && (closed || !jobs.isEmpty) }

        /// All waiting jobs, oldest first; with none the work is over.
        mutating func take() -> [UnownedJob] {
            isBusy = !jobs.isEmpty
            defer { jobs = [] }
            return jobs
        }
    }

    private let mailbox: Monitor<Mailbox>
    /// How often a lent thread looks for what has come while it worked. Beyond that the own thread goes on.
    private static let mostRoundsLent = 64

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
                mailbox.withLock(wakingIf: \.concernsThread) { $0.isBusy = false }
            }
        }
        identity.withLock { $0 = (asUnownedSerialExecutor(), asUnownedTaskExecutor()) }
    }

    deinit { mailbox.withLock { $0.closed = true } }

    package func enqueue(_ job: consuming ExecutorJob) {
        let unowned = UnownedJob(job)
        mailbox.withLock(wakingIf: \.concernsThread) { $0.jobs.append(unowned) }
    }

    /// Does `body`, and then on the calling thread what that has enqueued, and what comes of it at once, unless somebody is at work
    /// already. To wake the executor's thread would take longer than most of what is done there. For owned threads that may block.
    package func lendThread(_ body: () -> Void) {
        let isLent = mailbox.withLock(wakingIf: \.concernsThread) { mailbox -> Bool in
            guard !mailbox.isBusy, mailbox.jobs.isEmpty else { return false }
            mailbox.isBusy = true
            return true
        }
        body()
        guard isLent else { return }
        let (serial, task) = (asUnownedSerialExecutor(), asUnownedTaskExecutor())
        for _ in 0..<Self.mostRoundsLent {
            let jobs = mailbox.withLock(wakingIf: \.concernsThread) { $0.take() }
            guard !jobs.isEmpty else { return }
            for job in jobs { job.runSynchronously(isolatedTo: serial, taskExecutor: task) }
        }
        mailbox.withLock(wakingIf: \.concernsThread) { $0.isBusy = false }
    }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    package func asUnownedTaskExecutor() -> UnownedTaskExecutor { UnownedTaskExecutor(ordinary: self) }

    /// Waits for jobs; nil when the executor is gone and nothing is left.
    private static func next(_ mailbox: Monitor<Mailbox>) -> [UnownedJob]? {
        mailbox.wait { mailbox -> [UnownedJob]?? in
            guard mailbox.concernsThread else { return nil }
            let jobs = mailbox.take()
            return jobs.isEmpty ? .some(nil) : .some(jobs)
        }
    }
}
