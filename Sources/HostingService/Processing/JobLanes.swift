// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database
internal import Kit
internal import System

/// All runners of a host, and its heartbeat: while it beats, nobody takes what the host is at work on.
final class JobLanes: Sendable {
    private let context: HostContext
    private let runners: [JobRunner]
    private let heartbeat: Task<Void, Never>
    /// A few of them fit into a lease.
    private static let period = Duration.seconds(5)

    init(_ context: HostContext) {
        self.context = context
        let processor = VersionProcessor(context)
        let sender = WebhookSender(context)
        let delivery = JobRunner(context, .deliverWebhook) { try await sender.deliver($0) }
        var letters: JobRunner?
        if let mail = context.mail {
            let sender = LetterSender(context, mail)
            letters = JobRunner(context, .sendLetter) { try await sender.send($0) }
        }
        let updates = UpdateProcessor(context)
        let preparing = JobRunner(context, .prepareUpdates) { try await updates.process($0) }
        let processing = JobRunner(context, .processVersion) { [letters] job in
            try await processor.process(job)
            delivery.notify()
            preparing.notify()
            letters?.notify()
        }
        let builds = BuildProcessor(context)
        let buildProcessing = JobRunner(context, .processBuild) { try await builds.process($0) }
        let runners = [processing, buildProcessing, preparing, delivery] + (letters.map { [$0] } ?? [])
        self.runners = runners
        heartbeat = Task {
            repeat {
                await Self.beat(context)
                // What another host left behind, or put into the queue and could not do any more.
                for runner in runners { runner.notify() }
            } while (try? await Task.sleep(for: Self.period)) != nil
        }
    }

    /// There may be new jobs.
    func notify() {
        for runner in runners { runner.notify() }
    }

    func stop() async {
        for runner in runners { await runner.stop() }
        heartbeat.cancel()
        await heartbeat.value
        _ = try? await offload { [presence = context.presence, workshop = context.workshop] in
            _ = try? FileDescriptor.currentDirectory.removeTree(at: workshop)
            presence.end()
        }
    }

    private static func beat(_ context: HostContext) async {
        do {
            let presence = context.presence
            let departed = try await offload { try presence.departed() }
            let hasWork = try await context.database.read { try $0.hasClaims(of: presence.owner) }
            guard hasWork || !departed.isEmpty else { return }
            try await context.database.write { store in
                try store.renewClaims(of: presence.owner)
                for name in departed { try store.releaseClaims(of: name) }
            }
            try await offload { [data = context.data] in
                for name in departed {
                    _ = try? FileDescriptor.currentDirectory.removeTree(
                        at: HostContext.workshop(of: name, in: data))
                    presence.forget(name)
                }
            }
        } catch {
            guard !Task.isCancelled else { return }
            context.log.error("The host could not say that it is at work.", ["error": "\(error)"])
        }
    }
}
