// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import DeviceSupport
import Kit
import System
import TestSupport
import Testing

/// New versions of packs and of the app, and the way back (C4).
@Suite struct UpdateTests {
    @Test func aPackIsUpdatedAndRolledBackUnderAReader() async throws {
        try await Bench.with { bench in
            _ = try await bench.device.install(try bench.app(), until: .complete)
            let app = try await bench.device.launch()
            let path = bench.prefetch.files.keys.sorted()[0]
            let old = "ok " + summary(bench.prefetch.files[path] ?? [])
            #expect(try await app.ask("hold \(path)") == old)

            var files = bench.prefetch.files
            files[path] = Array("version two".utf8)
            let second = try SamplePack.make("Second", version: 2, policy: "prefetch", files: files, in: bench.scratch)
            bench.server.publish([bench.essential, second, bench.onDemand])
            #expect(try await app.ask("check").contains("Second"))
            #expect(try await app.ask("ensureLatest Second") == "ok Second")
            #expect(try await app.ask("read \(path)") == "ok " + summary(Array("version two".utf8)))
            #expect(try await app.ask("held") == old, "what was mapped stays as it was")
            #expect(try await bench.device.packs()["Second"]?.localVersion == 2)

            bench.server.publish(bench.packs)
            #expect(
                try await app.ask("check").contains("Second"), "another version is another version, also a smaller one")
            #expect(try await app.ask("ensureLatest Second") == "ok Second")
            #expect(try await app.ask("read \(path)") == old)
            #expect(try await bench.device.packs()["Second"]?.localVersion == 1)
        }
    }

    @Test func aPackThatIsNoLongerOfferedIsRemovedByACheck() async throws {
        try await Bench.with { bench in
            _ = try await bench.device.install(try bench.app(), until: .complete)
            let app = try await bench.device.launch()
            bench.server.publish([bench.essential, bench.onDemand])
            let answer = try await app.ask("check")
            #expect(answer.contains(#"removed=["Second"]"#), "\(answer)")
            #expect(try await app.ask("local Second") == "ok false")
        }
    }

    @Test func theAppItselfIsUpdated() async throws {
        try await Bench.with { bench in
            _ = try await bench.device.install(try bench.app(), until: .complete)
            let result = try await bench.device.larder("update", try bench.app(version: "2.0").string)
            #expect(result.exitCode == 0, "\(result.errorText)")
            let apps = try await bench.device.connect().send(AppsRequest()).apps
            #expect(apps.map(\.version) == ["2.0"])
            let app = try await bench.device.launch()
            try await bench.expectWhole(bench.essential, through: app)
        }
    }
}
