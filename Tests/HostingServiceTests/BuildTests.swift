// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import AppleArchive
import Crypto
import HostingModel
import HostingService
import Kit
import System
import TestSupport
import Testing

/// The way of an app's build from its publisher to a device.
@Suite(.timeLimit(.minutes(5))) struct BuildTests {
    /// The bytes of an archive of an app.
    static func archive(
        _ scratch: Scratch, version: String, _ change: (inout AppFixture) -> Void = { _ in }
    ) throws -> [UInt8] {
        var app = AppFixture()
        app.name = "Coast"
        app.identifier = HostFixture.bundleID
        app.version = version
        change(&app)
        let bundle = try app.write(in: scratch.makeDirectory("app-\(UInt32.random(in: 0...UInt32.max))"))
        let output = Locked<[UInt8]>([])
        let writer = try ArchiveWriter(
            output: { bytes in output.withLock { $0.append(contentsOf: bytes) } }, compression: .lzfse, fields: .mode)
        try writer.appendTree(bundle, as: bundle.lastComponent?.string)
        try writer.finish()
        return output.withLock { $0 }
    }

    /// Uploads a build and waits until it was processed; its upload's document's `data`.
    static func upload(
        _ bytes: [UInt8], version: String, build: String? = nil, _ fixture: HostFixture
    ) async throws -> JSONValue {
        let publisher = fixture.publisher
        let upload = try await publisher.create(
            .buildUploads,
            [
                "cfBundleShortVersionString": .string(version), "cfBundleVersion": .string(build ?? version),
                "platform": "LINUX",
            ], ["app": (.apps, fixture.appID)])
        let id = try #require(upload["id"]?.stringValue)
        let file = try await publisher.create(
            .buildUploadFiles,
            [
                "assetType": "ASSET", "fileName": "Coast.aar", "fileSize": .integer(Int64(bytes.count)),
                "uti": "com.apple.archive",
            ], ["buildUpload": (.buildUploads, id)])
        try await publisher.put(bytes, to: file)
        let fileID = try #require(file["id"]?.stringValue)
        let answer = try await publisher.send(
            "PATCH", "/v1/buildUploadFiles/\(fileID)",
            Publisher.document(.buildUploadFiles, id: fileID, ["uploaded": true]))
        try #require(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
        return try await eventually {
            let data = try #require(try await publisher.send("GET", "/v1/buildUploads/\(id)").json["data"])
            // `nil` alone would be JSON's null.
            return data["attributes"]?["state"]?["state"] == "PROCESSING" ? Optional.none : data
        }
    }

    private func offered(_ fixture: HostFixture, _ channel: Channel) async throws -> HostedBuild? {
        let answer = try await fixture.ask(channel, "build?platform=Linux&os=9")
        if answer.status == 404 { return nil }
        return try HostedBuild.decode(answer.body, source: "host", allowingPlainLoopback: true)
    }

    @Test(arguments: TestStorage.allCases)
    func aBuildGoesFromUploadToInternalTestersAndWhereItIsReleased(storage: TestStorage) async throws {
        try await HostFixture.with(in: storage) { fixture in
            #expect(try await offered(fixture, .internalBeta) == nil)
            let bytes = try Self.archive(fixture.scratch, version: "1.0")
            let upload = try await Self.upload(bytes, version: "1.0", fixture)
            #expect(upload["attributes"]?["state"]?["state"] == "COMPLETE", "\(upload)")
            let first = try #require(try await offered(fixture, .internalBeta))
            #expect(first.version == "1.0" && first.folder == "Coast.app" && first.bundleID == HostFixture.bundleID)
            #expect(first.archive.digest == TreeDigest.hash(bytes).hex)
            #expect(try await fixture.publisher.fetch(first.archive.url).body == bytes)
            #expect(try await offered(fixture, .appStore) == nil)

            _ = try await fixture.publisher.create(
                .buildReleases, ["channel": "appStore"], ["build": (.builds, first.id)])
            #expect(try await offered(fixture, .appStore)?.id == first.id)

            _ = try await Self.upload(Self.archive(fixture.scratch, version: "2.0"), version: "2.0", fixture)
            #expect(try await offered(fixture, .internalBeta)?.version == "2.0")
            #expect(try await offered(fixture, .appStore)?.version == "1.0")

            let list = try await fixture.publisher.send(
                "GET", "/v1/builds?filter%5Bapp%5D=\(fixture.appID)&include=preReleaseVersion&sort=-version")
            let builds = try #require(try list.json["data"]?.arrayValue)
            #expect(builds.map { $0["attributes"]?["version"] } == ["2.0", "1.0"])
            #expect(builds.first?["attributes"]?["processingState"] == "VALID")
            #expect(builds.first?["attributes"]?["content"] == nil)
            #expect(try list.json["included"]?.arrayValue?.first?["attributes"]?["platform"] == "LINUX")
        }
    }

    @Test func aBuildThatIsNotWhatWasAnnouncedIsRefused() async throws {
        try await HostFixture.with { fixture in
            let archive = try Self.archive(fixture.scratch, version: "1.0")
            let wrongVersion = try await Self.upload(archive, version: "2.0", fixture)
            #expect(code(wrongVersion) == "BUNDLE_MISMATCH")
            let other = try Self.archive(fixture.scratch, version: "1.0") { $0.identifier = "org.example.other" }
            #expect(code(try await Self.upload(other, version: "1.0", fixture)) == "BUNDLE_MISMATCH")
            #expect(code(try await Self.upload(Array("no archive".utf8), version: "1.0", fixture)) == "BUNDLE_INVALID")
            #expect(
                code(try await Self.upload(fixture.archive(content: [1, 2, 3]), version: "1.0", fixture))
                    == "BUNDLE_INVALID")
            #expect(try await offered(fixture, .internalBeta) == nil)

            _ = try await Self.upload(archive, version: "1.0", fixture)
            let again = try await fixture.publisher.send(
                "POST", "/v1/buildUploads",
                Publisher.document(
                    .buildUploads,
                    ["cfBundleShortVersionString": "1.0", "cfBundleVersion": "1.0", "platform": "LINUX"],
                    ["app": (.apps, fixture.appID)]))
            #expect(again.status == 409)
            #expect(again.code == "ENTITY_ERROR.ATTRIBUTE.INVALID.DUPLICATE")
        }
    }

    @Test func anArchiveThatUnpacksToTooMuchIsRefused() async throws {
        try await HostFixture.with({ $0.limits.appSize = 1 << 20 }) { fixture in
            let archive = try Self.archive(fixture.scratch, version: "1.0") {
                $0.files["zeros"] = Array(repeating: 0, count: 4 << 20)
            }
            #expect(archive.count < 1 << 20, "little comes, and much would come out of it")
            #expect(code(try await Self.upload(archive, version: "1.0", fixture)) == "BUNDLE_INVALID")
            let uploads = fixture.scratch("data/uploads")
            try await FolderWatch.wait(in: uploads) {
                try FileDescriptor.currentDirectory.entries(at: uploads).isEmpty
            }
        }
    }

    @Test func anArchiveOfTooManyFilesIsRefused() async throws {
        try await HostFixture.with({ $0.limits.archiveEntries = 40 }) { fixture in
            let archive = try Self.archive(fixture.scratch, version: "1.0") {
                for number in 1...40 { $0.files["PlugIns/\(number)"] = [] }
            }
            #expect(code(try await Self.upload(archive, version: "1.0", fixture)) == "BUNDLE_INVALID")
            let small = try Self.archive(fixture.scratch, version: "1.0")
            #expect(code(try await Self.upload(small, version: "1.0", fixture)) == nil)
        }
    }

    @Test func onlyWhoManagesReleasesABuild() async throws {
        try await HostFixture.with { fixture in
            _ = try await Self.upload(Self.archive(fixture.scratch, version: "1.0"), version: "1.0", fixture)
            let build = try #require(try await offered(fixture, .internalBeta))
            let document = Publisher.document(
                .buildReleases, ["channel": "appStore"], ["build": (.builds, build.id)])
            let developer = try await fixture.publisher(.developer)
            #expect(try await developer.send("POST", "/v1/buildReleases", document).status == 403)
            _ = try await fixture.app("org.example.other")
            let stranger = try await fixture.publisher(.admin, apps: ["org.example.other"])
            #expect(try await stranger.send("POST", "/v1/buildReleases", document).status == 409)
            #expect(try await stranger.send("GET", "/v1/builds/\(build.id)").status == 404)
            #expect(try await stranger.send("GET", "/v1/builds").json["data"] == [])
            #expect(try await offered(fixture, .appStore) == nil)
        }
    }

    private func code(_ upload: JSONValue) -> String? {
        upload["attributes"]?["state"]?["errors"]?.arrayValue?.first?["code"]?.stringValue
    }
}
