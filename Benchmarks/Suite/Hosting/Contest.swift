// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceSupport
import Kit
import System

/// A server under load, and what it takes to bear it.
struct Contestant {
    let url: String
    let load: Load
    /// Seconds of processor time of all its processes so far.
    let processorSeconds: () throws -> Double
}

/// Two servers that take turns under the same load.
struct Contest {
    let generator: LoadGenerator
    let rounds: Int
    /// Of one turn. Short turns, and many of them: what else goes on then bears on both alike.
    var seconds = 1

    /// How the two are compared.
    enum Measure {
        case requestsPerSecond, bytesPerSecond

        func callAsFunction(_ result: LoadResult) -> Double {
            self == .requestsPerSecond ? result.requestsPerSecond : result.bytesPerSecond
        }

        func text(_ value: Double) -> String {
            self == .requestsPerSecond ? "\(Int(value)) requests/s" : "\(Int(value / 1e6)) MB/s"
        }
    }

    /// One round of each does not count. Beside the judged ratio stands that of processor time for each request, the
    /// peer's over ours: where other work goes on it is the steadier one.
    func run(
        _ name: String, _ ours: Contestant, _ peer: Contestant, _ measure: Measure, _ bound: Report.Bound,
        _ report: Report
    ) throws {
        var (rates, costs): ([(Double, Double)], [(Double, Double)]) = ([], [])
        for round in 0...rounds {
            let first = try turn(ours)
            let second = try turn(peer)
            guard round > 0 else { continue }
            rates.append((measure(first.result), measure(second.result)))
            costs.append((first.cost, second.cost))
        }
        func median(_ values: [(Double, Double)], _ which: KeyPath<(Double, Double), Double>) -> Double {
            Report.median(values.map { $0[keyPath: which] })
        }
        report.ratio(
            "\(name) / nginx", rates.map { $0.0 / $0.1 }, bound,
            detail: "\(measure.text(median(rates, \.0))) against \(measure.text(median(rates, \.1)))")
        report.ratio(
            "\(name), processor time of nginx / ours", costs.map { $0.1 / $0.0 }, .none,
            detail: "\(Report.rounded(median(costs, \.0) * 1e6)) µs against "
                + "\(Report.rounded(median(costs, \.1) * 1e6)) µs a request")
    }

    private func turn(_ server: Contestant) throws -> (result: LoadResult, cost: Double) {
        let start = try server.processorSeconds()
        let result = try generator.run(server.load, at: server.url, seconds: seconds)
        return (result, (try server.processorSeconds() - start) / result.requests)
    }
}

extension BenchHost {
    func contestant(_ load: Load) -> Contestant {
        Contestant(url: url, load: load) { try ProcessUsage.processorSeconds(of: self.process.processID) }
    }
}

extension IndependentServer {
    func contestant(_ load: Load) -> Contestant {
        Contestant(url: url, load: load) {
            try self.processIDs().reduce(0) { $0 + (try ProcessUsage.processorSeconds(of: $1)) }
        }
    }
}
