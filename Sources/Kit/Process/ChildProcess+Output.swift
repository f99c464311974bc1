// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import CLinux
internal import Glibc
package import System

extension ChildProcess {
    /// What a finished child left.
    package struct Output: Sendable {
        package let exitCode: Int32
        package let standardOutput: [UInt8]
        package let standardError: [UInt8]

        package var outputText: String { String(decoding: standardOutput, as: UTF8.self) }
        package var errorText: String { String(decoding: standardError, as: UTF8.self) }
    }

    /// Runs a program to its end and collects what it writes. Blocks; for an owned thread or `offload`.
    /// - Parameter limit: when it takes longer it is killed, and an error is thrown.
    /// - Throws: `KitError`, `Errno`
    package static func run(
        executable: FilePath, arguments: [String] = [], environment: [String: String]? = nil,
        workingDirectory: FilePath? = nil, standardInput: [UInt8] = [], atMost limit: Duration? = nil
    ) throws -> Output {
        let input = try Pipe()
        let output = try Pipe()
        let errors = try Pipe()
        let child = try spawn(
            executable: executable, arguments: arguments, environment: environment,
            descriptors: [0: input.reader, 1: output.writer, 2: errors.writer], workingDirectory: workingDirectory)
        input.closeReader()
        output.closeWriter()
        errors.closeWriter()
        let standardOutput = Locked<[UInt8]>([])
        let standardError = Locked<[UInt8]>([])
        let threads = [
            try WorkerThread.start(name: "child-stdin") {
                _ = try? input.writer.writeAll(standardInput)
                input.closeWriter()
            },
            try WorkerThread.start(name: "child-stdout") { collect(output.reader, standardOutput) },
            try WorkerThread.start(name: "child-stderr") { collect(errors.reader, standardError) },
        ]
        guard let code = try child.wait(atMost: limit) else {
            child.kill()
            try child.wait()
            throw KitError(.process, "\(executable) ran for more than \(limit?.formatted ?? "") and was ended.")
        }
        for thread in threads { thread.join() }
        return Output(
            exitCode: code, standardOutput: standardOutput.withLock { $0 }, standardError: standardError.withLock { $0 }
        )
    }

    private static func collect(_ reader: FileDescriptor, _ bytes: Locked<[UInt8]>) {
        withUnsafeTemporaryAllocation(byteCount: 32 << 10, alignment: 16) { buffer in
            while let count = try? reader.read(into: buffer), count > 0 {
                bytes.withLock {
                    $0.append(contentsOf: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]))
                }
            }
        }
    }
}

/// A pipe with both ends owned here until they are closed.
package final class Pipe: Sendable {
    package let reader: FileDescriptor
    package let writer: FileDescriptor
    private let open: Locked<(reader: Bool, writer: Bool)>

    /// - Throws: `Errno`
    package init() throws {
        var ends: [CInt] = [-1, -1]
        try systemCall { clinux_pipe2(&ends, 0) }
        reader = FileDescriptor(rawValue: ends[0])
        writer = FileDescriptor(rawValue: ends[1])
        open = Locked((true, true))
    }

    deinit {
        closeReader()
        closeWriter()
    }

    package func closeReader() {
        let wasOpen = open.withLock { state in
            defer { state.reader = false }
            return state.reader
        }
        if wasOpen { _ = try? reader.close() }
    }

    package func closeWriter() {
        let wasOpen = open.withLock { state in
            defer { state.writer = false }
            return state.writer
        }
        if wasOpen { _ = try? writer.close() }
    }
}
