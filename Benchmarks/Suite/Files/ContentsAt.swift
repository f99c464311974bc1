// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import BackgroundAssets
import Glibc
import Kit
import System

/// `contents(at:)`: against the bare calls that map a file, and in a namespace of a million paths against one of a hundred.
struct ContentsAt: Benchmark {
    let name = "contents-at"
    let summary = "[--rounds N]: contents(at:) over open+fstat+mmap+munmap+close; 1,000,000 paths over 100"

    func run(_ arguments: [String], _ report: Report) throws {
        var rounds = 21
        if let index = arguments.firstIndex(of: "--rounds") {
            guard arguments.indices.contains(index + 1), let value = Int(arguments[index + 1]), value > 0 else {
                throw BenchmarkError("--rounds needs a number above 0")
            }
            rounds = value
        }
        let scratch = try TemporaryDirectory(prefix: "larder-bench")
        let few = try NamespaceTree(in: scratch.path.appending("few"), paths: 100, files: 100, size: 4096)
        try againstBareCalls("contents-at / bare calls", few, rounds, .atMost(1.25), report)

        let many = try NamespaceTree(in: scratch.path.appending("many"), paths: 1_000_000, files: 100, size: 4096)
        let turns = 200
        let times = try Report.compare(
            rounds: rounds, { try read(many, turns: turns) }, { try read(few, turns: turns) })
        report.ratio(
            "contents-at 1,000,000 paths / 100 paths", zip(times.ours, times.reference).map { $0 / $1 }, .atMost(1.15),
            detail: detail(times, calls: turns * 100))

        // Files all over the namespace, so that neither its table nor the kernel's is warm in the caches.
        let spread = try NamespaceTree(
            in: scratch.path.appending("spread"), paths: 1_000_000, files: 20_000, size: 4096)
        try againstBareCalls(
            "contents-at / bare calls, 20,000 files among 1,000,000 paths", spread, max(rounds / 3, 1), .atMost(1.25),
            report)
    }

    private func againstBareCalls(
        _ name: String, _ tree: NamespaceTree, _ rounds: Int, _ bound: Report.Bound, _ report: Report
    ) throws {
        let turns = max(20_000 / tree.files.count, 1)
        var ours: [Double] = []
        var reference: [Double] = []
        for round in 0...rounds {
            let first = try Report.time { try read(tree, turns: turns) }
            let second = try Report.time { try readBare(tree, turns: turns) }
            guard round > 0 else { continue }
            ours.append(first)
            reference.append(second)
        }
        report.ratio(
            name, zip(ours, reference).map { $0 / $1 }, bound,
            detail: detail((ours, reference), calls: turns * tree.files.count))
    }

    private func detail(_ times: (ours: [Double], reference: [Double]), calls: Int) -> String {
        func microseconds(_ values: [Double]) -> String { Report.rounded(Report.median(values) / Double(calls) * 1e6) }
        return "\(microseconds(times.ours)) µs against \(microseconds(times.reference)) µs a call"
    }

    private func read(_ tree: NamespaceTree, turns: Int) throws {
        for _ in 0..<turns {
            for file in tree.files {
                let data = try tree.manager.contents(at: file.app)
                guard data.count == 4096 else { throw BenchmarkError("\(file.app) is short") }
            }
        }
    }

    private func readBare(_ tree: NamespaceTree, turns: Int) throws {
        for _ in 0..<turns {
            for file in tree.files {
                let number = file.kernel.withPlatformString { open($0, O_RDONLY | O_CLOEXEC) }
                var status = stat()
                guard number >= 0, fstat(number, &status) == 0 else {
                    throw BenchmarkError("cannot open \(file.kernel)")
                }
                let start = mmap(nil, Int(status.st_size), PROT_READ, MAP_PRIVATE, number, 0)
                guard let start, start != MAP_FAILED, munmap(start, Int(status.st_size)) == 0 else {
                    throw BenchmarkError("cannot map \(file.kernel)")
                }
                close(number)
            }
        }
    }
}
