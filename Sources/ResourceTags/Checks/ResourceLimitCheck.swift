// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Kit

extension ResourceLimits {
    /// What of a plan is above the limits, in bytes of files before packing; the worst of each kind first.
    package func findings(in plan: ResourcePlan) -> [ResourceFinding] {
        var findings: [ResourceFinding] = []
        func check(
            _ size: Int64, _ limit: Int64?, _ kind: ResourceFinding.Kind, _ subject: String, _ what: String,
            _ advice: String, severity: ResourceFinding.Severity = .error
        ) {
            guard let limit, size > limit else { return }
            let excess = size - limit
            findings.append(
                ResourceFinding(
                    severity: severity, kind: kind, subject: subject,
                    message: "\(what) \(ByteCount.formatted(size)), \(ByteCount.formatted(excess)) more than the "
                        + "\(ByteCount.formatted(limit)) of \(title). \(advice)", excess: excess))
        }
        let tags = plan.sizesByTag.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        for (tag, size) in tags {
            check(
                size, self.tag, .tagTooLarge, tag, "The tag \"\(tag)\" has", "Divide its resources among several tags.")
            check(
                size, inUse, .inUseTooLarge, tag, "The tag \"\(tag)\" alone would put in use",
                "No request for it can succeed.")
        }
        for pack in plan.packs.sorted(by: { $0.selection.totalSize > $1.selection.totalSize }) {
            check(
                pack.selection.totalSize, self.pack, .packTooLarge, pack.id,
                "The pack of the tags \(pack.tags) has", "Divide its resources among several tags.")
        }
        if let packCount, plan.packs.count > packCount {
            findings.append(
                ResourceFinding(
                    severity: .error, kind: .tooManyPacks, subject: "",
                    message: "The tags make \(plan.packs.count) packs, \(plan.packs.count - packCount) more than the "
                        + "\(packCount) of \(title). Have fewer sets of tags on single files.", excess: nil))
        }
        func total(_ isCounted: (ResourcePlan.Pack) -> Bool) -> Int64 {
            plan.packs.filter(isCounted).reduce(0) { $0.addingReportingOverflow($1.selection.totalSize).partialValue }
        }
        check(
            total { $0.downloadPolicy.name == "essential" }, initialInstall, .initialInstallTooLarge, "",
            "The tags of the initial install have together", "Have some of them prefetched.")
        check(
            total { $0.downloadPolicy != .onDemand }, initialInstallAndPrefetch, .prefetchTooLarge, "",
            "The tags of the initial install and those to be prefetched have together", "Leave some of them on demand.")
        check(
            total { _ in true }, inUse, .inUseTooLarge, "", "All tags at once would put in use",
            "The app has to end requests before it begins others.", severity: .warning)
        check(
            total { _ in true }, hosted, .hostedTooLarge, "", "All packs have together", "Host some of them elsewhere.")
        return findings
    }
}
