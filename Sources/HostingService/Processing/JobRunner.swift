// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database
internal import Kit

/// Does the jobs of one kind, one after the other, when they are due, from the host's start to its end.
final class JobRunner: Sendable {
    /// Does a job: it is removed from the queue, or has another time to be tried, when this returns.
    typealias Work = @Sendable (_ job: Job, _ attempts: Int) async throws -> Void

    private let wake: AsyncStream<Void>.Continuation
    private let task = Locked<Task<Void, Never>?>(nil)
    /// How long after a failure of the host's own a job is tried again, in seconds.
    private static let pause: Int64 = 5

    init(_ context: HostContext, _ kind: Job.Kind, work: @escaping Work) {
        let (signals, wake) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.wake = wake
        let started = Task {
            var timer: Task<Void, Never>?
            for await _ in signals {
                timer?.cancel()
                guard let wait = await Self.runDue(context, kind, work) else { continue }
                timer = Task {
                    if (try? await Task.sleep(for: .seconds(wait))) != nil { wake.yield() }
                }
            }
            timer?.cancel()
        }
        task.withLock { $0 = started }
        // What an earlier host left behind.
        wake.yield()
    }

    /// There may be a new job.
    func notify() { wake.yield() }

    /// Ends after the job at hand, which is broken off where it can be; the next host goes on.
    func stop() async {
        wake.finish()
        let running = task.withLock { $0 }
        running?.cancel()
        await running?.value
    }

    /// Does what is due; how many seconds until the next job is, nil when there is none.
    private static func runDue(_ context: HostContext, _ kind: Job.Kind, _ work: Work) async -> Int64? {
        do {
            while !Task.isCancelled {
                guard let next = try await context.database.read({ try $0.nextJob(kind) }) else { return nil }
                let wait = next.due - context.clock().seconds
                if wait > 0 { return wait }
                try await work(next.job, next.attempts)
            }
            return nil
        } catch is CancellationError {
            return nil
        } catch {
            context.log.error("A job failed and will be tried again.", ["kind": kind.rawValue, "error": "\(error)"])
            return pause
        }
    }
}

/// All runners of a host.
final class JobLanes: Sendable {
    private let runners: [JobRunner]

    init(_ context: HostContext) {
        let processor = VersionProcessor(context)
        let sender = WebhookSender(context)
        let delivery = JobRunner(context, .deliverWebhook) { try await sender.deliver($0, attempts: $1) }
        let processing = JobRunner(context, .processVersion) { job, _ in
            try await processor.process(job)
            delivery.notify()
        }
        let builds = BuildProcessor(context)
        let buildProcessing = JobRunner(context, .processBuild) { job, _ in try await builds.process(job) }
        runners = [processing, buildProcessing, delivery]
    }

    /// There may be new jobs.
    func notify() {
        for runner in runners { runner.notify() }
    }

    func stop() async {
        for runner in runners { await runner.stop() }
    }
}
