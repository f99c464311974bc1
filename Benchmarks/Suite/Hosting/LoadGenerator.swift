// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System

/// Requests that are sent over and over.
struct Load {
    /// Below the server's root, with their slash; taken in turns.
    var paths: [String]
    var headers: [String: String] = [:]
    /// Each request wants a stretch of that many bytes somewhere in the file; nil for the whole.
    var rangeLength: Int?
    /// The length of every file, for ranges.
    var fileSize = 0
    var connections = 64
}

/// What came of it.
struct LoadResult {
    var requests = 0.0
    var bytes = 0.0
    var seconds = 0.0
    /// Latencies in milliseconds.
    var median = 0.0
    var percentile99 = 0.0

    var requestsPerSecond: Double { requests / seconds }
    var bytesPerSecond: Double { bytes / seconds }
}

/// wrk, which keeps a number of connections busy.
struct LoadGenerator {
    private let scripts: FilePath
    private let threads: Int

    /// - Parameter folder: where its scripts go.
    init(folder: FilePath, threads: Int) throws {
        scripts = folder
        self.threads = threads
        try FileDescriptor.currentDirectory.makeDirectories(at: folder)
    }

    /// Keeps a server at it for some seconds. Blocks.
    /// - Throws: `BenchmarkError` when something was not answered as it should be.
    func run(_ load: Load, at url: String, seconds: Int) throws -> LoadResult {
        let script = scripts.appending("load.lua")
        try AtomicFile.write(Array(Self.script(load).utf8), to: script, durable: false)
        let result = try ChildProcess.run(
            executable: "wrk",
            arguments: [
                "--threads", "\(threads)", "--connections", "\(load.connections)", "--duration", "\(seconds)s",
                "--timeout", "30s", "--script", script.string, url,
            ], atMost: .seconds(seconds + 60))
        let lines = result.outputText.split(separator: "\n")
        guard result.exitCode == 0, let line = lines.last(where: { $0.hasPrefix("load ") }) else {
            throw BenchmarkError("wrk: \(result.errorText)\(result.outputText)")
        }
        let words = line.split(separator: " ").dropFirst().compactMap { Double($0) }
        guard words.count == 6 else { throw BenchmarkError("wrk: \(line)") }
        guard words[5] == 0, words[0] > 0 else {
            throw BenchmarkError("\(Int(words[5])) of \(Int(words[0])) requests to \(url)\(load.paths[0]) failed")
        }
        return LoadResult(
            requests: words[0], bytes: words[1], seconds: words[2] / 1e6, median: words[3] / 1e3,
            percentile99: words[4] / 1e3)
    }

    /// All requests are made beforehand; the same ones each time.
    private static func script(_ load: Load) -> String {
        let paths = load.paths.map { "\"\($0)\"" }.joined(separator: ", ")
        let headers = load.headers.sorted { $0.key < $1.key }.map { "[ [=[\($0.key)]=] ] = [=[\($0.value)]=]" }
        return """
            local paths, all, next = { \(paths) }, {}, 0
            local length, size = \(load.rangeLength ?? 0), \(load.fileSize)
            function init(args)
                math.randomseed(1)
                for number = 1, math.max(#paths, length > 0 and 4096 or 1) do
                    local headers = { \(headers.joined(separator: ", ")) }
                    if length > 0 then
                        local first = math.random(0, size - length)
                        headers["Range"] = string.format("bytes=%d-%d", first, first + length - 1)
                    end
                    all[number] = wrk.format("GET", paths[(number - 1) % #paths + 1], headers)
                end
            end
            function request()
                next = next % #all + 1
                return all[next]
            end
            function done(summary, latency)
                local errors = summary.errors
                print(string.format("load %d %d %d %f %f %d", summary.requests, summary.bytes, summary.duration,
                    latency:percentile(50), latency:percentile(99),
                    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
            end

            """
    }
}
