// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit
package import System
import TestSupport

/// A program of the build that runs beside the test: its lines are waited for, never slept for.
package final class RunningProgram: Sendable {
    private struct Output {
        var lines: [String] = []
        var errors = ""
        var ended = false
        var errorsEnded = false
    }

    package let process: ChildProcess
    private let name: String
    private let input: Pipe
    private let output = Monitor(Output())

    /// - Parameters:
    ///   - program: a product's name, or a path.
    ///   - descriptors: given to the program beside the three standard ones.
    package init(
        _ program: String, _ arguments: [String] = [], environment: [String: String],
        descriptors: [Int32: FileDescriptor] = [:]
    ) throws {
        name = program
        input = try Pipe()
        let standardOutput = try Pipe()
        let standardError = try Pipe()
        let executable = program.contains("/") ? FilePath(program) : try Binaries.path(program)
        process = try ChildProcess.spawn(
            executable: executable, arguments: arguments,
            environment: Binaries.hermeticEnvironment.merging(environment) { $1 },
            descriptors: descriptors.merging(
                [0: input.reader, 1: standardOutput.writer, 2: standardError.writer]) { $1 })
        input.closeReader()
        standardOutput.closeWriter()
        standardError.closeWriter()
        let output = output
        try WorkerThread.start(name: "lines") {
            Self.read(standardOutput.reader) { line in output.withLock { $0.lines.append(line) } }
            output.withLock { $0.ended = true }
            standardOutput.closeReader()
        }
        try WorkerThread.start(name: "errors") {
            Self.read(standardError.reader) { line in output.withLock { $0.errors += line + "\n" } }
            output.withLock { $0.errorsEnded = true }
            standardError.closeReader()
        }
    }

    package var processID: Int32 { process.processID }
    package var errorText: String { output.withLock { $0.errors } }
    package var lines: [String] { output.withLock { $0.lines } }

    /// The first line from `start` on for which `matches` holds. Blocks; throws when the program ends or takes too long.
    package func line(
        from start: Int = 0, atMost limit: Duration = .seconds(60), where matches: @escaping @Sendable (String) -> Bool
    ) async throws -> String {
        let output = output
        let found = try await onOwnThread {
            output.wait(atMost: limit) { state -> String?? in
                if let line = state.lines.dropFirst(start).first(where: matches) { return .some(line) }
                return state.ended ? .some(nil) : nil
            }
        }
        if let found, let line = found { return line }
        let state = output.withLock { $0 }
        throw TestFailure(
            "\(name) \(found == nil ? "did not print" : "ended before it printed") the expected line."
                + "\n--- output\n\(state.lines.joined(separator: "\n"))\n--- errors\n\(state.errors)")
    }

    /// Sends one line and returns the answer, the next line that begins with `ok` or `error`.
    package func ask(_ line: String, atMost limit: Duration = .seconds(60)) async throws -> String {
        let start = output.withLock { $0.lines.count }
        try input.writer.writeAll((line + "\n").utf8)
        return try await self.line(from: start, atMost: limit) { $0.hasPrefix("ok") || $0.hasPrefix("error") }
    }

    /// Sends one line and does not wait.
    package func tell(_ line: String) throws { try input.writer.writeAll((line + "\n").utf8) }

    package func closeInput() { input.closeWriter() }

    /// Waits for the end and for what was written before it, and returns the exit code.
    @discardableResult
    package func end(atMost limit: Duration = .seconds(60)) async throws -> Int32 {
        let (process, output) = (process, output)
        let ended = try await onOwnThread { () -> Int32? in
            guard let code = try process.wait(atMost: limit) else { return nil }
            // A program that outlives this one, which started it, may hold its output open.
            _ = output.wait(atMost: .seconds(5)) { $0.ended && $0.errorsEnded ? true : nil }
            return code
        }
        guard let code = ended else {
            throw TestFailure("\(name) still runs after \(limit).\n\(errorText)")
        }
        return code
    }

    /// SIGKILL, and waits until it is gone.
    package func kill() async throws {
        process.kill()
        try await end()
    }

    private static func read(_ reader: FileDescriptor, _ deliver: (String) -> Void) {
        var pending: [UInt8] = []
        withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 16) { buffer in
            while let count = try? reader.read(into: buffer), count > 0 {
                pending.append(contentsOf: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]))
                while let newline = pending.firstIndex(of: 0x0A) {
                    deliver(String(decoding: pending[..<newline], as: UTF8.self))
                    pending.removeFirst(newline + 1)
                }
            }
        }
        if !pending.isEmpty { deliver(String(decoding: pending, as: UTF8.self)) }
    }
}

/// What a helper of the tests could not do, with all that may explain it.
package struct TestFailure: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}
