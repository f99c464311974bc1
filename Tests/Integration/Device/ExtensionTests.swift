// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import DeviceSupport
import Kit
import TestSupport
import Testing

/// An extension decides, and whatever becomes of it the app stays launchable (C3).
@Suite struct ExtensionTests {
    @Test func itsNoIsHeeded() async throws {
        try await Bench.with { bench in
            _ = try await bench.device.install(
                try bench.app { $0.extensionBehaviour = "decline Second" }, until: .complete)
            let packs = try await bench.device.packs()
            #expect(packs["First"]?.state == .local)
            #expect(packs["Second"]?.state == .declined)
            #expect(bench.server.bytesSent(pack: "Second") == 0)
            let app = try await bench.device.launch()
            #expect(try await app.ask("ensure Second") == "ok Second", "the app itself may still ask for it")
        }
    }

    @Test(arguments: ["crash", "hang"]) func whenItFailsTheInstallGoesOnAndSaysSo(_ behaviour: String) async throws {
        try await Bench.with { bench in
            let events = try await bench.device.install(
                try bench.app { $0.extensionBehaviour = behaviour }, until: .complete)
            let last = try #require(events.last)
            #expect(last.error == nil)
            #expect(last.warnings.contains { $0.lowercased().contains("extension") }, "\(last.warnings)")
            let packs = try await bench.device.packs()
            #expect(packs["First"]?.state == .local && packs["Second"]?.state == .local)
            let app = try await bench.device.launch()
            try await bench.expectWhole(bench.essential, through: app)
        }
    }
}
