// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Glibc
import Kit
import TestSupport

/// `larder-torture [--seconds N] [--seed S] [--devices N] [--round K] [--scenario NAME]`: rounds of installs, updates, removals
/// and downloads against the real programs, on several devices side by side, with kills, a bad network and a full disk, until
/// the time is over. With `--power-cuts N` instead so many states of the disk after a power cut (`--power-cut K`: the one with
/// this number; `--names journaled|unordered`: under one kind of file system), and with `--resources yes` requests for on-demand
/// resources by several processes on a small disk, for as long. Exits with 1 when anything was seen that may not
/// be.
@main
enum Main {
    private struct Options {
        var seconds = 60
        var seed = UInt64.random(in: 0...UInt64.max)
        var devices = 4
        var chosen = RoundScript.Choice()
        var powerCuts = 0
        var isAboutResources = false
        var powerCut: Int?
        var names = PowerCut.Names.allCases
    }

    static func main() async {
        Signals.ignoreBrokenPipes()
        var options = Options()
        var arguments = CommandLine.arguments.dropFirst()
        while let name = arguments.popFirst() {
            guard let value = arguments.popFirst() else { usage() }
            switch name {
            case "--seconds": options.seconds = Int(value) ?? options.seconds
            case "--seed": options.seed = UInt64(value) ?? options.seed
            case "--devices": options.devices = max(1, Int(value) ?? options.devices)
            case "--round": options.chosen.round = Int(value)
            case "--scenario":
                guard let known = RoundScript.Scenario(rawValue: value) else { usage() }
                options.chosen.scenario = known
            case "--resources": options.isAboutResources = value == "yes"
            case "--power-cuts": options.powerCuts = Int(value) ?? 0
            case "--power-cut": options.powerCut = Int(value)
            case "--names":
                guard let known = PowerCut.Names(rawValue: value) else { usage() }
                options.names = [known]
            default: usage()
            }
        }
        if options.chosen.round != nil { options.devices = 1 }
        say("larder-torture: --seed \(options.seed) --seconds \(options.seconds) --devices \(options.devices)")
        exit(await isClean(options) ? 0 : 1)
    }

    private nonisolated static func isClean(_ options: Options) async -> Bool {
        let tally = Tally()
        do {
            try await Scratch.with { scratch in
                if options.powerCuts > 0 || options.powerCut != nil {
                    let cuts = try await PowerCuts(scratch, seed: options.seed, tally: tally)
                    return try await cuts.run(options.powerCuts, only: options.powerCut, names: options.names)
                }
                let end = ContinuousClock.now + .seconds(options.seconds)
                if options.isAboutResources {
                    let campaign = try await ResourceCampaign(scratch, seed: options.seed, tally: tally)
                    return try await campaign.run(until: end)
                }
                let publication = try Publication(scratch)
                try await withThrowingTaskGroup { group in
                    for number in 0..<options.devices {
                        group.addTask { try await run(number, publication, options, until: end, tally) }
                    }
                    try await group.waitForAll()
                }
            }
        } catch {
            tally.violation("the campaign itself broke off: \(error)")
        }
        say("larder-torture: --seed \(options.seed) --devices \(options.devices)\n\(tally.summary)")
        return tally.violations.isEmpty
    }

    private nonisolated static func run(
        _ number: Int, _ publication: Publication, _ options: Options, until end: ContinuousClock.Instant,
        _ tally: Tally
    ) async throws {
        try await Scratch.with { scratch in
            let campaign = try await Campaign(scratch, publication, seed: options.seed, tally: tally)
            try await campaign.run(
                until: end, first: options.chosen.round ?? number, stride: options.devices, chosen: options.chosen)
        }
    }

    private static func usage() -> Never {
        say(
            """
            usage: larder-torture [--seconds <number>] [--seed <number>] [--devices <number>] [--round <number>]
                                  [--scenario <name>] [--power-cuts <number>] [--power-cut <number>]
                                  [--names journaled|unordered] [--resources yes]
            """)
        exit(64)
    }
}
