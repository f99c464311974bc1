// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Crypto
import DeviceProtocol
import DeviceSupport
import Kit
import TestSupport
import Testing

@testable import DeviceService

/// Keys in apps' bundles, as they come, change and go.
@Suite(.timeLimit(.minutes(5))) struct ManifestKeyTests {
    @Test func appsWithoutKeysTakeAnyManifest() async throws {
        try await SignedHarness.with { device in
            try device.serve(try device.manifest([try device.pack("E")]))
            #expect(try await device.install(try device.bundle(keys: .some(nil))) == nil)
            #expect(try device.contents("E") == "E 1")
            #expect(try await device.doctor() == nil)
        }
    }

    /// An update of the app adds keys, changes them, and takes them away.
    @Test func theBundleDecides() async throws {
        try await SignedHarness.with { device in
            let plain = try device.manifest([try device.pack("E")])
            try device.serve(plain)
            #expect(try await device.install(try device.bundle(keys: .some(nil))) == nil)
            let strict = try device.bundle(version: "2.0")
            let error = try await device.install(strict)
            #expect(error?.details["reason"] == "unsigned")
            #expect(try await device.check() == nil)
            try device.serve(try device.signed([try device.pack("E", version: 2)], 7))
            #expect(try await device.install(strict) == nil)
            #expect(try device.contents("E") == "E 2")
            // Other keys: the generation still counts.
            let other = try Ed25519PrivateKey()
            let changed = try device.bundle(version: "3.0", keys: SignedHarness.pinned([other]))
            try device.serve(try device.signed([try device.pack("E", version: 3)], 6, by: other))
            #expect(try await device.install(changed)?.details["reason"] == "generation")
            try device.serve(try device.signed([try device.pack("E", version: 3)], 8, by: other))
            #expect(try await device.install(changed) == nil)
            try device.serve(plain)
            #expect(try await device.check()?.details["reason"] == "unsigned")
            try device.serve(try device.manifest([try device.pack("E")]))
            #expect(try await device.install(try device.bundle(version: "4.0", keys: .some(nil))) == nil)
            #expect(try device.contents("E") == "E 1")
        }
    }

    /// Keys in a new version of the app may say where generations begin, after somebody else ran far ahead.
    @Test func anUpdateOfTheAppEndsAFastForward() async throws {
        try await SignedHarness.with { device in
            try device.serve(try device.signed([try device.pack("E")], 1_000_000))
            #expect(try await device.install(try device.bundle()) == nil)
            let other = try Ed25519PrivateKey()
            let more = "<key>Version</key><integer>2</integer><key>GenerationFrom</key><integer>5</integer>"
            let update = try device.bundle(version: "2.0", keys: SignedHarness.pinned([other], more: more))
            try device.serve(try device.signed([try device.pack("E", version: 2)], 4, by: other))
            #expect(try await device.install(update)?.details["reason"] == "generation")
            try device.serve(try device.signed([try device.pack("E", version: 2)], 5, by: other))
            #expect(try await device.install(update) == nil)
            #expect(try device.contents("E") == "E 2")
        }
    }

    @Test func aClockThatIsBehindIsTold() async throws {
        try await SignedHarness.with { device in
            try device.serve(try device.signed([try device.pack("E")], 1))
            device.pass(days: -300)
            let error = try await device.install(try device.bundle())
            #expect(error?.details["reason"] == "clock")
            #expect(error?.message.contains("clock") == true)
        }
    }

    /// A pack without digest could be exchanged under the best signature.
    @Test func packsWithoutDigestAreRefused() async throws {
        try await SignedHarness.with { device in
            let pack = try device.pack("E")
            device.server.publish([pack])
            var entry = try pack.entry(baseURL: "\(device.server.baseURL)/assets")
            entry.larder = nil
            var manifest = SignedManifest(DownloadManifest(assetPacks: [entry]).json)
            try manifest.sign(device.publication(1), with: [device.signer])
            try device.serve(manifest)
            let error = try await device.install(try device.bundle())
            #expect(error?.details["reason"] == "coverage")
            #expect(error?.message.contains("\"E\"") == true)
        }
    }

    /// Without a network the last manifest tells what there is, as long as its signature still counts.
    @Test func theLastManifestServesWithoutANetwork() async throws {
        try await SignedHarness.with { device in
            try device.serve(try device.signed([try device.pack("E")], 1))
            #expect(try await device.install(try device.bundle()) == nil)
            device.server.stop()
            let connection = try await device.harness.connect()
            let reply = try await connection.send(ManifestRequest(app: SignedHarness.app, refresh: true))
            #expect(reply.isStale)
            #expect(reply.packs.map(\.id) == ["E"])
            #expect(try device.contents("E") == "E 1")
        }
    }

    @Test func theDoctorTellsWhatWasRefused() async throws {
        try await SignedHarness.with { device in
            try device.serve(try device.signed([try device.pack("E")], 5))
            #expect(try await device.install(try device.bundle()) == nil)
            try device.serve(try device.signed([try device.pack("E")], 4))
            #expect(try await device.check()?.code == .refusedManifest)
            let finding = try await device.doctor()
            #expect(finding?.severity == "warning" && finding?.message.contains("was refused") == true)
            try device.serve(try device.signed([try device.pack("E")], 6))
            #expect(try await device.check() == nil)
            #expect(try await device.doctor()?.severity == "ok")
        }
    }

    /// A developer's server is trusted in the place of all keys, and that is told.
    @Test func aDevelopersServerNeedsNoKeys() async throws {
        try await SignedHarness.with { device in
            try device.serve(try device.signed([try device.pack("E")], 1))
            #expect(try await device.install(try device.bundle()) == nil)
            let connection = try await device.harness.connect()
            _ = try await connection.send(URLOverrideSetRequest(url: device.server.baseURL))
            try device.serve(try device.manifest([try device.pack("E", version: 2)]))
            #expect(try await device.update("E") == nil)
            #expect(try await device.doctor()?.message.contains("not checked") == true)
            _ = try await connection.send(URLOverrideClearRequest())
            // What it served is not taken for the app's own afterwards.
            let error = await #expect(throws: DeviceError.self) {
                try await connection.send(ManifestRequest(app: SignedHarness.app, refresh: false))
            }
            #expect(error?.code == .refusedManifest)
        }
    }

    /// An app that chooses its downloads itself gets no manifest to read that its keys did not sign.
    @Test func extensionsGetVerifiedManifestsOnly() async throws {
        try await SignedHarness.with { device in
            func bundle() throws -> String {
                try device.bundle { fixture in
                    fixture.keys["BAHasManagedAssetPacks"] = .some(nil)
                }
            }
            var manifest = SignedManifest(["levels": ["one", "two"]])
            try device.serve(manifest)
            #expect(try await device.install(try bundle())?.details["reason"] == "unsigned")
            try manifest.sign(device.publication(1), with: [try Ed25519PrivateKey()])
            try device.serve(manifest)
            #expect(try await device.install(try bundle())?.details["reason"] == "signature")
            try manifest.sign(device.publication(1), with: [device.signer])
            try device.serve(manifest)
            #expect(try await device.install(try bundle()) == nil)
            #expect(try await device.doctor()?.message.contains("generation 1") == true)
        }
    }
}
