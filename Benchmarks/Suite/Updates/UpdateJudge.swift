// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System

/// Holds what Larder took for an update against its bounds.
struct UpdateJudge {
    let pair: UpdatePair
    let peers: [UpdateFigures]
    let larder: LarderContest.Result

    private static let mebibyte = 1_048_576.0

    func judge(_ report: Report) throws {
        judgeBytes(report)
        for row in larder.rows {
            report.bound(
                "\(pair.name): memory of larderd, \(row.name), MiB", Double(row.apply.peakBytes) / Self.mebibyte,
                .atMost(128))
        }
        let changed = try pair.changedBytes()
        for (offer, disk) in larder.extraDisk.sorted(by: { $0.key.rawValue < $1.key.rawValue }) where offer != .whole {
            report.bound(
                "\(pair.name): extra disk beyond the changed files, \(offer.name), MiB",
                Double(disk - changed) / Self.mebibyte, .atMost(64),
                detail: "\(ByteCount.formatted(disk)), changed \(ByteCount.formatted(changed))")
        }
        for times in larder.times { judge(times, report) }
    }

    private func row(_ offer: LarderPublication.Offer) -> UpdateFigures? {
        larder.rows.first { $0.name == offer.name }
    }

    private func judgeBytes(_ report: Report) {
        let patches = peers.filter { $0.kind == .patch }
        if let best = patches.min(by: { $0.bytes < $1.bytes }), let ours = row(.patch) {
            report.bound(
                "\(pair.name): fetched with a patch / \(best.name), bytes", Double(ours.bytes) / Double(best.bytes),
                .atMost(1), detail: "\(ours.bytes) against \(best.bytes), the patch itself \(larder.patchBytes ?? 0)")
            report.bound(
                "\(pair.name): making the patch / \(best.name)", ours.make.seconds / best.make.seconds, .atMost(0.2),
                detail: "\(Report.rounded(ours.make.seconds)) s against \(Report.rounded(best.make.seconds)) s")
            report.bound(
                "\(pair.name): memory to make the patch, MiB", Double(ours.make.peakBytes) / Self.mebibyte,
                .atMost(512))
        }
        let parts = peers.filter { ["zchunk", "casync"].contains($0.name) }
        if let best = parts.min(by: { $0.bytes < $1.bytes }), let ours = row(.parts) {
            let zsync = peers.first { $0.name == "zsync" }.map { ", zsync \($0.bytes)" } ?? ""
            report.bound(
                "\(pair.name): without a patch / \(best.name), bytes", Double(ours.bytes) / Double(best.bytes),
                .atMost(1), detail: "\(ours.bytes) against \(best.bytes)\(zsync)")
        }
        if let index = larder.indexBytes {
            report.bound(
                "\(pair.name): index / archive", Double(index) / Double(larder.archiveBytes), .atMost(0.005),
                detail: "\(index) of \(larder.archiveBytes) bytes")
        }
    }

    /// By the best that is offered. At 100 Mbit/s the time is to shrink as the bytes do, down to a tenth.
    private func judge(_ times: LarderContest.Times, _ report: Report) {
        let ways = LarderPublication.Offer.allCases.reversed()
        guard let best = ways.first(where: { times.offers[$0] != nil }), let seconds = times.offers[best],
            let row = row(best)
        else { return }
        if best == .patch, !times.patch.isEmpty {
            report.ratio(
                "\(pair.name): applying the patch / \(PatchYardstick.peer.name) -d --patch-from",
                Self.ratios(seconds, times.patch), .atMost(1.2),
                detail: "\(Self.median(seconds)) against \(Self.median(times.patch))")
        }
        let share = Double(row.bytes) / Double(max(1, larder.archiveBytes))
        let bound: Report.Bound =
            switch times.link {
            case .loopback: .none
            case .gigabit: .atMost(1)
            case .fast: .atMost(max(0.1, share))
            }
        let others = times.offers.filter { $0.key != best }.map { "\($0.key.name) \(Self.median($0.value))" }
        report.ratio(
            "\(pair.name): \(best.name) over \(times.link.rawValue) / curl and extraction",
            Self.ratios(seconds, times.curl), bound,
            detail: (["\(Self.median(seconds)) against \(Self.median(times.curl))"] + others.sorted() + [
                "curl | bsdtar of gzip \(Self.median(times.bsdtar))"
            ]).joined(separator: ", "))
    }

    /// Round by round.
    private static func ratios(_ ours: [Double], _ theirs: [Double]) -> [Double] { zip(ours, theirs).map { $0 / $1 } }

    private static func median(_ seconds: [Double]) -> String { "\(Report.rounded(Report.median(seconds))) s" }

    /// Every figure of the pair.
    func json() throws -> JSONValue {
        let times = larder.times.map { times in
            JSONValue.object(
                [
                    "network": .string(times.link.rawValue), "curlAndExtract": .number(Report.median(times.curl)),
                    "curlAndBsdtar": .number(Report.median(times.bsdtar)),
                ].merging(times.offers.map { ($0.key.name, .number(Report.median($0.value))) }) { first, _ in first })
        }
        var members: [String: JSONValue] = [
            "pair": .string(pair.name), "tarBytes": .integer(try pair.newSize),
            "changedBytes": .integer(try pair.changedBytes()), "archiveBytes": .integer(larder.archiveBytes),
            "ways": .array((peers + larder.rows).map(\.json)), "secondsUntilReadable": .array(times),
            "extraDiskBytes": .object(
                Dictionary(uniqueKeysWithValues: larder.extraDisk.map { ($0.key.name, JSONValue.integer($0.value)) })),
        ]
        members["patchBytes"] = larder.patchBytes.map { JSONValue.integer($0) }
        members["indexBytes"] = larder.indexBytes.map { JSONValue.integer($0) }
        return .object(members)
    }
}
