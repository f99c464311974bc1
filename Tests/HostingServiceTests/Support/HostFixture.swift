// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Crypto
import Database
import DeviceSupport
import HTTP
import HostingModel
import HostingService
import Kit
import System
import TestSupport
import Testing

/// A host with a data folder of its own and an app, and a publisher who has a key.
final class HostFixture: Sendable {
    let scratch: Scratch
    let configuration: HostConfiguration
    let host: Host
    let appID: String
    let publisher: Publisher
    let issuer: String
    /// The store, when it is a bucket.
    let objects: ObjectServer?

    static let bundleID = "org.example.coast"

    private init(
        _ scratch: Scratch, _ configuration: HostConfiguration, _ host: Host, _ appID: String, _ issuer: String,
        _ publisher: Publisher, _ objects: ObjectServer?
    ) {
        self.objects = objects
        self.scratch = scratch
        self.configuration = configuration
        self.host = host
        self.appID = appID
        self.issuer = issuer
        self.publisher = publisher
    }

    /// Runs `body` with a host that stops afterwards.
    static func with(
        on database: TestDatabase = .usual, in storage: TestStorage = .folder,
        _ change: @Sendable (inout HostConfiguration) -> Void = { _ in },
        _ body: (HostFixture) async throws -> Void
    ) async throws {
        try await database.withRoom { try await stand(on: database, in: storage, change, body) }
    }

    private static func stand(
        on database: TestDatabase, in storage: TestStorage, _ change: @Sendable (inout HostConfiguration) -> Void,
        _ body: (HostFixture) async throws -> Void
    ) async throws {
        try await Scratch.with { scratch in
            var configuration = HostConfiguration(data: scratch("data"))
            configuration.host = "127.0.0.1"
            let objects = try storage.begin(in: scratch, &configuration)
            configuration.postgres = try await database.newAddress()
            change(&configuration)
            let administration = try await HostAdministration(configuration)
            let app = try await administration.createApp(bundleID: bundleID, name: "The Coast", locale: nil, sku: nil)
            let (key, pem) = try await administration.createKey(name: "test", role: .admin, apps: nil)
            let issuer = try await administration.issuer()
            await administration.close()
            let host = try await Host(configuration)
            let publisher = Publisher(
                url: host.url,
                signer: TokenSigner(
                    keyID: key.id, issuer: issuer, key: try SigningKey(pem: pem), clock: configuration.clock),
                authority: objects?.authorityFile)
            let fixture = HostFixture(scratch, configuration, host, app.id, issuer, publisher, objects)
            let result: Result<Void, any Error>
            do {
                result = .success(try await body(fixture))
            } catch {
                result = .failure(error)
            }
            await host.stop()
            objects?.stop()
            try result.get()
        }
    }

    /// Somebody with a new key of that role.
    func publisher(_ role: Role, apps: [String]? = nil) async throws -> Publisher {
        let administration = try await HostAdministration(configuration)
        let (key, pem) = try await administration.createKey(name: "\(role)", role: role, apps: apps)
        await administration.close()
        return Publisher(
            url: host.url,
            signer: TokenSigner(
                keyID: key.id, issuer: issuer, key: try SigningKey(pem: pem), clock: configuration.clock),
            authority: objects?.authorityFile)
    }

    /// Another app; its identifier.
    func app(_ bundleID: String) async throws -> String {
        let administration = try await HostAdministration(configuration)
        let app = try await administration.createApp(bundleID: bundleID, name: nil, locale: nil, sku: nil)
        await administration.close()
        return app.id
    }

    /// The bytes of an archive with one file.
    func archive(
        _ id: String = "Coast", content: [UInt8], more: [String: [UInt8]] = [:], platforms: String = "[]"
    ) throws -> [UInt8] {
        try File.read(scratch.archive(id, content: content, more: more, platforms: platforms))
    }
}

extension Scratch {
    /// An archive with one file, and more in a folder.
    func archive(
        _ id: String, content: [UInt8], more: [String: [UInt8]] = [:], platforms: String = "[]"
    ) throws -> FilePath {
        let folder = "pack-\(UInt64.random(in: 0...UInt64.max))"
        try write(content, to: "\(folder)/source/data.bin")
        for (name, bytes) in more { try write(bytes, to: "\(folder)/source/more/\(name)") }
        let others = more.isEmpty ? "" : #", {"directory": "more"}"#
        let manifest = try write(
            """
            {"assetPackID": "\(id)", "downloadPolicy": {"onDemand": {}}, "fileSelectors": [{"file": "data.bin"}\(others)],
             "platforms": \(platforms)}
            """, to: "\(folder)/manifest.json")
        let archive = self("\(folder)/\(id).aar")
        _ = try Packager(
            PackEvaluation(PackManifest(contentsOf: manifest), sourceDirectory: self("\(folder)/source"))
        ).package(to: archive)
        return archive
    }
}

/// Makes bearer tokens.
struct TokenSigner: Sendable {
    var keyID: String
    var issuer: String
    var key: SigningKey
    /// The host's: a token from after its now is refused.
    var clock: @Sendable () -> Timestamp = { .now }

    func token(_ changes: [String: JSONValue] = [:]) throws -> String {
        let now = clock().seconds
        var claims: [String: JSONValue] = [
            "iss": .string(issuer), "aud": .string(BearerToken.audience), "iat": .integer(now),
            "exp": .integer(now + 600),
        ]
        for (name, value) in changes { claims[name] = value }
        let text = BearerToken.text(keyID: keyID, claims: .object(claims))
        return text + "." + Base64URL.encode(try key.sign(text.utf8))
    }
}
