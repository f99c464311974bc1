// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// One benchmark: it compares what Larder does with a known measure, in the same run on the same machine.
protocol Benchmark: Sendable {
    /// The word that runs it.
    var name: String { get }
    /// One line for the list of benchmarks.
    var summary: String { get }
    /// Measures and reports ratios.
    /// - Parameter arguments: what follows the name on the command line.
    func run(_ arguments: [String], _ report: Report) async throws
}

/// Why a benchmark cannot run.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
