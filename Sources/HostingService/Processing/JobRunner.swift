// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database
internal import Kit

/// Does the jobs that wait, one after the other, from the host's start to its end.
final class JobRunner: Sendable {
    private let context: HostContext
    private let processor: VersionProcessor
    private let wake: AsyncStream<Void>.Continuation
    private let task = Locked<Task<Void, Never>?>(nil)
    /// How long after a failure of the host's own a job is tried again.
    private static let pause = Duration.seconds(5)

    init(_ context: HostContext) {
        self.context = context
        processor = VersionProcessor(context)
        let (signals, wake) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.wake = wake
        let started = Task { [context, processor] in
            for await _ in signals {
                while !Task.isCancelled, await Self.runAll(context, processor) {
                    try? await Task.sleep(for: Self.pause)
                }
            }
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

    /// Whether one failed for the host's own reasons, so that it has to be tried again.
    private static func runAll(_ context: HostContext, _ processor: VersionProcessor) async -> Bool {
        do {
            while !Task.isCancelled, let job = try await context.database.read({ try $0.jobs().first }) {
                switch job.kind {
                case .processVersion: try await processor.process(job)
                }
            }
            return false
        } catch is CancellationError {
            return false
        } catch {
            context.log.error("A job failed and will be tried again.", ["error": "\(error)"])
            return true
        }
    }
}
