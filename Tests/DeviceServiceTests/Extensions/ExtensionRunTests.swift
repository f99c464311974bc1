// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import System
import TestSupport
import Testing

@testable import DeviceService

/// Runs of an extension: time, order, and what becomes of those that misbehave (C6).
@Suite(.timeLimit(.minutes(5))) struct ExtensionRunTests {
    /// A program that runs cannot be opened for writing.
    private func isRunning(_ program: FilePath) -> Bool {
        do {
            _ = try OwnedDescriptor(program, .writeOnly)
            return false
        } catch { return true }
    }

    private func budgetLeft(_ harness: ExtensionHarness) async throws -> Duration {
        let usage = try await harness.usage.usage(ExtensionHarness.app)
        return usage.budget.remaining(usage.history, at: Timestamp.now.seconds)
    }

    @Test func overstepsTheBudgetAndIsEnded() async throws {
        try await ExtensionHarness.with { harness in
            let now = Timestamp.now.seconds
            try await harness.usage.change(ExtensionHarness.app) {
                $0.budget.spend(RuntimeBudget.most - .milliseconds(600), at: now)
            }
            let subject = try harness.probe("spin")
            let outcome = await harness.ask(subject)
            let trouble = try #require(outcome.trouble)
            #expect(trouble.contains("used up its") && trouble.contains("and was ended"), "\(trouble)")
            #expect(!isRunning(subject.executable))
            #expect(try await budgetLeft(harness) == .zero)
            let warned = try File.read(try harness.group.appending("report"))
            #expect(String(decoding: warned, as: UTF8.self) == "warned", "it was told shortly before")

            // Spent is spent: it does not even start.
            let again = await harness.ask(try harness.probe("accept"))
            #expect(again.trouble?.contains("was not run") == true)
            #expect(harness.notes.all.count == 2)

            // A simulated event gives the day back.
            try await harness.usage.change(ExtensionHarness.app) { $0.budget.reset() }
            let renewed = await harness.ask(try harness.probe("accept"))
            #expect(renewed.trouble == nil)
        }
    }

    /// What a service that is killed during a run leaves in the database.
    @Test func aRunIsCountedWholeUntilItEnds() async throws {
        try await ExtensionHarness.with { harness in
            let subject = try harness.probe("accept")
            let (hasBegun, mayEnd) = (Monitor(false), Monitor(false))
            async let outcome = harness.host.run(subject, consequence: "nothing follows") { session in
                let pack = PackDescription(id: "Pack", version: 1, downloadSize: 1, policy: .prefetch)
                _ = try session.call(ShouldDownloadRequest(assetPack: pack, event: "install"))
                hasBegun.withLock { $0 = true }
                _ = mayEnd.wait { $0 ? true : nil }
            }
            _ = try await onOwnThread { hasBegun.wait { $0 ? true : nil } }
            #expect(try await budgetLeft(harness) == RuntimeBudget.most - .seconds(30))
            mayEnd.withLock { $0 = true }
            #expect(await outcome.trouble == nil)
            #expect(try await budgetLeft(harness) > RuntimeBudget.most - .seconds(30))
        }
    }

    /// As bubblewrap does when it is killed while it makes its namespaces: a child of its own waits on, and holds all it had.
    @Test(.timeLimit(.minutes(5))) func whatAKilledSandboxLeavesIsEnded() async throws {
        try await Scratch.with { scratch in
            let fake = try scratch.write("#!/bin/sh\nsleep 1000 &\nkill -9 $$\n", to: "bwrap")
            try FileDescriptor.currentDirectory.setPermissions(FilePermissions(rawValue: 0o755), at: fake)
            let sandbox = ExtensionSandbox(program: fake)
            try await ExtensionHarness.with(sandbox: sandbox, timeLimit: .milliseconds(300)) { harness in
                let trouble = await harness.ask(try harness.probe("accept")).trouble
                #expect(trouble?.contains("took longer than") == true, "\(trouble ?? "none")")
            }
        }
    }

    /// As a service that is killed at that moment leaves it. What belongs to another service is left alone.
    @Test func whatAKilledServiceLeavesIsEnded() async throws {
        try await Scratch.with { scratch in
            let (own, other) = (scratch("own"), scratch("other"))
            let children = try [own, other].map { apps in
                try ChildProcess.spawn(
                    executable: "sleep", arguments: ["1000"],
                    environment: ["HOME": "\(apps)/org.example.game/scratch", "LARDER_EXTENSION_FD": "3"],
                    diesWithParent: true)
            }
            defer { for child in children { child.kill() } }
            #expect(SandboxLeftovers.end(below: own) == 1)
            let code = try await onOwnThread { try children[0].wait(atMost: .seconds(20)) }
            #expect(code == 137)
            #expect(try children[1].wait(atMost: .zero) == nil)
        }
    }

    @Test func dawdlesOverOneEventAndIsEnded() async throws {
        try await ExtensionHarness.with(timeLimit: .milliseconds(300)) { harness in
            let subject = try harness.probe("hang")
            let trouble = await harness.ask(subject).trouble
            #expect(trouble?.contains("took longer than") == true, "\(trouble ?? "none")")
            #expect(!isRunning(subject.executable))
            let used = RuntimeBudget.most - (try await budgetLeft(harness))
            #expect(used >= .milliseconds(300))
        }
    }

    @Test func answersAreCountedAsRunTime() async throws {
        try await ExtensionHarness.with { harness in
            let decisions = await harness.ask(try harness.probe("decline B"), packs: ["A", "B", "C"])
            #expect(decisions.declined == ["B"])
            #expect(try await budgetLeft(harness) < RuntimeBudget.most)
            #expect(harness.notes.all.isEmpty)
        }
    }

    @Test(arguments: [
        ("kill -SEGV $$", "crashed (signal 11)"), ("echo 'bad luck' >&2; exit 7", "exit code 7; it said: bad luck"),
        ("exit 0", "gave no proper answer"), ("printf 'nonsense' >&3; exec sleep 60", "gave no proper answer"),
    ]) func badEndsAreTold(script: String, words: String) async throws {
        try await ExtensionHarness.with { harness in
            let subject = try harness.subject { $0.extensionExecutable = "#!/bin/sh\n\(script)\n" }
            let trouble = await harness.ask(subject).trouble
            #expect(trouble?.contains(words) == true, "\(trouble ?? "none")")
        }
    }

    @Test func runsOfOneAppFollowEachOther() async throws {
        try await ExtensionHarness.with { harness in
            let subject = try harness.probe("accept")
            let running = Locked((now: 0, most: 0))
            await withDiscardingTaskGroup { group in
                for _ in 0..<4 {
                    group.addTask {
                        _ = await harness.host.run(subject, consequence: "nothing follows") { session in
                            running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                            _ = try session.call(
                                ShouldDownloadRequest(
                                    assetPack: PackDescription(id: "A", version: 1, downloadSize: 1, policy: .prefetch),
                                    event: "install"))
                            running.withLock { $0.now -= 1 }
                        }
                    }
                }
            }
            #expect(running.withLock { $0.most } == 1)
            #expect(harness.notes.all.isEmpty)
        }
    }

    /// Each conversation waits for parts of the service that need threads for blocking work themselves.
    @Test(.timeLimit(.minutes(3))) func manyConversationsAtOnceLeaveTheServiceItsThreads() async throws {
        let count = 80
        let arrived = Monitor(0)
        try await ExtensionHarness.with(sandbox: ExtensionSandbox(mode: .off)) { harness in
            try await withThrowingTaskGroup(of: String?.self) { group in
                for number in 0..<count {
                    let subject = try harness.subject(in: "build-\(number)") {
                        $0.identifier = "org.example.game\(number)"
                        $0.extensionExecutable = "#!/bin/sh\nread line <&3\n"
                    }
                    group.addTask {
                        await harness.host.run(subject, consequence: "nothing follows") { _ in
                            arrived.withLock { $0 += 1 }
                            arrived.wait { $0 == count ? () : nil }
                            _ = try waitFor { try? await offload {} }
                        }.trouble
                    }
                }
                for try await trouble in group { #expect(trouble == nil) }
            }
        }
    }

    @Test func whatCannotBeStartedIsTold() async throws {
        try await ExtensionHarness.with { harness in
            let subject = try harness.subject { $0.extensionExecutable = "#!/nowhere/sh\n" }
            let trouble = await harness.ask(subject).trouble
            #expect(trouble?.contains("could not be started") == true, "\(trouble ?? "none")")
        }
    }
}
