// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceSupport
import Kit
import System
import TestSupport
import Testing

/// `package` that is stopped half-way leaves nothing behind, whichever way it is stopped.
@Suite struct InterruptedPackagingTests {
    /// A signal and the exit code that it makes.
    @Test(arguments: [(1, 129), (2, 130), (15, 143), (9, 137)] as [(Int32, Int32)])
    func leavesNothing(_ signal: Int32, _ code: Int32) async throws {
        try await Scratch.with { scratch in
            try scratch.write(
                """
                {"assetPackID": "Big", "downloadPolicy": {"onDemand": {}}, "sourceRoot": ".",
                 "fileSelectors": [{"file": "big"}]}
                """, to: "Big.json")
            // Sparse, and far more than can be packed before the signal comes.
            let big = OwnedDescriptor(
                try FileDescriptor.open(scratch("big"), .writeOnly, options: .create, permissions: .fileDefault))
            _ = try [UInt8(0)].withUnsafeBytes { try big.borrowed.write(toAbsoluteOffset: 1 << 36, $0) }
            let before = try scratch.tree()
            let program = try RunningProgram(
                "larder", ["package", scratch("Big.json").string, "-o", scratch("Big.aar").string], environment: [:])
            scratch.addCleanup { program.process.kill() }
            try await waitForOutput(of: program, below: scratch.path)
            program.process.send(signal: signal)
            #expect(try await program.end() == code, "\(program.errorText)")
            #expect(try scratch.tree() == before)
        }
    }

    /// An archive that comes through a pipe whose writer falls silent: the read cannot be cancelled.
    @Test func extractingFromASilentPipeLeavesNothing() async throws {
        try await Scratch.with { scratch in
            try scratch.write(String(repeating: "level ", count: 50_000), to: "folder/file")
            let program = try Binaries.path("larder")
            let words = ["archive", "folder", "-o", "Whole.aar", "--compression", "none"]
            let path = scratch.path
            let made = try await offload {
                try ChildProcess.run(
                    executable: program, arguments: words, environment: Binaries.hermeticEnvironment,
                    workingDirectory: path)
            }
            try #require(made.exitCode == 0, "\(made.errorText)")
            let before = try scratch.tree()
            let pipe = try Pipe()
            // Less than a pipe holds, so that this does not wait for the reader.
            try pipe.writer.writeAll(File.read(scratch("Whole.aar")).prefix(20_000))
            let extraction = try RunningProgram(
                "larder", ["extract", "/dev/fd/3", "-o", scratch("out").string], environment: [:],
                descriptors: [3: pipe.reader])
            scratch.addCleanup { extraction.process.kill() }
            try await waitForFolder(of: extraction, below: scratch.path)
            extraction.process.send(signal: Signals.interrupt)
            #expect(try await extraction.end() == 130, "\(extraction.errorText)")
            #expect(try scratch.tree() == before)
            #expect(try hiddenNames(below: scratch.path).isEmpty)
            withExtendedLifetime(pipe) {}
        }
    }

    private func hiddenNames(below folder: FilePath) throws -> [String] {
        try FileDescriptor.currentDirectory.entries(at: folder).map(\.name).filter { $0.hasPrefix(".") }
    }

    /// Until the program has begun to unpack.
    private func waitForFolder(of program: RunningProgram, below folder: FilePath) async throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < deadline {
            if try !hiddenNames(below: folder).isEmpty { return }
            try await Task.sleep(for: .milliseconds(1))
        }
        throw TestFailure("The program began no folder.\n\(program.errorText)")
    }

    @Test func aLimitOnTheSizeOfFilesIsAnError() async throws {
        try await Scratch.with { scratch in
            try scratch.write(
                """
                {"assetPackID": "Big", "downloadPolicy": {"onDemand": {}}, "sourceRoot": ".",
                 "fileSelectors": [{"file": "big"}]}
                """, to: "Big.json")
            try scratch.write([UInt8](repeating: 7, count: 200_000), to: "big")
            let before = try scratch.tree()
            let program = try Binaries.path("larder")
            let path = scratch.path
            let result = try await offload {
                try ChildProcess.run(
                    executable: "/bin/sh",
                    arguments: [
                        "-c", "ulimit -f 32; exec '\(program)' package Big.json -o Big.aar --compression none",
                    ],
                    environment: Binaries.hermeticEnvironment, workingDirectory: path)
            }
            #expect(result.exitCode == 5, "\(result.errorText)")
            #expect(result.errorText.contains("\"Big.aar\" would be larger than"))
            #expect(try scratch.tree() == before)
        }
    }

    /// Until the program has a file of the folder open for writing, named or not.
    private func waitForOutput(of program: RunningProgram, below folder: FilePath) async throws {
        let descriptors = FilePath("/proc/\(program.processID)/fd")
        let deadline = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < deadline {
            let names = (try? FileDescriptor.currentDirectory.entries(at: descriptors)) ?? []
            for entry in names {
                let target = try? FileDescriptor.currentDirectory.readLink(at: descriptors.appending(entry.name))
                if let target, target.hasPrefix(folder.string),
                    target.hasSuffix("(deleted)") || target.hasSuffix(".tmp")
                {
                    return
                }
            }
            try await Task.sleep(for: .milliseconds(1))
        }
        throw TestFailure("The program opened no output.\n\(program.errorText)")
    }
}
