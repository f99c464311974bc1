// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import System

/// What a command may know of and do to the world around it. Tests make their own.
package struct CommandContext: Sendable {
    /// The name the program was called by.
    package var programName: String
    package var environment: [String: String]
    package var workingDirectory: FilePath
    package var standardOutput: any TextSink
    package var standardError: any TextSink
    /// Whether a person sees standard error at a terminal, so that a progress bar makes sense.
    package var isTerminal: Bool
    /// Whether `--json` was given.
    package var json: Bool

    package init(
        programName: String = "larder", environment: [String: String] = Environment.current,
        workingDirectory: FilePath = ".", standardOutput: any TextSink = DescriptorSink(.standardOutput),
        standardError: any TextSink = DescriptorSink(.standardError), isTerminal: Bool = false, json: Bool = false
    ) {
        self.programName = programName
        self.environment = environment
        self.workingDirectory = workingDirectory
        self.standardOutput = standardOutput
        self.standardError = standardError
        self.isTerminal = isTerminal
        self.json = json
    }

    /// Writes a line of results.
    package func print(_ line: String = "") { standardOutput.write(line + "\n") }

    /// Writes a line for the person: progress, warnings, hints.
    package func note(_ line: String) { standardError.write(line + "\n") }

    /// Writes one line of JSON results.
    package func print(json value: JSONValue) { standardOutput.write(value.serialized() + "\n") }

    /// A path as the person meant it: relative to the working directory.
    package func resolve(_ path: String) -> FilePath { resolve(FilePath(path)) }

    package func resolve(_ path: FilePath) -> FilePath {
        workingDirectory == "." ? path : workingDirectory.pushing(path)
    }
}

/// Where text goes.
package protocol TextSink: Sendable {
    func write(_ text: String)
    /// Why text was lost that should have been read; nil when all of it was written, or nobody reads any more.
    var failure: Errno? { get }
}

extension TextSink {
    package var failure: Errno? { nil }
}

/// Text to an open file. What cannot be written is dropped; `failure` tells of it, unless it is a closed pipe.
package final class DescriptorSink: TextSink {
    private let descriptor: FileDescriptor
    private let firstFailure = Locked<Errno?>(nil)

    package init(_ descriptor: FileDescriptor) { self.descriptor = descriptor }

    package func write(_ text: String) {
        do {
            _ = try descriptor.writeAll(text.utf8)
        } catch let error as Errno {
            if error != .brokenPipe { firstFailure.withLock { $0 = $0 ?? error } }
        } catch {}
    }

    package var failure: Errno? { firstFailure.withLock { $0 } }
}

/// Text kept in memory.
package final class BufferSink: TextSink {
    private let buffer = Locked("")

    package init() {}

    package func write(_ text: String) { buffer.withLock { $0 += text } }

    package var text: String { buffer.withLock { $0 } }
}
