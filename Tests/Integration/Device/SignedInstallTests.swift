// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import DeviceProtocol
import DeviceSupport
import Kit
import System
import TestSupport
import Testing

/// An app that takes signed manifests only, and a host that signs them, by the real programs (G2).
@Suite(.serialized) struct SignedInstallTests {
    @Test func anAppFollowsTheHostThatHasItsKey() async throws {
        try await Scratch.with { place in
            let made = try await Binaries.run(
                "larder", ["keys", "create", "-o", place("signing.pem").string, "--json"],
                environment: Binaries.hermeticEnvironment, atMost: .seconds(60))
            let key = try #require(try JSONParser.parse(made.outputText).value["publicKey"]?.stringValue)
            let signing = ["--manifest-key", place("signing.pem").string]
            try await HostBench.with(signing) { host in
                let (bench, id) = (host.bench, SampleApp.bundleID)
                for pack in bench.packs { try await host.publish(pack) }
                let bundle = try bench.app(version: "1.0") {
                    $0.keys = [
                        "BAManifestURL": nil, "BAUsesAppleHosting": "<true/>",
                        "LarderManifestKeys": "<dict><key>Keys</key><array><string>\(key)</string></array></dict>",
                    ]
                }
                try await host.publish(bundle, version: "1.0")
                try await host.expectSuccess(
                    ["install", id, "--from", host.url, "--channel", "internalBeta", "--token", host.token])
                let app = try await bench.device.launch()
                try await bench.expectWhole(bench.essential, through: app)
                let doctor = try await bench.device.larder("doctor", id)
                #expect(doctor.outputText.contains("is good until"), "\(doctor.outputText)")

                // Without its key the host is believed nothing, and what is local stays.
                host.server.process.kill()
                _ = try host.server.process.wait()
                let unsigned = try host.serveAgain()
                _ = try await unsigned.line { $0.contains("listening") }
                var files = bench.essential.files
                let path = files.keys.sorted()[0]
                files[path] = Array("version two".utf8)
                try await host.publish(
                    SamplePack.make("First", version: 2, policy: "essential", files: files, in: bench.scratch))
                let refused = try await bench.device.larder("check", id)
                #expect(refused.exitCode == 7, "\(refused.errorText)")
                #expect(refused.errorText.contains("not signed"), "\(refused.errorText)")
                #expect(try await bench.device.larder("status").outputText.contains("not signed"))
                try await bench.expectWhole(bench.essential, through: app)

                // With it, the app goes on to what was published meanwhile.
                unsigned.process.kill()
                _ = try unsigned.process.wait()
                let signed = try host.serveAgain(signing)
                _ = try await signed.line { $0.contains("listening") }
                #expect(try await app.ask("ensureLatest First") == "ok First")
                #expect(try await app.ask("read \(path)") == "ok " + summary(Array("version two".utf8)))
            }
        }
    }
}
