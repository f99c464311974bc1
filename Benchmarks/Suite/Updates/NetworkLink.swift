// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System

/// The network between the server and whoever fetches: this machine's loopback, at its own pace or held to one.
///
/// It holds to a pace only where the loopback is this run's own, which `scripts/bench-updates` sees to.
enum NetworkLink: String, CaseIterable {
    case loopback = "loopback"
    case gigabit = "1 Gbit/s"
    case fast = "100 Mbit/s"

    private static var isOwn: Bool { Environment.current["LARDER_BENCH_OWN_NETWORK"] == "1" }

    static var available: [NetworkLink] { isOwn ? allCases : [.loopback] }

    /// A bucket of a few milliseconds, and a queue of 50.
    private var shape: [String]? {
        switch self {
        case .loopback: nil
        case .gigabit: ["rate", "1gbit", "burst", "1mb", "latency", "50ms"]
        case .fast: ["rate", "100mbit", "burst", "256kb", "latency", "50ms"]
        }
    }

    /// Sets the pace for `body`.
    func held<Result>(_ body: () async throws -> Result) async throws -> Result {
        try begin()
        defer { end() }
        return try await body()
    }

    func held<Result>(_ body: () throws -> Result) throws -> Result {
        try begin()
        defer { end() }
        return try body()
    }

    private func begin() throws {
        if let shape { try Self.run(["qdisc", "replace", "dev", "lo", "root", "tbf"] + shape) }
    }

    private func end() {
        if shape != nil { try? Self.run(["qdisc", "del", "dev", "lo", "root"]) }
    }

    private static func run(_ arguments: [String]) throws {
        try UpdatePair.succeed(["/usr/sbin/tc"] + arguments)
    }
}
