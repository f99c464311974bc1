// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceSupport
import TestSupport
import Testing

/// `loadingPriority`, changed while the download is waiting (F1).
@Suite struct ResourcePriorityTests {
    /// More downloads than there are places, all slow; the one that becomes urgent takes the place of another.
    @Test func whatBecomesUrgentGoesBeforeWhatIsUnderWay() async throws {
        let tags = (0..<8).map { "t\($0)" }
        try await ResourceBench.with({ generator in
            TaggedApp(
                tags.map { TaggedApp.Part([$0], ["\($0).bin": generator.bytes(400_000, redundancy: false)]) })
        }) { bench in
            let app = try await bench.launch()
            bench.server.slow(to: 30_000)
            for tag in tags {
                _ = try await app.ask("make \(tag) \(tag) 0.1")
                _ = try await app.ask("start \(tag)")
            }
            func asked() -> Set<String> {
                Set(
                    bench.server.askedPaths.filter { $0.hasPrefix("/assets/") }
                        .compactMap { $0.split(separator: "-").last.map(String.init) })
            }
            _ = try await eventually { asked().count >= 4 ? true : nil }
            let waiting = try #require(tags.last { !asked().contains($0) }, "all have places: \(asked())")
            _ = try await app.ask("priority \(waiting) urgent")
            try await bench.server.waitForRequests(
                pack: "\(ResourceBench.bundleID).asset-pack-\(waiting)", count: 1)
            #expect(!app.lines.contains { $0.hasPrefix("update t") }, "nothing had ended: \(app.lines)")
            bench.server.spoil(nil)
            for tag in tags { _ = try await app.line { $0 == "update \(tag) begun" } }
        }
    }
}
