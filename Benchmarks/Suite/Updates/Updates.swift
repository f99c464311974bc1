// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Glibc
import Kit
import System

/// An update from one version of a tree to the next: what is fetched, what it takes to make and to apply, beside the
/// programs that Debian has for it.
struct Updates: Benchmark {
    let name = "updates"
    let summary =
        "updates NAME OLD NEW PROGRAMS SCRATCH [--quick] [--peers NAME,...] [--memory DIR] [--json FILE]: an update and its peers"

    private struct Options {
        var words: [String] = []
        var isQuick = false
        var peers: [String]?
        var json: FilePath?
        var memory: FilePath?

        init(_ arguments: [String]) throws {
            var rest = arguments[...]
            while let word = rest.popFirst() {
                switch word {
                case "--quick": isQuick = true
                case "--peers": peers = try Self.value(word, &rest).split(separator: ",").map(String.init)
                case "--memory": memory = FilePath(try Self.value(word, &rest))
                case "--json": json = FilePath(try Self.value(word, &rest))
                default: words.append(word)
                }
            }
        }

        private static func value(_ name: String, _ rest: inout ArraySlice<String>) throws -> String {
            guard let value = rest.popFirst() else { throw BenchmarkError("\(name) needs a value") }
            return value
        }

        /// Without a list of names everyone, but for `--quick`.
        func wants(_ peer: any UpdatePeer) -> Bool { peers?.contains(peer.name) ?? !(isQuick && peer.isSlow) }
    }

    func run(_ arguments: [String], _ report: Report) async throws {
        let options = try Options(arguments)
        guard options.words.count == 5 else { throw BenchmarkError(summary) }
        let places = try options.words.dropFirst().map { try Self.absolute($0) }
        let (programs, folder) = (places[2], places[3])
        try FileDescriptor.currentDirectory.makeDirectories(at: folder)
        let pair = try UpdatePair(name: options.words[0], old: places[0], new: places[1], folder: folder)
        report.note("    \(pair.name): \(ByteCount.formatted(try pair.newSize)) as a tar")
        let (peers, yardstick) = try await offload {
            try UpdateContest(pair: pair, folder: folder).run(report, where: options.wants)
        }
        let larder = try await LarderContest(
            pair: pair, programs: programs, folder: folder, memory: options.memory, yardstick: yardstick
        ).run(report)
        for line in UpdateTable.lines(peers + larder.rows) { report.note("    \(line)") }
        let judge = UpdateJudge(pair: pair, peers: peers, larder: larder)
        try judge.judge(report)
        if let json = options.json { try append(try judge.json(), to: json) }
    }

    private static func absolute(_ path: String) throws -> FilePath {
        guard let resolved = realpath(path, nil) else {
            let file = FilePath(path)
            return file.isAbsolute ? file : try absolute(".").pushing(file)
        }
        defer { free(resolved) }
        return FilePath(String(cString: resolved))
    }

    /// One line a pair.
    private func append(_ record: JSONValue, to file: FilePath) throws {
        let output = try OwnedDescriptor(file, .writeOnly, options: [.create, .append], permissions: .fileDefault)
        try output.borrowed.writeAll((record.serialized() + "\n").utf8)
    }
}
