// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import HTTP
import Kit
import System
import TestSupport
import Testing

@testable import DeviceService

/// What an extension can reach (C6). Each thing it must not be able to do is also tried without the sandbox, where it works:
/// a probe that always failed would prove nothing.
@Suite(.timeLimit(.minutes(5))) struct SandboxTests {
    private static let modes: [ExtensionSandbox.Mode] = [.required, .off]

    /// Runs a probe and checks that it succeeds outside the sandbox and fails inside.
    private func expectConfined(
        _ mode: ExtensionSandbox.Mode, _ harness: ExtensionHarness, _ words: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let report = try await harness.report(words.joined(separator: " "))
        #expect(
            report.hasPrefix(mode == .required ? "failed" : "done"), "\(words) in mode \(mode): \(report)",
            sourceLocation: sourceLocation)
    }

    @Test(arguments: modes) func noNetwork(_ mode: ExtensionSandbox.Mode) async throws {
        let server = try HTTPServer(HTTPServerConfiguration(host: "127.0.0.1", port: 0)) { _ in
            HTTPServerResponse(status: 200)
        }
        defer { server.stop() }
        try await ExtensionHarness.with(sandbox: ExtensionSandbox(mode: mode)) { harness in
            try await expectConfined(mode, harness, "connect", "\(server.port)")
        }
    }

    @Test(arguments: modes) func noSocketsOfTheMachine(_ mode: ExtensionSandbox.Mode) async throws {
        try await ExtensionHarness.with(sandbox: ExtensionSandbox(mode: mode)) { harness in
            try harness.paths.prepareRuntime()
            let listener = try UnixListener(path: harness.paths.socket)
            defer { listener.close() }
            try await expectConfined(mode, harness, "socket", harness.paths.socket.string)
        }
    }

    @Test(arguments: modes) func noHomeFolder(_ mode: ExtensionSandbox.Mode) async throws {
        try await ExtensionHarness.with(sandbox: ExtensionSandbox(mode: mode)) { harness in
            let secret = try harness.scratch.write("secret", to: "home/secret")
            try await expectConfined(mode, harness, "read", secret.string)
            try await expectConfined(mode, harness, "list", secret.removingLastComponent().string)
            try await expectConfined(mode, harness, "read", "/etc/hostname")
            try await expectConfined(mode, harness, "read", harness.paths.database.string)
        }
    }

    @Test(arguments: modes) func noGroupOfOthers(_ mode: ExtensionSandbox.Mode) async throws {
        try await ExtensionHarness.with(sandbox: ExtensionSandbox(mode: mode)) { harness in
            let other = try #require(harness.paths.groupFolder("group.org.example.other"))
            try FileDescriptor.currentDirectory.makeDirectories(at: other)
            try AtomicFile.write("theirs".utf8, to: other.appending("file"), durable: false)
            try await expectConfined(mode, harness, "read", other.appending("file").string)
            try await expectConfined(mode, harness, "write", other.appending("mine").string)
            let groups = try await harness.report("list", other.removingLastComponent().string)
            #expect(groups.contains("other") == (mode == .off), "\(groups)")
        }
    }

    @Test(arguments: modes) func noOtherProcesses(_ mode: ExtensionSandbox.Mode) async throws {
        try await ExtensionHarness.with(sandbox: ExtensionSandbox(mode: mode)) { harness in
            try await expectConfined(mode, harness, "signal", "\(CurrentProcess.identifier)")
            let count = try await harness.report("processes")
            // Itself and the one that bubblewrap leaves to collect what ends.
            #expect((count == "done 2") == (mode == .required), "\(count)")
        }
    }

    @Test(arguments: modes) func noProcessesOfItsOwn(_ mode: ExtensionSandbox.Mode) async throws {
        try await ExtensionHarness.with(sandbox: ExtensionSandbox(mode: mode)) { harness in
            try await expectConfined(mode, harness, "start", "20")
        }
    }

    @Test(arguments: modes) func nothingIsWrittenElsewhere(_ mode: ExtensionSandbox.Mode) async throws {
        try await ExtensionHarness.with(sandbox: ExtensionSandbox(mode: mode)) { harness in
            let bundle = try harness.subject().bundle.appending("new")
            try await expectConfined(mode, harness, "write", bundle.string)
            // Its `/tmp` is its own, so this one may seem to work.
            _ = try await harness.report("write", harness.scratch("new").string)
            #expect(FileDescriptor.currentDirectory.exists(at: harness.scratch("new")) == (mode == .off))
        }
    }

    @Test func itsOwnPlacesAreThere() async throws {
        try await ExtensionHarness.with { harness in
            let subject = try harness.subject()
            #expect(
                try await harness.report("read", subject.bundle.appending("Info.plist").string).contains("CFBundle"))
            let scratch = subject.scratch.appending("file").string
            #expect(try await harness.report("write", scratch) == "done")
            #expect(!FileDescriptor.currentDirectory.exists(at: subject.scratch), "scratch goes with the run")
            let group = try harness.group
            #expect(try await harness.report("write", group.appending("kept").string) == "done")
            #expect(FileDescriptor.currentDirectory.exists(at: group.appending("kept")), "the group's folder stays")
            #expect(try await harness.report("move", "\(group)/kept", "\(group)/moved") == "done")
            #expect(try await harness.report("write", "/tmp/file") == "done")
            #expect(!FileDescriptor.currentDirectory.exists(at: "/tmp/file"), "it is not the machine's")
        }
    }

    @Test func theEnvironmentIsClean() async throws {
        try await ExtensionHarness.with { harness in
            let names = try await harness.report("environment").split(separator: " ").dropFirst().map(String.init)
            #expect(
                Set(names) == [
                    "HOME", "LANG", "LARDER_APP_GROUP_FOLDER", "LARDER_BUNDLE_ID", "PATH", "PWD", "TMPDIR",
                ], "\(names)")
        }
    }

    /// 256 MiB of its own memory, however it is asked for; files that are mapped do not count.
    @Test func memoryIsBounded() async throws {
        try await ExtensionHarness.with { harness in
            #expect(try await harness.report("memory", "100") == "done")
            #expect(try await harness.report("memory", "300").hasPrefix("failed"))
            #expect(try await harness.report("sharedMemory", "1").hasPrefix("failed"))
            let file = try harness.group.appending("large")
            try FileDescriptor.currentDirectory.makeDirectories(at: harness.group)
            let large = try OwnedDescriptor(file, .writeOnly, options: .create, permissions: .ownerReadWrite)
            try large.borrowed.resize(to: 400 << 20)
            try large.close()
            #expect(try await harness.report("map", file.string) == "done \(400 << 20)")
        }
        try await ExtensionHarness.with(sandbox: ExtensionSandbox(mode: .off)) { harness in
            let report = try await harness.report("sharedMemory", "1")
            #expect(report == "done")
        }
    }

    @Test func runningOutOfMemoryIsTold() async throws {
        try await ExtensionHarness.with { harness in
            let trouble = try await harness.report("grow", "400")
            #expect(trouble.contains("crashed") && trouble.contains("256"), "\(trouble)")
            #expect(harness.notes.all.map(\.message) == [trouble])
        }
    }

    @Test func withoutBubblewrapNoExtensionRuns() async throws {
        try await ExtensionHarness.with(sandbox: ExtensionSandbox(program: "/nowhere/bwrap")) { harness in
            let trouble = try await harness.report("environment")
            #expect(trouble.contains("bubblewrap") && trouble.contains("not installed"), "\(trouble)")
            let report = try harness.group.appending("report")
            #expect(!FileDescriptor.currentDirectory.exists(at: report))
            #expect(harness.host.sandbox().trouble()?.advice.contains("apt install bubblewrap") == true)
        }
    }

    @Test func bubblewrapThatMayNotWorkIsTold() async throws {
        try await Scratch.with { scratch in
            let fake = try scratch.write("#!/bin/sh\necho 'bwrap: No permissions' >&2\nexit 1\n", to: "bwrap")
            try FileDescriptor.currentDirectory.setPermissions(FilePermissions(rawValue: 0o755), at: fake)
            try await ExtensionHarness.with(sandbox: ExtensionSandbox(program: fake)) { harness in
                let trouble = try await harness.report("environment")
                #expect(trouble.contains("could not be started: bwrap: No permissions"), "\(trouble)")
                #expect(harness.host.sandbox().trouble()?.message.contains("No permissions") == true)
            }
        }
    }

    @Test func theMachineIsFit() { #expect(ExtensionSandbox().trouble() == nil) }
}
