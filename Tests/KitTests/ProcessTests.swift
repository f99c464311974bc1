// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System
import TestSupport
import Testing

@Suite("Child processes")
struct ProcessTests {
    @Test("Output, errors, input and exit code come through, more than a pipe holds too")
    func collects() async throws {
        var generator = SeededGenerator.forTest()
        let input = generator.bytes(300_000)
        let output = try await onOwnThread {
            try ChildProcess.run(
                executable: "sh", arguments: ["-c", "cat; echo oops >&2; exit 7"], standardInput: input)
        }
        #expect(output.standardOutput == input)
        #expect(output.errorText == "oops\n")
        #expect(output.exitCode == 7)
    }

    @Test("A program that is not there is an error with its cause, and leaves no child")
    func missing() throws {
        let error = try #require(throws: KitError.self) { try ChildProcess.spawn(executable: "/nowhere/at-all") }
        #expect(error.cause as? Errno == .noSuchFileOrDirectory)
        #expect(error.message.contains("/nowhere/at-all"))
    }

    @Test("A child gets the descriptors it is given, even crossed over, and no others")
    func descriptors() async throws {
        let (left, right) = (try Pipe(), try Pipe())
        // 5 and 6 may be the very numbers the pipes have here: crossing them is what must not lose one.
        let child = try ChildProcess.spawn(
            executable: "/bin/sh", arguments: ["-c", "echo left >&6; echo right >&5; ls /proc/self/fd >&6"],
            descriptors: [6: left.writer, 5: right.writer])
        left.closeWriter()
        right.closeWriter()
        try await onOwnThread {
            #expect(try child.wait() == 0)
            let text = String(decoding: try left.reader.readAll(), as: UTF8.self)
            let lines = text.split(separator: "\n")
            #expect(lines.first == "left")
            // The fourth above the three standard ones and 5, 6 is ls's own, open on the folder.
            #expect(Set(lines.dropFirst()).isSubset(of: ["0", "1", "2", "3", "4", "5", "6"]))
            #expect(lines.count <= 7)
            #expect(try right.reader.readAll() == Array("right\n".utf8))
        }
    }

    @Test("Waiting has a limit; a child that ignores SIGTERM is killed; the outcome stays")
    func stops() async throws {
        let ready = try Pipe()
        let child = try ChildProcess.spawn(
            executable: "/bin/sh", arguments: ["-c", "trap '' TERM; echo ready; exec sleep 60"],
            descriptors: [1: ready.writer])
        ready.closeWriter()
        try await onOwnThread {
            _ = try withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) { try ready.reader.read(into: $0) }
            #expect(try child.wait(atMost: .milliseconds(1)) == nil)
            #expect(try child.stop(grace: .milliseconds(50)) == 128 + 9)
            #expect(try child.wait() == 128 + 9)
            child.terminate()
        }
    }

    @Test("A child starts with default signals, whatever the parent ignores")
    func signals() async throws {
        Signals.ignoreBrokenPipes()
        let output = try await onOwnThread {
            try ChildProcess.run(executable: "/bin/sh", arguments: ["-c", "grep SigIgn /proc/self/status"])
        }
        let digits = output.outputText.split { $0 == "\t" || $0 == "\n" }.last.map(String.init) ?? ""
        let ignored = try #require(UInt64(digits, radix: 16))
        // Signals 32 and 33 are the C library's own, out of reach.
        #expect(ignored & 0x7FFF_FFFF == 0)
    }

    @Test("A run that takes too long is ended and reported")
    func timesOut() async throws {
        let error = await #expect(throws: KitError.self) {
            try await onOwnThread {
                try ChildProcess.run(executable: "sleep", arguments: ["60"], atMost: .milliseconds(50))
            }
        }
        #expect(error?.message.contains("sleep") == true)
    }

    @Test("Programs are found in the PATH, executables only")
    func findsExecutables() throws {
        try Scratch.with { scratch in
            try scratch.write("x", to: "one/tool")
            let second = try scratch.write("x", to: "two/tool")
            try FileDescriptor.currentDirectory.setPermissions(.ownerReadWriteExecute, at: second)
            let path = "\(scratch("one")):\(scratch("two"))"
            #expect(Environment.findExecutable("tool", ["PATH": path]) == second)
            #expect(Environment.findExecutable("none", ["PATH": path]) == nil)
        }
    }

    @Test("The environment and the working folder are what was asked for")
    func environment() async throws {
        try await Scratch.with { scratch in
            let folder = scratch.path
            let output = try await onOwnThread {
                try ChildProcess.run(
                    executable: "/bin/sh", arguments: ["-c", "echo $A-$HOME-; pwd -P"], environment: ["A": "1"],
                    workingDirectory: folder)
            }
            #expect(output.outputText.hasPrefix("1--\n"))
            #expect(output.outputText.contains(folder.lastComponent?.string ?? "?"))
        }
    }

    @Test("A child's limits are those that it was given")
    func limits() async throws {
        let text = try await onOwnThread {
            let output = try Pipe()
            let child = try ChildProcess.spawn(
                executable: "/bin/sh", arguments: ["-c", "ulimit -d; ulimit -c; ulimit -n"],
                descriptors: [1: output.writer],
                limits: [
                    ResourceLimit(.privateMemory, 100 << 20), ResourceLimit(.coreFile, 0),
                    ResourceLimit(.openFiles, 64),
                ])
            output.closeWriter()
            try child.wait()
            return String(decoding: try output.reader.readAll(), as: UTF8.self)
        }
        #expect(text == "\(100 << 10)\n0\n64\n")
    }

    @Test("What a child writes is kept up to a size, and it is told when there is no more room", arguments: [3, 100])
    func capturedText(words: Int) async throws {
        let (code, text) = try await onOwnThread {
            let captured = try CapturedText(limit: 64)
            let child = try ChildProcess.spawn(
                executable: "/bin/sh",
                arguments: ["-c", "i=0; while [ $i -lt \(words) ]; do echo word >&2 || exit 9; i=$((i+1)); done"],
                descriptors: [2: captured.descriptor])
            return (try child.wait(), captured.text)
        }
        #expect(code == (words == 3 ? 0 : 9))
        #expect(text.hasPrefix("word\nword\nword"))
        #expect(text.utf8.count == (words == 3 ? 14 : 59))
    }
}
