// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Commands
import Crypto
import DeviceSupport
import HTTP
import HostingClient
import HostingModel
import HostingService
import Kit
import System
import TestSupport
import Testing

/// What publishers do with a host from their side: the client and its command.
@Suite(.timeLimit(.minutes(5))) struct UploadTests {
    private static let partSize = Int(UploadPlan.usualPartSize)

    private static func client(
        _ fixture: HostFixture, url: String? = nil, patience: RetryPolicy = HostingClient.usualPatience
    ) -> HostingClient {
        var configuration = HTTPClientConfiguration()
        configuration.allowsPlainLoopback = true
        configuration.trustedCertificates = fixture.publisher.authority.map { [$0] } ?? []
        let signer = fixture.publisher.signer
        return HostingClient(
            url: url ?? fixture.host.url,
            credentials: HostingCredentials(keyID: signer.keyID, issuer: signer.issuer, key: signer.key),
            http: HTTPClient(configuration), patience: patience)
    }

    private static let app = AppReference.bundleID(HostFixture.bundleID)

    /// An archive of more than two parts, as a file.
    private static func archive(_ fixture: HostFixture, _ id: String = "Coast", size: Int? = nil) throws -> FilePath {
        var generator = SeededGenerator.forTest()
        let content = generator.bytes(size ?? 2 * partSize + 100_000)
        return try fixture.scratch.write(fixture.archive(id, content: content), to: "\(id)-upload/\(id).aar")
    }

    @Test(arguments: TestStorage.allCases)
    func anArchiveIsUploadedInParts(storage: TestStorage) async throws {
        try await HostFixture.with(in: storage) { fixture in
            let archive = try Self.archive(fixture)
            let uploader = PackUploader(Self.client(fixture))
            let progress = Locked<[Int64]>([])
            let version = try await uploader.upload(archive, to: Self.app) { event in
                if case .progress(let completed, _) = event { progress.withLock { $0.append(completed) } }
            }
            #expect(version.assetPackID == "Coast")
            #expect(version.number == "1")
            #expect(!version.isResumed)
            let size = try FileDescriptor.currentDirectory.status(at: archive).size
            #expect(progress.withLock { $0.last } == size)
            let outcome = try await uploader.outcome(of: version.id)
            #expect(outcome.state == "COMPLETE")
            // The pack is there already, and the version gets the next number.
            let next = try await uploader.upload(archive, to: .id(fixture.appID))
            #expect(next.pack == version.pack)
            #expect(next.number == "2")
        }
    }

    @Test(arguments: TestStorage.allCases)
    func anUploadThatEndedGoesOnWithoutSendingAgainWhatHasArrived(storage: TestStorage) async throws {
        try await HostFixture.with(in: storage) { fixture in
            let archive = try Self.archive(fixture)
            let bytes = try File.read(archive)
            let pack = try await fixture.publisher.pack("Coast", app: fixture.appID)
            let begun = try await fixture.publisher.version(of: pack)
            let file = try await fixture.publisher.reserve(begun, size: bytes.count)
            let operations = try #require(file["attributes"]?["uploadOperations"]?.arrayValue)
            #expect(operations.count == 3)
            // One part as it is, and one of something else. The tests' store replaces no part once those before it have come.
            _ = try await fixture.publisher.put(bytes, operations[1])
            if storage == .folder {
                _ = try await fixture.publisher.put(Array(repeating: 7, count: bytes.count), operations[2])
            }
            let version = try await PackUploader(Self.client(fixture)).upload(archive, to: Self.app)
            #expect(version.isResumed)
            #expect(version.id == begun)
            #expect(try await PackUploader(Self.client(fixture)).outcome(of: begun).state == "COMPLETE")
        }
    }

    /// Trying again would not help, and must not go on for minutes.
    @Test func aPartThatTheStoreWillNotReplaceEndsTheUpload() async throws {
        try await HostFixture.with(in: .bucket) { fixture in
            let archive = try Self.archive(fixture)
            let bytes = try File.read(archive)
            let version = try await fixture.publisher.version(
                of: fixture.publisher.pack("Coast", app: fixture.appID))
            let file = try await fixture.publisher.reserve(version, size: bytes.count)
            let operations = try #require(file["attributes"]?["uploadOperations"]?.arrayValue)
            _ = try await fixture.publisher.put(Array(repeating: 7, count: bytes.count), operations[0])
            let error = await #expect(throws: HostingClientError.self) {
                _ = try await PackUploader(Self.client(fixture)).upload(archive, to: Self.app)
            }
            #expect(error?.status == 501)
        }
    }

    @Test func aVersionWithoutAFileIsTaken() async throws {
        try await HostFixture.with { fixture in
            let archive = try Self.archive(fixture, size: 1000)
            let pack = try await fixture.publisher.pack("Coast", app: fixture.appID)
            let begun = try await fixture.publisher.version(of: pack)
            let version = try await PackUploader(Self.client(fixture)).upload(archive, to: Self.app)
            #expect(version.id == begun)
        }
    }

    @Test(arguments: TestStorage.allCases) func anUploadOutlivesTheHost(storage: TestStorage) async throws {
        try await Scratch.with { scratch in
            var configuration = HostConfiguration(data: scratch("data"))
            configuration.host = "127.0.0.1"
            let objects = try storage.begin(in: scratch, &configuration)
            let administration = try await HostAdministration(configuration)
            _ = try await administration.createApp(
                bundleID: HostFixture.bundleID, name: nil, locale: nil, sku: nil)
            let (key, pem) = try await administration.createKey(name: "test", role: .developer, apps: nil)
            let issuer = try await administration.issuer()
            await administration.close()
            var host: Host? = try await Host(configuration)
            configuration.port = host?.port ?? 0
            let url = try #require(host?.url)
            var http = HTTPClientConfiguration()
            http.allowsPlainLoopback = true
            http.trustedCertificates = objects.map { [$0.authorityFile] } ?? []
            let client = HostingClient(
                url: url, credentials: HostingCredentials(keyID: key.id, issuer: issuer, key: try SigningKey(pem: pem)),
                http: HTTPClient(http),
                patience: RetryPolicy(first: .milliseconds(20), longest: .milliseconds(100), patience: .seconds(120)))
            var generator = SeededGenerator.forTest()
            let archive = try scratch.archive("Coast", content: generator.bytes(4 * Self.partSize))
            // The host is stopped as soon as the first bytes are on their way.
            let (started, start) = AsyncStream<Void>.makeStream()
            let upload = Task {
                try await PackUploader(client, parallel: 2).upload(archive, to: Self.app) { event in
                    if case .progress(let completed, _) = event, completed > 0 { start.finish() }
                }
            }
            for await _ in started {}
            await host?.stop()
            host = try await Host(configuration)
            let version = try await upload.value
            #expect(try await PackUploader(client).outcome(of: version.id).state == "COMPLETE")
            await host?.stop()
            objects?.stop()
        }
    }

    @Test func whatTheHostRefusesIsTold() async throws {
        try await HostFixture.with { fixture in
            var bytes = try File.read(Self.archive(fixture))
            // The manifest stands in the first block; what is missing is behind it.
            bytes.removeLast(bytes.count / 3)
            let archive = try fixture.scratch.write(bytes, to: "broken/Coast.aar")
            let uploader = PackUploader(Self.client(fixture))
            let version = try await uploader.upload(archive, to: Self.app)
            let outcome = try await uploader.outcome(of: version.id)
            #expect(outcome.state == "FAILED")
            #expect(outcome.errors.first?.code == "ARCHIVE_INVALID")
        }
    }

    @Test func anUnknownAppAndAKeyThatMayNotAreSaid() async throws {
        try await HostFixture.with { fixture in
            let archive = try Self.archive(fixture, size: 1000)
            let unknown = await #expect(throws: HostingClientError.self) {
                _ = try await PackUploader(Self.client(fixture)).upload(archive, to: .bundleID("org.example.none"))
            }
            #expect(unknown?.code == .notFound)
            #expect(unknown?.exitCode == .notFound)
            let signer = try await fixture.publisher(.reviewer).signer
            let credentials = HostingCredentials(keyID: signer.keyID, issuer: signer.issuer, key: signer.key)
            let reviewer = HostingClient(
                url: fixture.host.url, credentials: credentials, http: Self.client(fixture).http)
            let refused = await #expect(throws: HostingClientError.self) {
                _ = try await PackUploader(reviewer).upload(archive, to: Self.app)
            }
            #expect(refused?.code == .refused)
            let stranger = HostingClient(
                url: fixture.host.url,
                credentials: HostingCredentials(keyID: signer.keyID, issuer: signer.issuer, key: try SigningKey()),
                http: Self.client(fixture).http)
            let unauthorized = await #expect(throws: HostingClientError.self) { _ = try await stranger.get("/v1/apps") }
            #expect(unauthorized?.code == .credentials)
        }
    }

    @Test func listsAreReadToTheirEnd() async throws {
        try await HostFixture.with { fixture in
            for index in 1...5 { _ = try await fixture.publisher.pack("Pack\(index)", app: fixture.appID) }
            let found = try await Self.client(fixture).list(
                "/v1/apps/\(fixture.appID)/backgroundAssets", ["limit": "2", "sort": "assetPackIdentifier"])
            #expect(
                found.data.map { $0["attributes"]?["assetPackIdentifier"]?.stringValue } == [
                    "Pack1", "Pack2", "Pack3", "Pack4", "Pack5",
                ])
        }
    }

    // MARK: The command

    @Test func theCommandUploadsAndWaits() async throws {
        try await HostFixture.with { fixture in
            let archive = try Self.archive(fixture, size: 30_000).string
            let plain = try await fixture.run(
                ["upload", archive, "--app", HostFixture.bundleID, "--wait"])
            #expect(plain.code == .success, "\(plain)")
            #expect(plain.output.contains("Uploaded Coast 1"))
            #expect(plain.output.contains("internal testers can get it"))
            let json = try await fixture.run(
                ["upload", archive, "--app", HostFixture.bundleID, "--wait", "--json"])
            let lines = try json.output.split(separator: "\n").map { try JSONParser.parse(Array($0.utf8)).value }
            #expect(lines.first?["event"] == "began")
            #expect(lines.count { $0["event"] == "progress" && $0["completed"] == $0["total"] } == 1)
            #expect(lines.last?["event"] == "processed")
            #expect(lines.last?["state"] == "COMPLETE")
            #expect(lines.last?["version"] == "2")
        }
    }

    @Test func theCommandFailsWhereTheHostRefuses() async throws {
        try await HostFixture.with { fixture in
            var bytes = try File.read(Self.archive(fixture))
            bytes.removeLast(bytes.count / 3)
            let archive = try fixture.scratch.write(bytes, to: "broken/Coast.aar").string
            let result = try await fixture.run(["upload", archive, "--app", HostFixture.bundleID, "--wait"])
            #expect(result.code == .badInput)
            #expect(result.errors.contains("ARCHIVE_INVALID"))
        }
    }

    @Test func whatIsMissingIsNamed() async throws {
        try await HostFixture.with { fixture in
            let archive = try Self.archive(fixture, size: 1000).string
            let words = ["upload", archive, "--app", HostFixture.bundleID]
            for (variable, option) in [
                ("LARDER_HOST", "--host"), ("APP_STORE_CONNECT_KEY_IDENTIFIER", "--key-id"),
                ("APP_STORE_CONNECT_ISSUER_ID", "--issuer"),
            ] {
                let result = try await fixture.run(words, environment: [variable: ""])
                #expect(result.code == .usage)
                #expect(result.errors.contains(option) && result.errors.contains(variable))
            }
            // Then the key is looked for where App Store Connect's tools look, and found there.
            let keyless = ["APP_STORE_CONNECT_PRIVATE_KEY": "", "API_PRIVATE_KEYS_DIR": fixture.scratch("keys").string]
            let missing = try await fixture.run(words, environment: keyless)
            #expect(missing.code == .notFound)
            #expect(missing.errors.contains("AuthKey_\(fixture.publisher.signer.keyID).p8"))
            try fixture.scratch.write(
                try fixture.publisher.signer.key.pem(), to: "keys/AuthKey_\(fixture.publisher.signer.keyID).p8")
            let found = try await fixture.run(words, environment: keyless)
            #expect(found.code == .success, "\(found)")
        }
    }

    @Test func theSettingsFileSaysTheRest() async throws {
        try await HostFixture.with { fixture in
            let settings: JSONValue = [
                "url": .string(fixture.host.url), "keyID": .string(fixture.publisher.signer.keyID),
                "issuer": .string(fixture.issuer),
            ]
            try fixture.scratch.write(settings.serialized(), to: "home/config/hosting.json")
            let archive = try Self.archive(fixture, size: 1000).string
            let result = try await fixture.run(
                ["upload", archive, "--app", HostFixture.bundleID],
                environment: [
                    "LARDER_HOST": "", "APP_STORE_CONNECT_KEY_IDENTIFIER": "", "APP_STORE_CONNECT_ISSUER_ID": "",
                ])
            #expect(result.code == .success, "\(result)")
        }
    }
}
