// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import DeviceSupport
import Kit
import System
import TestSupport
import Testing

/// Localised packs, from the pack manifest to the app's read, by the real programs (A7).
@Suite(.serialized) struct LanguageTests {
    private func pack(
        _ id: String, _ language: String, _ files: [String: [UInt8]], in scratch: Scratch
    ) throws -> SamplePack {
        try SamplePack.make(id, policy: "prefetch", language: language, files: files, in: scratch)
    }

    @Test(.timeLimit(.minutes(5))) func anAppChangesItsLanguage() async throws {
        try await Bench.with(fileCount: 4) { bench in
            let german = try pack("German", "de", ["voice.txt": Array("Guten Tag".utf8)], in: bench.scratch)
            let english = try pack("English", "en-US", ["voice.txt": Array("Good day".utf8)], in: bench.scratch)
            bench.server.publish([bench.essential, german, english])
            let set = try await bench.device.larder("languages", "de-AT", "en")
            #expect(set.outputText == "de-AT en\n", "\(set.errorText)")
            _ = try await bench.device.install(try bench.app(), until: .complete)
            let table = try await bench.device.larder("packs", SampleApp.bundleID).outputText
            #expect(table.contains("LANGUAGE") && table.contains("en-US"), "\(table)")

            let app = try await bench.device.launch()
            #expect(try await app.ask("language") == "ok de")
            #expect(try await app.ask("languages") == "ok de")
            #expect(try await app.ask("read voice.txt") == "ok " + summary(Array("Guten Tag".utf8)))
            #expect(try await app.ask("localized voice.txt de-DE") == "ok " + summary(Array("Guten Tag".utf8)))
            #expect(try await app.ask("localized voice.txt en").hasPrefix("error ManagedBackgroundAssetsError"))

            // The choice is kept, and known, while no service runs.
            try await bench.device.kill()
            #expect(try await app.ask("language en-GB") == "ok en-GB")
            try await bench.device.start()
            #expect(try await app.ask("reconcile") == "ok reconciled")
            #expect(try await app.ask("languages") == "ok en")
            #expect(try await app.ask("localized voice.txt en-Latn-US") == "ok " + summary(Array("Good day".utf8)))
            #expect(try await app.ask("local German") == "ok false")
            #expect(try await app.ask("language nil") == "ok en")
            #expect(try await app.ask("reconcile") == "ok reconciled")
            #expect(try await app.ask("languages") == "ok de")
        }
    }
}
