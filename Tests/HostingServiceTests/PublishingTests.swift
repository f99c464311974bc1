// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import AssetPacks
import Crypto
import DeviceSupport
import HostingModel
import HostingService
import Kit
import System
import TestSupport
import Testing

/// The way of a pack from its publisher to a device.
@Suite(.timeLimit(.minutes(5))) struct PublishingTests {
    @Test(arguments: TestStorage.allCases)
    func aPackGoesFromUploadToInternalTesters(storage: TestStorage) async throws {
        var generator = SeededGenerator.forTest()
        // More than one part.
        let content = generator.bytes(Int(UploadPlan.usualPartSize) + 300_000)
        try await HostFixture.with(in: storage) { fixture in
            let archive = try fixture.archive(content: content, platforms: #"["Linux"]"#)
            let pack = try await fixture.publisher.pack("Coast", app: fixture.appID)
            let version = try await fixture.publisher.publish(archive, to: pack)
            #expect(version["attributes"]?["state"] == "COMPLETE")
            #expect(version["attributes"]?["version"] == "1")
            #expect(version["attributes"]?["platforms"] == ["LINUX"])

            let device = fixture.publisher
            let first = try await fixture.ask(.internalBeta, "manifest?platform=Linux&os=1")
            let manifest = try DownloadManifest.decode(first.body, source: "host", allowingPlainLoopback: true)
            let entry = try #require(manifest["Coast"])
            #expect(entry.version == 1)
            #expect(entry.downloadSize == Int64(archive.count))
            #expect(entry.larder?.digest.value == TreeDigest.hash(archive).hex)
            let etag = try #require(first.headers["etag"])
            #expect(etag.hasPrefix("\""))
            let again = try await fixture.ask(
                .internalBeta, "manifest?platform=Linux", headers: ["If-None-Match": etag])
            #expect(again.status == 304)
            #expect(again.body.isEmpty)

            let whole = try await device.fetch(entry.url)
            #expect(whole.body == archive)
            #expect(whole.headers["cache-control"]?.contains("immutable") == true || storage == .bucket)
            let head = try await device.fetch(entry.url, "HEAD")
            #expect(head.status == 200)
            #expect(head.headers["content-length"] == "\(archive.count)")
            let part = try await device.fetch(entry.url, headers: ["Range": "bytes=100-199"])
            #expect(part.status == 206)
            #expect(part.body == Array(archive[100..<200]))

            // For other systems, and in other channels, there is nothing yet.
            for (channel, document) in [(Channel.internalBeta, "manifest?platform=iOS"), (.appStore, "manifest")] {
                let answer = try await fixture.ask(channel, document)
                #expect(
                    try DownloadManifest.decode(answer.body, source: "host", allowingPlainLoopback: true).assetPacks
                        .isEmpty)
            }
        }
    }

    @Test func aNewerVersionSupersedesTheLiveOne() async throws {
        try await HostFixture.with { fixture in
            let publisher = fixture.publisher
            let pack = try await publisher.pack("Coast", app: fixture.appID)
            for number in 1...2 {
                let version = try await publisher.publish(
                    try fixture.archive(content: [UInt8(number)]), to: pack)
                #expect(version["attributes"]?["version"] == .string("\(number)"))
            }
            let path = "/v1/backgroundAssets/\(pack)/versions?include=internalBetaRelease&sort=version"
            let document = try await publisher.send("GET", path).json
            let states = document["included"]?.arrayValue?.compactMap { $0["attributes"]?["state"]?.stringValue }
            #expect(states?.sorted() == ["READY_FOR_TESTING", "SUPERSEDED"])
            let manifest = try await fixture.ask(.internalBeta, "manifest")
            #expect(
                try DownloadManifest.decode(manifest.body, source: "host", allowingPlainLoopback: true)["Coast"]?
                    .version == 2)
        }
    }

    @Test(arguments: TestStorage.allCases) func checksumsAreCompared(storage: TestStorage) async throws {
        try await HostFixture.with(in: storage) { fixture in
            let archive = try fixture.archive(content: [1, 2, 3])
            let md5 = MD5.hash(archive)
            let right: [String: JSONValue] = [
                "sourceFileChecksum": .string(Hexadecimal.encode(md5)),
                "sourceFileChecksums": [
                    "file": ["algorithm": "SHA_256", "hash": .string(SHA256.hash(archive).hex)],
                    "composite": ["algorithm": "MD5", "hash": .string(Hexadecimal.encode(MD5.hash(md5)) + "-1")],
                ],
            ]
            let pack = try await fixture.publisher.pack("Coast", app: fixture.appID)
            let version = try await fixture.publisher.publish(archive, to: pack, right)
            #expect(version["attributes"]?["state"] == "COMPLETE")
            let zeros = String(repeating: "0", count: 64)
            for wrong: [String: JSONValue] in [
                ["sourceFileChecksum": .string(String(zeros.prefix(32)))],
                ["sourceFileChecksums": ["file": ["algorithm": "SHA_256", "hash": .string(zeros)]]],
                [
                    "sourceFileChecksums": [
                        "composite": ["algorithm": "MD5", "hash": .string(String(zeros.prefix(32)))]
                    ]
                ],
            ] {
                let failed = try await fixture.publisher.publish(archive, to: pack, wrong)
                #expect(failed["attributes"]?["state"] == "FAILED")
                #expect(
                    failed["attributes"]?["stateDetails"]?["errors"]?.arrayValue?.first?["code"] == "CHECKSUM_MISMATCH")
            }
        }
    }

    struct Bad: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: String
        let bytes: @Sendable (HostFixture) throws -> [UInt8]
    }

    @Test(
        arguments: [
            Bad(testDescription: "noise", code: "ARCHIVE_INVALID") { _ in Array(repeating: 7, count: 5000) },
            Bad(testDescription: "a cut archive", code: "ARCHIVE_INVALID") {
                try $0.archive(content: Array(repeating: 9, count: 5000)).dropLast(20)
            },
            Bad(testDescription: "another pack", code: "ASSET_PACK_ID_MISMATCH") {
                try $0.archive("Other", content: [1])
            },
            Bad(testDescription: "more than may be unpacked", code: "ARCHIVE_INVALID") {
                try $0.archive(content: Array(repeating: 0, count: 2 << 20))
            },
            Bad(testDescription: "more files than there may be", code: "ARCHIVE_INVALID") {
                try Self.archive($0) { writer in
                    for number in 1...100 {
                        try writer.append(EntryHeader(type: .regularFile, path: "Contents/\(number)"), bytes: [])
                    }
                }
            },
            Bad(testDescription: "folders in folders", code: "ARCHIVE_INVALID") {
                try Self.archive($0) {
                    let path = Array(repeating: "d", count: 300).joined(separator: "/")
                    try $0.append(EntryHeader(type: .directory, path: "Contents/\(path)"))
                }
            },
            Bad(testDescription: "few paths that name many folders", code: "ASSET_PACK_INVALID") {
                try Self.archive($0) {
                    let path = Array(repeating: "d", count: 200).joined(separator: "/")
                    try $0.append(EntryHeader(type: .directory, path: "Contents/\(path)"))
                }
            },
        ], TestStorage.allCases)
    func badArchivesAreRefusedAndSayWhy(bad: Bad, storage: TestStorage) async throws {
        try await HostFixture.with(
            in: storage,
            {
                $0.limits.installedSize = 1 << 20
                $0.limits.archiveEntries = 100
            }
        ) { fixture in
            let pack = try await fixture.publisher.pack("Coast", app: fixture.appID)
            let version = try await fixture.publisher.publish(try bad.bytes(fixture), to: pack)
            #expect(version["attributes"]?["state"] == "FAILED")
            let error = version["attributes"]?["stateDetails"]?["errors"]?.arrayValue?.first
            #expect(error?["code"] == .string(bad.code))
            // The publisher's name for the file, not the host's.
            let text = try #require(error?["description"]?.stringValue)
            #expect(!text.contains(fixture.scratch.path.string))
            let pack2 = try await fixture.publisher.send("GET", "/v1/backgroundAssets/\(pack)").json
            #expect(pack2["data"]?["relationships"]?["internalBetaVersion"] == nil)
        }
    }

    /// An archive of the pack's manifest and what `body` adds.
    private static func archive(_ fixture: HostFixture, _ body: (ArchiveWriter) throws -> Void) throws -> [UInt8] {
        let manifest = #"{"assetPackID":"Coast","downloadPolicy":{"onDemand":{}},"platforms":[]}"#
        let path = fixture.scratch("hostile-\(UInt64.random(in: 0...UInt64.max)).aar")
        let file = try OwnedDescriptor(path, .readWrite, options: [.create], permissions: .fileDefault)
        let writer = try ArchiveWriter(file: file.borrowed)
        try writer.append(EntryHeader(type: .regularFile, path: "manifest.json"), bytes: Array(manifest.utf8))
        try body(writer)
        try writer.finish()
        return try File.read(path)
    }

    /// As a host leaves it that is killed when the outcome is stored and the parts are not gone yet.
    @Test func partsOfWhatIsDoneGoAtTheNextStart() async throws {
        try await Scratch.with { scratch in
            var configuration = HostConfiguration(data: scratch("data"))
            configuration.host = "127.0.0.1"
            let administration = try await HostAdministration(configuration)
            let app = try await administration.createApp(bundleID: "org.example.a", name: nil, locale: nil, sku: nil)
            let (key, pem) = try await administration.createKey(name: "k", role: .admin, apps: nil)
            let signer = TokenSigner(
                keyID: key.id, issuer: try await administration.issuer(), key: try SigningKey(pem: pem))
            await administration.close()
            let first = try await Host(configuration)
            let before = Publisher(url: first.url, signer: signer)
            let version = try await before.publish(
                File.read(scratch.archive("Coast", content: [1])), to: before.pack("Coast", app: app.id))
            await first.stop()

            let file = try #require(version["relationships"]?["assetFile"]?["data"]?["id"]?.stringValue)
            try scratch.write([1, 2, 3], to: "data/uploads/\(file)/.assembled")
            let job = """
                import sqlite3, sys
                with sqlite3.connect(sys.argv[1]) as database:
                    database.execute("INSERT INTO jobs (kind, subject) VALUES ('processVersion', ?)", [sys.argv[2]])
                """
            let done = try ChildProcess.run(
                executable: "/usr/bin/python3",
                arguments: [
                    "-c", job, scratch("data/host.sqlite").string, try #require(version["id"]?.stringValue),
                ])
            try #require(done.exitCode == 0, "\(done.errorText)")

            let second = try await Host(configuration)
            let uploads = scratch("data/uploads")
            try await FolderWatch.wait(below: uploads) {
                try FileDescriptor.currentDirectory.entries(at: uploads).isEmpty
            }
            let after = try await Publisher(url: second.url, signer: signer).processed(
                try #require(version["id"]?.stringValue))
            #expect(after["attributes"] == version["attributes"], "what was done stays as it is")
            await second.stop()
        }
    }

    @Test(arguments: TestStorage.allCases) func workGoesOnAfterARestart(storage: TestStorage) async throws {
        try await Scratch.with { scratch in
            var configuration = HostConfiguration(data: scratch("data"))
            configuration.host = "127.0.0.1"
            let objects = try storage.begin(in: scratch, &configuration)
            let administration = try await HostAdministration(configuration)
            let app = try await administration.createApp(bundleID: "org.example.a", name: nil, locale: nil, sku: nil)
            let (key, pem) = try await administration.createKey(name: "k", role: .admin, apps: nil)
            let signer = TokenSigner(
                keyID: key.id, issuer: try await administration.issuer(), key: try SigningKey(pem: pem))
            await administration.close()
            let noise = [UInt8](repeating: 3, count: 1000)

            // Half of it before the stop, the commit after it.
            let first = try await Host(configuration)
            let before = Publisher(url: first.url, signer: signer, authority: objects?.authorityFile)
            let version = try await before.version(of: before.pack("Coast", app: app.id))
            let file = try await before.reserve(version, size: noise.count)
            try await before.put(noise, to: file)
            await first.stop()

            let second = try await Host(configuration)
            let after = Publisher(url: second.url, signer: signer)
            let id = try #require(file["id"]?.stringValue)
            let shown = try await after.send("GET", "/v1/backgroundAssetUploadFiles/\(id)").json
            let operation = shown["data"]?["attributes"]?["uploadOperations"]?.arrayValue?.first
            #expect(operation?["entityTag"] == .string(Hexadecimal.encode(MD5.hash(noise))))
            #expect(try await after.commit(id).status == 200)
            // Stopped with the job in the queue or at hand: the next host does it.
            await second.stop()
            let third = try await Host(configuration)
            let processed = try await Publisher(url: third.url, signer: signer).processed(version)
            #expect(processed["attributes"]?["state"] == "FAILED")
            await third.stop()
            objects?.stop()
        }
    }
}
