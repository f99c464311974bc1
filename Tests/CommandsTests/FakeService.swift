// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Commands
import Kit
import System
import TestSupport

/// A device service on a real socket that answers from a script and remembers what it was asked.
final class FakeService: Sendable {
    enum Answer: Sendable {
        case result(JSONValue)
        case error(code: String, message: String)
        /// Events, then the end.
        case events([JSONValue])
        /// Events, then the connection breaks off.
        case eventsAndDeath([JSONValue])
    }

    private let listener: UnixListener
    private let asked = Locked<[JSONValue]>([])

    init(home: FilePath, answer: @escaping @Sendable (String, JSONValue) -> Answer) throws {
        let paths = try LarderPaths(environment: ["LARDER_HOME": home.string])
        try paths.prepareRuntime()
        listener = try UnixListener(path: paths.socket)
        let (listener, asked) = (listener, asked)
        try WorkerThread.start(name: "fake-service") {
            while let socket = try? listener.accept() {
                let channel = FrameChannel(socket)
                _ = try? WorkerThread.start(name: "fake-connection") { Self.serve(channel, asked, answer) }
            }
        }
    }

    /// Runs `body` with a service in a home of its own.
    static func with(
        _ answer: @escaping @Sendable (String, JSONValue) -> Answer,
        _ body: (FakeService, Scratch) async throws -> Void
    ) async throws {
        try await Scratch.with { scratch in
            let service = try FakeService(home: scratch.path, answer: answer)
            scratch.addCleanup { service.close() }
            try await body(service, scratch)
        }
    }

    /// The requests so far, without the greetings.
    var requests: [JSONValue] { asked.withLock { $0 } }

    func close() { listener.close() }

    private static func serve(
        _ channel: FrameChannel, _ asked: Locked<[JSONValue]>, _ answer: (String, JSONValue) -> Answer
    ) {
        while let message = try? channel.receive(), let request = try? JSONParser.parse(message).value {
            guard let method = request["method"]?.stringValue, let id = request["id"] else { continue }
            var replies: [JSONValue] = []
            if method == "hello" {
                replies = [["id": id, "result": ["protocol": 1, "version": "test", "processID": 1]]]
            } else {
                asked.withLock { $0.append(["method": .string(method), "params": request["params"] ?? nil]) }
                switch answer(method, request["params"] ?? nil) {
                case .result(let value): replies = [["id": id, "result": value]]
                case .error(let code, let message):
                    replies = [["id": id, "error": ["code": .string(code), "message": .string(message)]]]
                case .eventsAndDeath(let events):
                    for event in events {
                        let message: JSONValue = ["stream": id, "event": event]
                        _ = try? channel.send(Array(message.serialized().utf8))
                    }
                    return channel.close()
                case .events(let events):
                    replies = events.map { ["stream": id, "event": $0] } + [["stream": id, "end": [:]]]
                }
            }
            for reply in replies { _ = try? channel.send(Array(reply.serialized().utf8)) }
        }
    }
}

/// A command's exit code and what it wrote.
struct CommandOutcome: Equatable {
    let code: ExitCode
    let output: String
    let errors: String
}

/// Runs a command line in this process.
func larder(
    _ words: String..., home: FilePath, program: String = "larder", environment: [String: String] = [:]
) async -> CommandOutcome {
    await larder(words, home: home, program: program, environment: environment)
}

func larder(
    _ words: [String], home: FilePath, program: String = "larder", environment: [String: String] = [:]
) async -> CommandOutcome {
    let (output, errors) = (BufferSink(), BufferSink())
    let context = CommandContext(
        programName: program, environment: environment.merging(["LARDER_HOME": home.string]) { $1 },
        standardOutput: output, standardError: errors)
    let runner = CommandRunner(root: CommandTrees.tree(for: program), version: "1.2.3")
    let code = await runner.run(words, context: context)
    return CommandOutcome(code: code, output: output.text, errors: errors.text)
}
