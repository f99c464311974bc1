// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Crypto
import DeviceProtocol
import DeviceSupport
import HTTP
import Kit
import TestSupport
import Testing

@testable import DeviceService

/// The attacks that The Update Framework names, each on a whole device: nothing of them reaches the app, what is there stays, and
/// what happened is told.
@Suite(.timeLimit(.minutes(5))) struct UpdateAttackTests {
    private func refused(
        _ error: DeviceError?, _ reason: ManifestRefusal.Reason, _ place: SourceLocation = #_sourceLocation
    ) {
        #expect(error?.code == .refusedManifest, "\(String(describing: error))", sourceLocation: place)
        #expect(error?.details["reason"] == reason.rawValue, "\(String(describing: error))", sourceLocation: place)
    }

    /// Has the app installed with version 1 of `E`, at generation 1.
    private func withApp(_ body: (SignedHarness) async throws -> Void) async throws {
        try await SignedHarness.with { device in
            try device.serve(try device.signed([try device.pack("E")], 1))
            #expect(try await device.install(try device.bundle()) == nil)
            #expect(try device.contents("E") == "E 1")
            try await body(device)
        }
    }

    /// Somebody between the publisher and the device has other files installed.
    @Test func arbitraryInstallation() async throws {
        try await SignedHarness.with { device in
            let own = try device.pack("E", version: 66)
            // Without a signature, and with the publisher's over something else.
            try device.serve(try device.manifest([own]))
            refused(try await device.install(try device.bundle()), .unsigned)
            let honest = try device.signed([try device.pack("E")], 1)
            let forged = try device.manifest([own]).document["assetPacks"] ?? .null
            try device.serve(SignedManifest(honest.document.replacing("assetPacks", with: forged)))
            refused(try await device.install(try device.bundle()), .signature)
            #expect(try await device.harness.isGone())
            #expect(device.server.requests("/assets/E") == 0)
            // The right manifest, and other bytes where it leads to.
            try device.serve(honest)
            device.server.publish([own])
            #expect(try await device.install(try device.bundle()) == nil)
            #expect(try device.contents("E") == nil)
            #expect(try await device.harness.packs()["E"]?.state == .failed)
        }
    }

    /// Answers that never end.
    @Test func endlessData() async throws {
        try await withApp { device in
            try device.serve([UInt8](repeating: UInt8(ascii: " "), count: DownloadManifest.maximumSize + (4 << 20)))
            let error = try await device.check()
            #expect(error?.code == .manifestUnavailable)
            #expect(error?.message.contains("longer than") == true, "\(String(describing: error))")
            // An archive behind a good manifest that goes on after its end.
            let next = try device.pack("E", version: 2)
            try device.serve(try device.signed([next], 2))
            device.server.spoil(pack: "E") { _, response in
                response.body.append(.bytes([UInt8](repeating: 0, count: 64 << 20)))
            }
            #expect(try await device.update("E") != nil)
            #expect(device.server.bytesSent(pack: "E") < 64 << 20)
            #expect(try device.contents("E") == "E 1")
        }
    }

    /// More is installed than the publisher meant.
    @Test func extraneousDependencies() async throws {
        try await withApp { device in
            let (own, extra) = (try device.pack("E", version: 2), try device.pack("Miner"))
            let honest = try device.signed([own], 2)
            let more = try device.manifest([own, extra]).document["assetPacks"] ?? .null
            try device.serve(SignedManifest(honest.document.replacing("assetPacks", with: more)))
            refused(try await device.update("E"), .signature)
            refused(try await device.update("Miner"), .signature)
            #expect(device.server.requests("/assets/Miner") == 0)
            #expect(try device.contents("E") == "E 1")
        }
    }

    /// A generation so high that the publisher's own next one looks old. Root keys say where to begin anew.
    @Test func fastForward() async throws {
        try await withApp { device in
            let packs = [try device.pack("E", version: 2)]
            try device.serve(try device.signed(packs, CanonicalJSON.largestInteger))
            #expect(try await device.update("E") == nil)
            try device.serve(try device.signed(packs, 3))
            refused(try await device.check(), .generation)
            let fresh = try Ed25519PrivateKey()
            let keys = ManifestKeySet(
                version: 2, app: SignedHarness.app, root: try ManifestKeyRole(keys: [device.root.publicKey]),
                manifest: try ManifestKeyRole(keys: [fresh.publicKey]), generationFrom: 3)
            var manifest = try device.manifest([try device.pack("E", version: 3)])
            try manifest.append(keys, signedBy: [device.root])
            try manifest.sign(device.publication(3), with: [fresh])
            try device.serve(manifest)
            #expect(try await device.update("E") == nil)
            #expect(try device.contents("E") == "E 3")
        }
    }

    /// The same old answer again and again, while the publisher has newer ones.
    @Test func indefiniteFreeze() async throws {
        try await withApp { device in
            device.pass(days: 29)
            #expect(try await device.check() == nil)
            device.pass(days: 2)
            let error = try await device.check()
            refused(error, .expired)
            #expect(error?.message.contains("expired on") == true)
            #expect(error?.message.contains("clock") == true)
            #expect(try await device.notes().last?.contains("expired on") == true)
            #expect(try await device.doctor()?.severity == "warning")
            // What is there stays usable, and the app gets at it.
            #expect(try device.contents("E") == "E 1")
            let reply = try await device.harness.connect().send(
                EnsureLocalAvailabilityRequest(app: SignedHarness.app, packs: ["E"]))
            #expect(reply.successes.map(\.id) == ["E"])
            // Signed again, it goes on.
            try device.serve(try device.signed([try device.pack("E", version: 2)], 2))
            #expect(try await device.update("E") == nil)
            #expect(try await device.doctor()?.severity == "ok")
        }
    }

    /// A mirror that people trust with their connection, but that has no keys.
    @Test func maliciousMirror() async throws {
        try await withApp { device in
            let stranger = try Ed25519PrivateKey()
            let packs = [try device.pack("E", version: 2)]
            try device.serve(try device.signed(packs, 2, by: stranger))
            refused(try await device.update("E"), .signature)
            // It gives nothing, or garbage, and the device goes on as soon as another one answers.
            try device.serve(Array("<html>sign in first</html>".utf8))
            #expect(try await device.check()?.code == .badManifest)
            #expect(try device.contents("E") == "E 1")
            try device.serve(try device.signed(packs, 2))
            #expect(try await device.update("E") == nil)
            #expect(try device.contents("E") == "E 2")
        }
    }

    /// Parts that were each signed, but not together.
    @Test func mixAndMatch() async throws {
        try await withApp { device in
            let old = try device.signed([try device.pack("E"), try device.pack("F")], 2)
            let new = try device.signed([try device.pack("E", version: 2), try device.pack("F", version: 2)], 3)
            let (oldPacks, newPacks) = (old.packs, new.packs)
            let mixed = SignedManifest(new.document.replacing("assetPacks", with: .array([newPacks[0], oldPacks[1]])))
            try device.serve(mixed)
            refused(try await device.check(), .signature)
            // One manifest's packs under the other's publication.
            try device.serve(SignedManifest(new.document.replacing("assetPacks", with: .array(oldPacks))))
            refused(try await device.check(), .signature)
            // One that was signed for other devices.
            try device.serve(try device.signed([try device.pack("E", version: 4)], 4) { $0.platforms = ["iOS"] })
            refused(try await device.check(), .subject)
            try device.serve(new)
            #expect(try await device.check() == nil)
        }
    }

    /// What was good once is served again, holes and all.
    @Test func rollback() async throws {
        try await SignedHarness.with { device in
            let old = try device.signed([try device.pack("E")], 4)
            try device.serve(try device.signed([try device.pack("E", version: 2)], 5))
            #expect(try await device.install(try device.bundle()) == nil)
            try device.serve(old)
            refused(try await device.check(), .generation)
            // Over restarts, too.
            try await device.restart()
            refused(try await device.update("E"), .generation)
            #expect(try device.contents("E") == "E 2")
            #expect(try await device.notes().contains { $0.contains("generation 4") })
            // The publisher himself goes back by publishing again.
            try device.serve(try device.signed([try device.pack("E")], 6))
            #expect(try await device.update("E") == nil)
            #expect(try device.contents("E") == "E 1")
            // Who uninstalls forgets.
            _ = try await device.harness.connect().send(UninstallRequest(app: SignedHarness.app))
            try device.serve(old)
            #expect(try await device.install(try device.bundle()) == nil)
        }
    }

    /// Answers that come so slowly that they never are there, though no connection is ever silent for long.
    @Test func slowRetrieval() async throws {
        try await SignedHarness.with { device in
            try await device.restart {
                $0.slowTimeout = .seconds(1)
                $0.manifestRetries = RetryPolicy(
                    first: .milliseconds(1), longest: .milliseconds(20), patience: .milliseconds(200))
            }
            try device.serve(try device.signed([try device.pack("E")], 1))
            device.server.slow(to: 20)
            let error = try await device.install(try device.bundle())
            #expect(error?.code == .manifestUnavailable, "\(String(describing: error))")
            #expect(error?.message.contains("too slow") == true, "\(String(describing: error))")
            #expect(try await device.harness.isGone())
            device.server.spoil(nil)
            #expect(try await device.install(try device.bundle()) == nil)
            #expect(try device.contents("E") == "E 1")
        }
    }

    /// Something else that the same publisher signed.
    @Test func wrongSoftware() async throws {
        try await withApp { device in
            let packs = [try device.pack("E", version: 2)]
            try device.serve(try device.signed(packs, 2) { $0.app = "org.example.other" })
            let error = try await device.update("E")
            refused(error, .subject)
            #expect(error?.message.contains("org.example.other") == true)
            #expect(try device.contents("E") == "E 1")
        }
    }

    /// Somebody has the key that signs manifests; root keys take it out of force.
    @Test func keyCompromise() async throws {
        try await withApp { device in
            let thief = device.signer
            let fresh = try Ed25519PrivateKey()
            // It does not hand over to keys of the thief's own.
            var own = try device.manifest([try device.pack("E", version: 66)])
            let thiefs = try ManifestKeyRole(keys: [try Ed25519PrivateKey().publicKey])
            try own.append(
                ManifestKeySet(version: 2, app: SignedHarness.app, root: thiefs, manifest: thiefs), signedBy: [thief])
            try own.sign(device.publication(2), with: [thief])
            try device.serve(own)
            refused(try await device.check(), .keys)
            // The publisher drops it, from the first manifest that brings the new keys on.
            let keys = ManifestKeySet(
                version: 2, app: SignedHarness.app, root: try ManifestKeyRole(keys: [device.root.publicKey]),
                manifest: try ManifestKeyRole(keys: [fresh.publicKey]))
            var manifest = try device.manifest([try device.pack("E", version: 2)])
            try manifest.append(keys, signedBy: [device.root])
            try manifest.sign(device.publication(3), with: [fresh])
            try device.serve(manifest)
            #expect(try await device.update("E") == nil)
            try device.serve(try device.signed([try device.pack("E", version: 66)], 9, by: thief))
            refused(try await device.check(), .signature)
            try await device.restart()
            refused(try await device.check(), .signature)
            #expect(try device.contents("E") == "E 2")
        }
    }
}

extension SignedManifest {
    fileprivate var packs: [JSONValue] { document["assetPacks"]?.arrayValue ?? [] }
}

extension JSONValue {
    fileprivate func replacing(_ key: String, with value: JSONValue) -> JSONValue {
        guard case .object(var members) = self else { return self }
        members[key] = value
        return .object(members)
    }
}
