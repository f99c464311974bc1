// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Glibc
import Kit
import TestSupport

/// `larder-torture [--seconds N] [--seed S] [--round K] [--scenario NAME]`: rounds of installs, updates, removals and downloads against the real
/// programs, with kills, a bad network and a full disk, until the time is over. Exits with 1 when anything was seen that may
/// not be.
@main
enum Main {
    static func main() async {
        Signals.ignoreBrokenPipes()
        var seconds = 60
        var seed = UInt64.random(in: 0...UInt64.max)
        var only: Int?
        var scenario: RoundScript.Scenario?
        var arguments = CommandLine.arguments.dropFirst()
        while let name = arguments.popFirst() {
            guard let value = arguments.popFirst() else { usage() }
            switch name {
            case "--seconds": seconds = Int(value) ?? seconds
            case "--seed": seed = UInt64(value) ?? seed
            case "--round": only = Int(value)
            case "--scenario":
                guard let known = RoundScript.Scenario(rawValue: value) else { usage() }
                scenario = known
            default: usage()
            }
        }
        say("larder-torture: --seed \(seed) --seconds \(seconds)")
        exit(await isClean(seed: seed, time: .seconds(seconds), only: only, scenario: scenario) ? 0 : 1)
    }

    private nonisolated static func isClean(
        seed: UInt64, time: Duration, only: Int?, scenario: RoundScript.Scenario?
    ) async -> Bool {
        let tally = Tally()
        do {
            try await Scratch.with { scratch in
                let campaign = try await Campaign(scratch, seed: seed, tally: tally)
                try await campaign.run(for: time, only: only, scenario: scenario)
            }
        } catch {
            tally.violation("the campaign itself broke off: \(error)")
        }
        say("larder-torture: --seed \(seed)\n\(tally.summary)")
        return tally.violations.isEmpty
    }

    private static func usage() -> Never {
        say("usage: larder-torture [--seconds <number>] [--seed <number>] [--round <number>] [--scenario <name>]")
        exit(64)
    }
}
