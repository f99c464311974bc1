// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DevelopmentServer
import TestSupport

/// What one round does and what goes wrong in it: all of it follows from the campaign's seed and the round's number.
struct RoundScript: CustomStringConvertible {
    enum Scenario: String, CaseIterable {
        case install, updateApp, updatePacks, downgrade, fetch, removeAndFetch, pauseAndResume, cancel, uninstall,
            schedule
    }

    enum Target: String, CaseIterable { case service, app, `extension` }

    /// SIGKILL, so long after what came before it.
    struct Kill: CustomStringConvertible {
        var target: Target
        var milliseconds: Int

        var description: String { "\(target) after \(milliseconds) ms" }
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

    /// - Parameter canFillDisk: whether this machine lets the campaign have a disk of its own.
    /// - Parameter chosen: the scenario of every round; nil: one by chance.
    init(seed: UInt64, number: Int, canFillDisk: Bool, chosen: Scenario? = nil) {
        var random = SeededGenerator(seed: seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
        _ = random.next()
        self.number = number
        // Round 0 of every seed is an install.
        let drawn = Scenario.allCases.randomElement(using: &random) ?? .install
        scenario = chosen ?? (number == 0 ? .install : drawn)
        let low = Int.random(in: 1..<Campaign.versions, using: &random)
        let high = Int.random(in: low + 1...Campaign.versions, using: &random)
        (before, after) = scenario == .downgrade ? (high, low) : (low, high)
        kills = (0..<Int.random(in: 0...5, using: &random)).map { _ in
            let weighted: [Target] = [.service, .service, .service, .service, .app, .extension]
            return Kill(
                target: weighted.randomElement(using: &random) ?? .service,
                milliseconds: Int.random(in: 0...Int.random(in: 1...400, using: &random), using: &random))
        }
        faults = (0..<Int.random(in: 0...3, using: &random)).map { _ in Self.fault(&random) }
        faultSeed = random.next()
        rate = Int64.random(in: 300_000...6_000_000, using: &random)
        let fills = Int.random(in: 0..<5, using: &random) == 0
        let moment = Int.random(in: 0...300, using: &random)
        let room = Int64.random(in: 0...120, using: &random) * 4096
        fullDisk = fills && canFillDisk ? (moment, room) : nil
    }

    private static func fault(_ random: inout SeededGenerator) -> FaultRule {
        let offset = Int64.random(in: 0...Int64(Campaign.fileCount * Campaign.fileSize), using: &random)
        let kinds: [FaultRule.Kind] = [
            .cut(after: offset), .cut(after: nil), .reset(after: offset), .reset(after: nil), .wrongByte(at: nil),
            .wrongByte(at: offset), .short(by: 1 + offset / 2), .long(by: 1 + offset / 2),
            .status(404, retryAfter: nil), .status(503, retryAfter: nil), .status(503, retryAfter: 1),
            .redirect(.http), .redirect(.loop), .redirect(.https), .slow(rate: 100_000 + offset),
            // Noticed after ten seconds only.
            Int.random(in: 0..<4, using: &random) == 0 ? .stall(after: offset) : .reset(after: 0),
        ]
        let targets: [FaultRule.Target] = [.any, .any, .manifest] + Campaign.packs.map { .asset($0.id) }
        return FaultRule(
            targets.randomElement(using: &random) ?? .any, kinds.randomElement(using: &random) ?? .cut(after: nil),
            times: Int.random(in: 1...4, using: &random), probability: Double.random(in: 0.3...1, using: &random))
    }

    var description: String {
        var lines = ["round \(number): \(scenario), version \(before) then \(after), at \(rate) bytes/s"]
        lines += kills.map { "  kill \($0)" }
        lines += faults.map { "  \($0.target) \($0.kind), \($0.times ?? 0) times, p \($0.probability)" }
        if let fullDisk { lines.append("  disk full after \(fullDisk.milliseconds) ms but for \(fullDisk.room) bytes") }
        return lines.joined(separator: "\n")
    }
}
