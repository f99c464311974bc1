// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceSupport
import Kit
import System
import TestSupport
import Testing

/// `ba-serve`, which serves other packs, and misbehaves in other ways, after it was started again at its port.
final class ServeProgram: Sendable {
    /// A line of its log.
    struct Answer: Sendable {
        let path: String
        let range: String?
        let status: Int64
        /// Of the body, as far as they were sent.
        let bytes: Int64
    }

    let url: String
    let authority: String
    private let port: Int64
    private let environment: [String: String]
    private let program: Locked<RunningProgram>

    init(_ packs: [SamplePack], faults: [String] = [], _ bench: Bench) async throws {
        environment = bench.device.environment
        let first = try Self.start(packs, faults, port: 0, environment)
        program = Locked(first)
        bench.scratch.addCleanup { [program] in
            let last = program.withLock { $0 }
            last.process.kill()
            _ = try? last.process.wait()
        }
        let listening = try JSONParser.parse(try await first.line { $0.contains("listening") }).value
        url = try #require(listening["url"]?.stringValue)
        port = try #require(listening["port"]?.integerValue)
        authority = try #require(listening["authority"]?.stringValue)
    }

    private static func start(
        _ packs: [SamplePack], _ faults: [String], port: Int64, _ environment: [String: String]
    ) throws -> RunningProgram {
        let versions = packs.map { "\($0.version)" }.joined(separator: ",")
        return try RunningProgram(
            "larder",
            ["serve", "--json", "--verbose", "--port", "\(port)", "--asset-pack-versions", versions]
                + faults.flatMap { ["--fault", $0] } + packs.flatMap { ["--asset-pack", $0.archive.string] },
            environment: environment)
    }

    /// - Returns: what it answered before.
    @discardableResult
    func again(_ packs: [SamplePack], faults: [String] = []) async throws -> [Answer] {
        let answers = try await end()
        let next = try Self.start(packs, faults, port: port, environment)
        program.withLock { $0 = next }
        _ = try await next.line { $0.contains("listening") }
        return answers
    }

    /// - Returns: what it answered since its last start.
    func end() async throws -> [Answer] {
        let last = program.withLock { $0 }
        last.process.terminate()
        try await last.end()
        return last.lines.compactMap { line in
            guard let value = try? JSONParser.parse(line).value, value["event"]?.stringValue == "request",
                let path = value["path"]?.stringValue, let status = value["status"]?.integerValue,
                let bytes = value["bytes"]?.integerValue
            else { return nil }
            return Answer(path: path, range: value["range"]?.stringValue, status: status, bytes: bytes)
        }
    }
}

extension [ServeProgram.Answer] {
    /// Bytes sent of a pack's archive (""), or of what lies beside it (".index").
    func bytes(_ suffix: String) -> Int64 {
        filter { $0.path == "/assets/\(PackSeries.id)\(suffix)" }.reduce(0) { $0 + $1.bytes }
    }
}
