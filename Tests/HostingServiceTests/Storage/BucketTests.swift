// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Crypto
import DeviceSupport
import HTTP
import HostingClient
import HostingModel
import HostingService
import Kit
import ObjectStorage
import System
import TestSupport
import Testing

/// A host that keeps archives and uploads in a bucket.
@Suite(.timeLimit(.minutes(5))) struct BucketTests {
    private static func content(_ size: Int = Int(UploadPlan.usualPartSize) + 300_000) -> [UInt8] {
        var generator = SeededGenerator.forTest()
        return generator.bytes(size)
    }

    /// A reserved file, of one new version of a new pack.
    private func reserve(_ bytes: [UInt8], _ fixture: HostFixture) async throws -> (version: String, file: JSONValue) {
        let version = try await fixture.publisher.version(
            of: fixture.publisher.pack("Coast", app: fixture.appID))
        return (version, try await fixture.publisher.reserve(version, size: bytes.count))
    }

    private func operations(_ file: JSONValue, _ fixture: HostFixture) async throws -> [JSONValue] {
        let id = try #require(file["id"]?.stringValue)
        let shown = try await fixture.publisher.send("GET", "/v1/backgroundAssetUploadFiles/\(id)").json
        return try #require(shown["data"]?["attributes"]?["uploadOperations"]?.arrayValue)
    }

    @Test func nothingOfAnUploadIsOnTheHostOrLeftBehind() async throws {
        try await HostFixture.with(in: .bucket, { $0.limits.uploadLifetime = 3600 }) { fixture in
            let objects = try #require(fixture.objects)
            let archive = try fixture.archive(content: Self.content())
            let (version, file) = try await reserve(archive, fixture)
            for operation in file["attributes"]?["uploadOperations"]?.arrayValue ?? [] {
                let url = try #require(operation["url"]?.stringValue)
                #expect(url.hasPrefix("\(objects.url)/packs/live/uploads/"))
                #expect(url.contains("X-Amz-Expires=3600&"))
                #expect(!url.contains(ObjectServer.secretKey))
            }
            try await fixture.publisher.put(archive, to: file)
            #expect(try await fixture.publisher.commit(try #require(file["id"]?.stringValue)).status == 200)
            #expect(try await fixture.publisher.processed(version)["attributes"]?["state"] == "COMPLETE")
            // What is left over goes a moment after the answer.
            while try objects.keys().contains(where: { $0.hasPrefix("live/uploads/") }) { await Task.yield() }
            // The archive and its index.
            #expect(try objects.keys().count == 2)
            #expect(try objects.keys().allSatisfy { $0.hasPrefix("live/archives/") })
            #expect(!FileDescriptor.currentDirectory.exists(at: fixture.scratch("data/archives")))
            while try !fixture.scratch.tree("data/spool").isEmpty { await Task.yield() }
        }
    }

    /// The way of archives that a store does not copy by itself, with smaller sizes.
    @Test func whatIsTooLargeToBeCopiedIsSentAnewInParts() async throws {
        try await HostFixture.with(
            in: .bucket,
            {
                $0.storage?.sizes.copy = 100_000
                $0.storage?.sizes.singlePiece = 100_000
                $0.storage?.sizes.part = 1 << 20
            }
        ) { fixture in
            let objects = try #require(fixture.objects)
            let archive = try fixture.archive(content: Self.content(3_500_000))
            let pack = try await fixture.publisher.pack("Coast", app: fixture.appID)
            let version = try await fixture.publisher.publish(archive, to: pack)
            #expect(version["attributes"]?["state"] == "COMPLETE")
            while try objects.keys().contains(where: { $0.hasPrefix("live/uploads/") }) { await Task.yield() }
            let digest = TreeDigest.hash(archive).hex
            let key = try #require(try objects.keys().first { $0.hasSuffix("/\(digest)") })
            #expect(try objects.keys().allSatisfy { $0.hasPrefix("live/archives/") })
            #expect(try File.read(objects.folder.appending("packs").appending(key)) == archive)
        }
    }

    @Test func aHostSaysThatItsStoreIsAway() async throws {
        try await HostFixture.with(in: .bucket) { fixture in
            #expect(try await fixture.publisher.send("GET", "/healthz").status == 200)
            let objects = try #require(fixture.objects)
            objects.stop()
            let ill = try await eventually {
                let answer = try await fixture.publisher.send("GET", "/healthz")
                return answer.status == 503 ? answer : nil
            }
            #expect(String(decoding: ill.body, as: UTF8.self) == "The storage cannot be used.\n")
            try objects.start()
            _ = try await eventually {
                try await fixture.publisher.send("GET", "/healthz").status == 200 ? () : nil
            }
        }
    }

    @Test func aPartOfAnotherLengthIsRefusedByTheStore() async throws {
        try await HostFixture.with(in: .bucket) { fixture in
            let bytes = Self.content()
            let (_, file) = try await reserve(bytes, fixture)
            let first = try #require(try await operations(file, fixture).first)
            let url = try #require(first["url"]?.stringValue)
            #expect(try await fixture.publisher.sendElsewhere("PUT", url, Array(bytes.prefix(1000))).status == 403)
            #expect(try await fixture.publisher.put(bytes, first).status == 200)
            let missing = try await fixture.publisher.commit(try #require(file["id"]?.stringValue))
            #expect(missing.code == "STATE_ERROR.UPLOAD_INCOMPLETE")
        }
    }

    @Test func anUploadThatTheStoreHasLostBeginsAnew() async throws {
        try await HostFixture.with(in: .bucket) { fixture in
            let objects = try #require(fixture.objects)
            let archive = try fixture.archive(content: Self.content())
            let (version, file) = try await reserve(archive, fixture)
            try await fixture.publisher.put(archive, to: file)
            #expect(try await operations(file, fixture).allSatisfy { $0["entityTag"] != nil })
            // It forgets what was not completed, as a rule of a bucket may after some days.
            objects.stop()
            try objects.start()
            #expect(
                try await fixture.publisher.commit(try #require(file["id"]?.stringValue)).code
                    == "STATE_ERROR.UPLOAD_INCOMPLETE")
            let fresh = try await operations(file, fixture)
            #expect(fresh.allSatisfy { $0["entityTag"] == nil })
            for operation in fresh { #expect(try await fixture.publisher.put(archive, operation).status == 200) }
            #expect(try await fixture.publisher.commit(try #require(file["id"]?.stringValue)).status == 200)
            #expect(try await fixture.publisher.processed(version)["attributes"]?["state"] == "COMPLETE")
        }
    }

    @Test func anUploaderGetsThroughWhenTheStoreDiesMeanwhile() async throws {
        try await HostFixture.with(in: .bucket) { fixture in
            let objects = try #require(fixture.objects)
            let archive = try fixture.scratch.archive(
                "Coast", content: Self.content(4 * Int(UploadPlan.usualPartSize)))
            var configuration = HTTPClientConfiguration()
            configuration.allowsPlainLoopback = true
            configuration.trustedCertificates = [objects.authorityFile]
            let signer = fixture.publisher.signer
            let client = HostingClient(
                url: fixture.host.url,
                credentials: HostingCredentials(keyID: signer.keyID, issuer: signer.issuer, key: signer.key),
                http: HTTPClient(configuration),
                patience: RetryPolicy(first: .milliseconds(20), longest: .milliseconds(200), patience: .seconds(120)))
            let isStopped = Locked(false)
            let half = try FileDescriptor.currentDirectory.status(at: archive).size / 2
            let version = try await PackUploader(client, parallel: 2).upload(
                archive, to: .bundleID(HostFixture.bundleID)
            ) { event in
                guard case .progress(let completed, _) = event, completed > half else { return }
                let isFirst = isStopped.withLock { stopped in
                    defer { stopped = true }
                    return !stopped
                }
                if isFirst {
                    objects.stop()
                    try? objects.start()
                }
            }
            #expect(isStopped.withLock { $0 })
            #expect(try await PackUploader(client).outcome(of: version.id).state == "COMPLETE")
        }
    }

    @Test func archivesAreFetchedFromAddressesThatExpire() async throws {
        let log = MemoryLogSink()
        try await HostFixture.with(
            in: .bucket,
            {
                $0.limits.downloadLifetime = 90
                $0.log = Logger(label: "host", level: .trace, sink: log)
            }
        ) { fixture in
            let archive = try fixture.archive(content: Self.content(500_000))
            let pack = try await fixture.publisher.pack("Coast", app: fixture.appID)
            _ = try await fixture.publisher.publish(archive, to: pack)
            let manifest = try await fixture.ask(.internalBeta, "manifest")
            let entry = try #require(
                try DownloadManifest.decode(manifest.body, source: "host", allowingPlainLoopback: true)["Coast"])
            #expect(entry.url.hasPrefix(fixture.host.url), "devices are given the host's own address, which stays")

            let first = try await fixture.publisher.send("GET", entry.url, token: .some(nil))
            #expect(first.status == 307)
            #expect(first.headers["cache-control"] == "no-store")
            let location = try #require(first.headers["location"])
            #expect(location.hasPrefix("https://"))
            #expect(location.contains("X-Amz-Expires=90&"))

            // A download goes on from another address than it began at.
            let begun = try await fixture.publisher.fetch(entry.url, headers: ["Range": "bytes=0-99999"])
            let tag = try #require(begun.headers["etag"])
            #expect(tag.hasPrefix("\""))
            let rest = try await fixture.publisher.fetch(
                entry.url, headers: ["Range": "bytes=100000-", "If-Range": tag])
            #expect(rest.status == 206)
            #expect(begun.body + rest.body == archive)
            let other = try await fixture.publisher.fetch(
                entry.url, headers: ["Range": "bytes=100000-", "If-Range": "\"another\""])
            #expect(other.status == 200)
            #expect(other.body == archive)

            let unknown = fixture.host.url + "/archives/" + String(repeating: "ab", count: 32)
            #expect(try await fixture.publisher.send("GET", unknown, token: .some(nil)).status == 404)
        }
        let lines = log.records.map { "\($0.message) \($0.metadata)" }
        #expect(!lines.isEmpty)
        for line in lines {
            #expect(!line.contains(ObjectServer.secretKey) && !line.contains("X-Amz-Signature"), "\(line)")
        }
    }

    /// Starts a host and stops it.
    private func start(_ configuration: HostConfiguration) async throws { try await Host(configuration).stop() }

    @Test func anotherStorageIsRefusedUntilTheArchivesAreSaidToBeThere() async throws {
        try await Scratch.with { scratch in
            var configuration = HostConfiguration(data: scratch("data"))
            configuration.host = "127.0.0.1"
            let administration = try await HostAdministration(configuration)
            let app = try await administration.createApp(bundleID: "org.example.a", name: nil, locale: nil, sku: nil)
            let (key, pem) = try await administration.createKey(name: "k", role: .admin, apps: nil)
            let issuer = try await administration.issuer()
            await administration.close()
            let folder = configuration
            let objects = try TestStorage.bucket.begin(in: scratch, &configuration)
            let bucket = configuration
            // As long as there is nothing, it may be anywhere.
            for setting in [folder, bucket, folder] { try await start(setting) }

            let host = try await Host(folder)
            let publisher = Publisher(
                url: host.url, signer: TokenSigner(keyID: key.id, issuer: issuer, key: try SigningKey(pem: pem)))
            let archive = try File.read(scratch.archive("Coast", content: [1]))
            _ = try await publisher.publish(archive, to: publisher.pack("Coast", app: app.id))
            await host.stop()
            let refused = await #expect(throws: HostingError.self) { try await start(bucket) }
            #expect(refused?.message.contains("in its data folder, and not in s3://packs/live") == true)
            #expect(refused?.message.contains("--storage-moved") == true)
            configuration.storageHasMoved = true
            try await start(configuration)
            try await start(bucket)
            await #expect(throws: HostingError.self) { try await start(folder) }
            objects?.stop()
        }
    }

    @Test func aBackupIsOfTheDatabaseAndSaysSo() async throws {
        try await HostFixture.with(on: .sqlite, in: .bucket) { fixture in
            let pack = try await fixture.publisher.pack("Coast", app: fixture.appID)
            _ = try await fixture.publisher.publish(fixture.archive(content: [1, 2, 3]), to: pack)
            let output = BufferSink()
            let context = CommandContext(
                programName: "larder-host", environment: [:], standardOutput: output, standardError: BufferSink())
            let copy = fixture.scratch("copy")
            let code = await CommandRunner(root: HostCommands.tree, version: "test").run(
                ["backup", copy.string, "--data", fixture.scratch("data").string], context: context)
            #expect(code == .success)
            #expect(output.text.contains("Archives and uploads are in s3://packs/live, and are not in it."))
            #expect(try fixture.scratch.tree("copy").map { "\($0)" }.allSatisfy { !$0.contains("archives") })
        }
    }

    @Test func aStorageThatCannotBeUsedIsSaidAtTheStart() async throws {
        try await Scratch.with { scratch in
            let objects = try ObjectServer(in: scratch(""))
            func run(_ setting: String, _ environment: [String: String]) async -> (code: ExitCode, errors: String) {
                let errors = BufferSink()
                let context = CommandContext(
                    programName: "larder-host",
                    environment: environment.merging(["LARDER_HOME": scratch("home").string]) { $1 },
                    standardOutput: BufferSink(), standardError: errors)
                let code = await CommandRunner(root: HostCommands.tree, version: "test").run(
                    ["serve", "--port", "0", "--storage", setting], context: context)
                return (code, errors.text)
            }
            let wrongKey = await run(
                objects.setting(), objects.credentials.merging(["AWS_SECRET_ACCESS_KEY": "hidden-words"]) { $1 })
            #expect(wrongKey.code == .refused)
            #expect(wrongKey.errors.contains("Check the credentials"))
            #expect(!wrongKey.errors.contains("hidden-words"))
            let noKey = await run(objects.setting(), [:])
            #expect(noKey.code == .badInput)
            #expect(noKey.errors.contains("AWS_ACCESS_KEY_ID"))
            let noBucket = await run(
                objects.setting().replacing("s3://packs", with: "s3://none"), objects.credentials)
            #expect(noBucket.errors.contains("There is no bucket none"))
            let plain = await run("s3://packs?endpoint=http://192.0.2.1", objects.credentials)
            #expect(plain.code == .badInput)
            objects.stop()
        }
    }
}
