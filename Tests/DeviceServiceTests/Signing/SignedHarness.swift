// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Crypto
import DeviceProtocol
import DeviceSupport
import Kit
import System
import TestSupport

@testable import DeviceService

/// A device whose app takes signed manifests only, and the server that its publisher, or an attacker, puts files on.
final class SignedHarness: Sendable {
    static let app = ServiceHarness.app

    let harness: ServiceHarness
    let server: AssetServer
    /// Hands over to other keys; the publisher keeps it at home.
    let root: Ed25519PrivateKey
    /// Signs manifests; a machine on the network has it.
    let signer: Ed25519PrivateKey
    private let clock: Locked<Timestamp>
    private let files = Locked(0)
    private let packs = Locked<[String: SamplePack]>([:])

    static func with(_ body: (SignedHarness) async throws -> Void) async throws {
        try await ServiceHarness.with([]) { harness in
            let signed = try SignedHarness(harness)
            try await signed.restart()
            let connection = try await harness.connect()
            _ = try await connection.send(URLOverrideClearRequest())
            let pem = String(decoding: try File.read(signed.server.authority), as: UTF8.self)
            _ = try await connection.send(TrustAddRequest(name: "test", pem: pem))
            try await body(signed)
        }
    }

    private init(_ harness: ServiceHarness) throws {
        self.harness = harness
        server = try AssetServer(harness.scratch)
        root = try Ed25519PrivateKey()
        signer = try Ed25519PrivateKey()
        clock = Locked(Timestamp(seconds: Timestamp.now.seconds))
    }

    var now: Timestamp { clock.withLock { $0 } }
    func pass(days: Int64) { clock.withLock { $0.seconds += days * 86_400 } }

    func restart(_ change: (inout ServiceConfiguration) -> Void = { _ in }) async throws {
        await harness.stop()
        let clock = clock
        try await harness.start {
            $0.now = { clock.withLock { $0 } }
            change(&$0)
        }
    }

    // MARK: - What is published

    func pack(_ id: String, version: Int = 1) throws -> SamplePack {
        if let made = packs.withLock({ $0["\(id) \(version)"] }) { return made }
        let pack = try SamplePack.make(
            id, version: version, policy: "essential", files: ["\(id)/file": Array("\(id) \(version)".utf8)],
            in: harness.scratch)
        packs.withLock { $0["\(id) \(version)"] = pack }
        return pack
    }

    /// A manifest of these packs, still to be signed; their archives are served.
    func manifest(_ packs: [SamplePack]) throws -> SignedManifest {
        server.publish(packs)
        let entries = try packs.map { try $0.entry(baseURL: "\(server.baseURL)/assets") }
        return SignedManifest(DownloadManifest(assetPacks: entries).json)
    }

    func publication(_ generation: Int64) -> ManifestPublication {
        ManifestPublication(
            app: Self.app, platforms: ["Linux"], generation: generation, signed: now,
            expires: Timestamp(seconds: now.seconds + 30 * 86_400))
    }

    /// Signed by the publisher, unless somebody else is named.
    func signed(
        _ packs: [SamplePack], _ generation: Int64, by key: Ed25519PrivateKey? = nil,
        _ change: (inout ManifestPublication) -> Void = { _ in }
    ) throws -> SignedManifest {
        var manifest = try manifest(packs)
        var publication = publication(generation)
        change(&publication)
        try manifest.sign(publication, with: [key ?? signer])
        return manifest
    }

    /// Has the server answer with this, whoever signed it.
    func serve(_ manifest: SignedManifest) throws { try serve(Array(manifest.document.serialized(.pretty).utf8)) }

    func serve(_ bytes: [UInt8]) throws {
        let number = files.withLock { number in
            number += 1
            return number
        }
        server.publish(try harness.scratch.write(bytes, to: "manifest-\(number).json"), as: "/manifest")
    }

    // MARK: - The device

    /// The app's bundle; the keys in it may be others, or none.
    func bundle(version: String = "1.0", keys: String?? = nil, _ change: (inout AppFixture) -> Void = { _ in }) throws
        -> String
    {
        try harness.bundle(version: version) { fixture in
            fixture.keys = AppFixture.managedKeys(manifestURL: server.manifestURL)
            fixture.keys["LarderManifestKeys"] = keys ?? Self.pinned([signer], root: [root])
            change(&fixture)
        }
    }

    static func pinned(
        _ keys: [Ed25519PrivateKey], threshold: Int = 1, root: [Ed25519PrivateKey]? = nil, more: String = ""
    ) -> String {
        func array(_ keys: [Ed25519PrivateKey]) -> String {
            "<array>" + keys.map { "<string>\($0.publicKey.text)</string>" }.joined() + "</array>"
        }
        return "<dict><key>Keys</key>\(array(keys))<key>Threshold</key><integer>\(threshold)</integer>"
            + (root.map { "<key>RootKeys</key>\(array($0))" } ?? "") + more + "</dict>"
    }

    /// The error that an install ends with; nil when it goes well.
    func install(_ path: String) async throws -> DeviceError? { try await harness.install(path).last?.error }

    /// The error that `larder check` ends with; nil when the manifest is taken.
    func check() async throws -> DeviceError? {
        let connection = try await harness.connect()
        do {
            _ = try await connection.send(CheckForUpdatesRequest(app: Self.app))
            return nil
        } catch let error as DeviceError {
            return error
        }
    }

    /// Asks for the newest version of a pack as an app does, waits for it, and says what it came to.
    func update(_ id: String) async throws -> DeviceError? {
        let connection = try await harness.connect()
        do {
            return try await connection.send(
                EnsureLocalAvailabilityRequest(app: Self.app, packs: [id], requireLatestVersions: true)
            ).failures.first?.error
        } catch let error as DeviceError {
            return error
        }
    }

    /// What the app reads of a pack right now; nil when it is not there.
    func contents(_ id: String) throws -> String? {
        try readableFiles(harness.paths.appRoot(Self.app))["\(id)/file"].map { String(decoding: $0, as: UTF8.self) }
    }

    /// What `larder status` tells of the app.
    func notes() async throws -> [String] {
        try await harness.connect().send(StatusRequest()).notes.filter { $0.app == Self.app }.map(\.message)
    }

    /// What `larder doctor` says of the app's keys.
    func doctor() async throws -> DoctorFinding? {
        try await harness.connect().send(DoctorRequest(app: Self.app)).findings
            .first { $0.subject.hasSuffix("manifest keys") }
    }
}
