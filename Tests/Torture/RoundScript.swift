// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DevelopmentServer
import TestSupport

/// What one round does and what goes wrong in it: all of it follows from the campaign's seed and the round's number.
struct RoundScript: CustomStringConvertible {
    enum Scenario: String, CaseIterable {
        case install, updateApp, updatePacks, downgrade, fetch, removeAndFetch, pauseAndResume, cancel, uninstall,
            schedule, wake, wakeInstall

        /// Whether it is about the app that nobody opens, whose extension is told instead.
        var concernsDownloader: Bool { [.wake, .wakeInstall].contains(self) }
    }

    /// What a person wants to have played.
    struct Choice {
        var round: Int?
        var scenario: Scenario?
    }

    enum Target: String, CaseIterable { case service, app, `extension` }

    /// SIGKILL, so long after what came before it.
    struct Kill: CustomStringConvertible {
        var target: Target
        var milliseconds: Int
        /// Which of an extension's processes, counted from the sandbox around it.
        var victim: Int
        /// When a service is killed, so many milliseconds later the next one is as well, as it starts.
        var early: Int?

        var description: String {
            "\(target) after \(milliseconds) ms" + (early.map { ", and \($0) ms into the next start" } ?? "")
        }
    }

    /// An unmanaged download.
    struct Film {
        var id: String
        var size: Int
        /// Whether the app cancels it as soon as it is scheduled.
        var isAbandoned: Bool
        /// Whether an install waits for it.
        var isEssential: Bool
    }

    let number: Int
    let scenario: Scenario
    /// The version that is there when the round begins, where there is one.
    let before: Int
    /// The one on offer during the round.
    let after: Int
    let kills: [Kill]
    let faults: [FaultRule]
    let faultSeed: UInt64
    /// Bytes a second at which every archive comes that nothing worse happens to.
    let rate: Int64
    /// When the disk is filled, and how many bytes are left on it then; nil: it is not.
    let fullDisk: (milliseconds: Int, room: Int64)?
    /// Milliseconds between purges of all finished files.
    let purges: [Int]
    let films: [Film]

    /// - Parameter canFillDisk: whether this machine lets the campaign have a disk of its own.
    /// - Parameter chosen: the scenario of every round; nil: one by chance.
    init(seed: UInt64, number: Int, canFillDisk: Bool, chosen: Scenario? = nil) {
        var random = SeededGenerator(seed: seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
        _ = random.next()
        self.number = number
        // Round 0 of every seed is an install; the downloader's have most to try.
        let drawn = (Scenario.allCases + [.wake, .wake]).randomElement(using: &random) ?? .install
        let scenario = chosen ?? (number == 0 ? .install : drawn)
        self.scenario = scenario
        let low = Int.random(in: 1..<Publication.versions, using: &random)
        let high = Int.random(in: low + 1...Publication.versions, using: &random)
        (before, after) = scenario == .downgrade ? (high, low) : (low, high)
        kills = (0..<Int.random(in: 0...16, using: &random)).map { _ in Self.kill(&random, scenario) }
        faults = (0..<Int.random(in: 0...3, using: &random)).map { _ in Self.fault(&random) }
        faultSeed = random.next()
        rate = Int64.random(in: 300_000...6_000_000, using: &random)
        let fills = Int.random(in: 0..<6, using: &random) == 0
        let moment = Int.random(in: 0...300, using: &random)
        let room = Int64.random(in: 0...120, using: &random) * 4096
        fullDisk = fills && canFillDisk ? (moment, room) : nil
        let isPurged = Int.random(in: 0..<4, using: &random) == 0
        purges = (0..<(isPurged ? 8 : 0)).map { _ in Int.random(in: 0...200, using: &random) }
        let count = scenario.concernsDownloader || scenario == .schedule ? Int.random(in: 2...8, using: &random) : 0
        films = (0..<count).map { film in
            Film(
                id: "film-\(number)-\(film)", size: Int.random(in: 100...300_000, using: &random),
                isAbandoned: scenario == .schedule && Int.random(in: 0..<5, using: &random) == 0,
                isEssential: Int.random(in: 0..<2, using: &random) == 0)
        }
    }

    private static func kill(_ random: inout SeededGenerator, _ scenario: Scenario) -> Kill {
        let weighted: [Target] =
            switch scenario {
            case .wake, .wakeInstall: [.service, .service, .extension, .extension, .extension]
            case .schedule: [.service, .service, .app, .app]
            default: [.service, .service, .service, .app, .extension]
            }
        let isEarly = Int.random(in: 0..<4, using: &random) == 0
        return Kill(
            target: weighted.randomElement(using: &random) ?? .service,
            milliseconds: Int.random(in: 0...Int.random(in: 1...250, using: &random), using: &random),
            victim: Int.random(in: 0...5, using: &random),
            early: isEarly ? Int.random(in: 0...40, using: &random) : nil)
    }

    private static func fault(_ random: inout SeededGenerator) -> FaultRule {
        let offset = Int64.random(in: 0...Int64(Publication.fileCount * Publication.fileSize), using: &random)
        let kinds: [FaultRule.Kind] = [
            .cut(after: offset), .cut(after: nil), .reset(after: offset), .reset(after: nil), .wrongByte(at: nil),
            .wrongByte(at: offset), .short(by: 1 + offset / 2), .long(by: 1 + offset / 2),
            .status(404, retryAfter: nil), .status(503, retryAfter: nil), .status(503, retryAfter: 1),
            .redirect(.http), .redirect(.loop), .redirect(.https), .slow(rate: 100_000 + offset),
            // Noticed after ten seconds only.
            Int.random(in: 0..<4, using: &random) == 0 ? .stall(after: offset) : .reset(after: 0),
        ]
        let targets: [FaultRule.Target] = [.any, .any, .manifest] + Publication.packs.map { .asset($0.id) }
        return FaultRule(
            targets.randomElement(using: &random) ?? .any, kinds.randomElement(using: &random) ?? .cut(after: nil),
            times: Int.random(in: 1...4, using: &random), probability: Double.random(in: 0.3...1, using: &random))
    }

    var description: String {
        var lines = ["round \(number): \(scenario), version \(before) then \(after), at \(rate) bytes/s"]
        lines += kills.map { "  kill \($0)" }
        lines += faults.map { "  \($0.target) \($0.kind), \($0.times ?? 0) times, p \($0.probability)" }
        if let fullDisk { lines.append("  disk full after \(fullDisk.milliseconds) ms but for \(fullDisk.room) bytes") }
        if !purges.isEmpty { lines.append("  purges after \(purges) ms") }
        return lines.joined(separator: "\n")
    }
}
