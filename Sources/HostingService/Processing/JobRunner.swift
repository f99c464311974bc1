// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database
internal import Kit

/// Does the jobs of one kind, one after the other, when they are due, from the host's start to its end. Other hosts on the same
/// database do others at the same time.
final class JobRunner: Sendable {
    /// Does a job: it is removed from the queue, or has another time to be tried, when this returns.
    typealias Work = @Sendable (ClaimedJob) async throws -> Void

    private let wake: AsyncStream<Void>.Continuation
    private let task: Task<Void, Never>
    /// How long after a failure of the host's own a job is tried again, in seconds.
    private static let pause: Int64 = 5

    init(_ context: HostContext, _ kind: Job.Kind, work: @escaping Work) {
        let (signals, wake) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.wake = wake
        task = Task {
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
        // What an earlier host left behind.
        wake.yield()
    }

    /// There may be a new job.
    func notify() { wake.yield() }

    /// Ends after the job at hand, which is broken off where it can be; another host goes on.
    func stop() async {
        wake.finish()
        task.cancel()
        await task.value
    }

    /// Does what is due; how many seconds until the next job is, nil when there is none.
    private static func runDue(_ context: HostContext, _ kind: Job.Kind, _ work: Work) async -> Int64? {
        do {
            while !Task.isCancelled {
                switch try await context.database.read({ try $0.queue(of: kind) }).step(now: context.clock().seconds) {
                case .restUntilAsked: return nil
                case .rest(let seconds): return seconds
                case .take(let entry):
                    let claim = ClaimedJob(
                        job: Job(kind: kind, subject: entry.subject), attempts: entry.attempts,
                        owner: context.presence.owner)
                    guard try await context.database.write({ try $0.claim(claim.job, for: claim.owner) }) else {
                        continue
                    }
                    await run(claim, context, work)
                }
            }
            return nil
        } catch {
            guard !Task.isCancelled else { return nil }
            context.log.error("The queue could not be read.", ["kind": kind.rawValue, "error": "\(error)"])
            return pause
        }
    }

    private static func run(_ claim: ClaimedJob, _ context: HostContext, _ work: Work) async {
        let isLost: Bool
        do {
            return try await work(claim)
        } catch is ClaimLost {
            context.log.warning(
                "Another host took a job over.", ["kind": claim.job.kind.rawValue, "subject": claim.subject])
            return
        } catch {
            isLost = (error as? HostingError)?.code == .uploadLost
            if !Task.isCancelled {
                context.log.error(
                    "A job failed and will be tried again.",
                    ["kind": claim.job.kind.rawValue, "subject": claim.subject, "error": "\(error)"])
            }
        }
        // Where this does not get through, the claim ends by itself.
        let isCancelled = Task.isCancelled
        // Also after a cancellation, so that the next host need not wait.
        let release = Task {
            _ = try? await context.database.write { store in
                if isCancelled { return try store.postpone(claim, until: nil, counts: false) }
                try store.rest(claim, seconds: Self.pause, counts: isLost)
            }
        }
        await release.value
    }
}
