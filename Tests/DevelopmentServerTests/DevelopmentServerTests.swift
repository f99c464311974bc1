// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Crypto
import DevelopmentServer
import HTTP
import HTTPSupport
import Kit
import PackUpdates
import System
import Testing

@Suite(.timeLimit(.minutes(5))) struct DevelopmentServerTests {
    @Test func announcesItsPacks() async throws {
        let fixture = try await ServerFixture(packs: ["Coast", "Tutorial"]) { $0.versions = [3, 4] }
        let manifest = try await fixture.manifest()
        #expect(manifest.assetPacks.map(\.id) == ["Coast", "Tutorial"])
        #expect(manifest.assetPacks.map(\.version) == [3, 4])
        let coast = try #require(manifest["Coast"])
        let archive = try fixture.archive("Coast")
        #expect(coast.url == "\(fixture.url)/assets/Coast")
        #expect(coast.downloadSize == Int64(archive.count))
        #expect(coast.larder?.digest.algorithm == TreeDigest.algorithm)
        #expect(coast.larder?.digest.value == TreeDigest.hash(archive).hex)
        #expect(coast.larder?.installedSize == 300_000)
        #expect(coast.larder?.fileCount == 1)
        #expect(coast.downloadPolicy == .onDemand)
    }

    @Test func anIndexBesideAnArchiveIsListedAndServed() async throws {
        let fixture = try await ServerFixture()
        #expect(try await fixture.manifest()["Coast"]?.larder?.index == nil)
        await #expect(throws: (any Error).self) { try await fixture.get("/assets/Coast.index") }
        let archive = fixture.folder.path.appending("Coast.aar")
        let path = PackIndex.path(besideArchive: archive)
        _ = try PackIndex.write(ofArchive: archive, to: path)
        let bytes = try File.read(path)
        let listed = try #require(try await fixture.manifest()["Coast"]?.larder?.index)
        #expect(listed.url == "\(fixture.url)/assets/Coast.index")
        #expect(listed.size == Int64(bytes.count) && listed.sha256 == SHA256.hash(bytes).hex)
        #expect(listed.front == PackIndex.front(of: bytes))
        #expect(try await fixture.get("/assets/Coast.index").1 == bytes)
        // The index of an archive that is no more there is told of, and not served.
        try fixture.folder.pack("Coast", content: [1, 2, 3])
        #expect(try await fixture.manifest()["Coast"]?.larder?.index == nil)
        #expect(fixture.notes.withLock { $0.contains { $0.contains("is not the index of the archive beside it") } })
    }

    @Test func patchesBesideAnArchiveAreListedAndServed() async throws {
        let folder = try FixtureFolder()
        let content = ServerFixture.content(of: "old", count: 300_000)
        let old = try folder.pack("Coast", content: content, to: "old.aar")
        let new = try folder.pack("Coast", content: content + [1, 2, 3])
        _ = try PackIndex.write(ofArchive: new, to: PackIndex.path(besideArchive: new))
        let path = PatchTable.path(besideArchive: new, from: 6)
        _ = try PatchMaker.make(from: PatchVersion(archive: old), to: PatchVersion(archive: new), at: path)
        let bytes = try File.read(path)
        // What is no patch to this archive is passed over.
        for name in ["Coast.from-5.patch", "Coast.from-x.patch", "Coast.from-06.patch", "Other.from-6.patch"] {
            try AtomicFile.write(
                name.contains("5") ? [1, 2, 3] : bytes, to: folder.path.appending(name), durable: false)
        }
        let fixture = try await ServerFixture(packs: []) { $0.archives = [new] }
        let info = try #require(try await fixture.manifest()["Coast"]?.larder)
        try #require(info.patches.count == 1)
        let patch = info.patches[0]
        #expect(patch.from == 6)
        #expect(patch.base == TreeDigest.hash(try File.read(old)).hex)
        #expect(patch.file.url == "\(fixture.url)/assets/Coast.from-6.patch")
        #expect(patch.file.size == Int64(bytes.count) && patch.file.sha256 == SHA256.hash(bytes).hex)
        let (head, served) = try await fixture.get("/assets/Coast.from-6.patch")
        #expect(served == bytes)
        #expect(head.etag == "\"\(patch.file.sha256)\"")
        // The address stays when another patch takes this one's place, so that nobody may keep it for good.
        #expect(head.headers["Cache-Control"] == nil)
        let rest = fixture.client().start(HTTPRequest(url: patch.file.url, rangeStart: 20, ifRange: head.etag))
        #expect(try await rest.head().startOffset == 20)
        #expect(await rest.readUntilEnd().0.elementsEqual(bytes[20...]))
        await #expect(throws: (any Error).self) { try await fixture.get("/assets/Coast.from-5.patch") }
        await #expect(throws: (any Error).self) { try await fixture.get("/assets/Coast.from-06.patch") }

        // A list beside the patch is listed once it is there, unless it belongs to another.
        #expect(patch.list == nil)
        await #expect(throws: (any Error).self) { try await fixture.get("/assets/Coast.from-6.list") }
        let (from, to) = (try PatchVersion(archive: old), try PatchVersion(archive: new))
        let list = try #require(try PackList.make(from: from.index, to: to, leastSaving: -1000))
        let other = try #require(try PackList.make(from: to.index, to: to, leastSaving: -1000))
        for (bytes, isListed) in [(other, false), (list, true)] {
            try AtomicFile.write(bytes, to: PackList.path(besidePatch: path), durable: false)
            let found = try await fixture.manifest()["Coast"]?.larder?.patches.first?.list
            #expect((found != nil) == isListed)
            guard isListed else { continue }
            #expect(found?.url == "\(fixture.url)/assets/Coast.from-6.list")
            #expect(found?.size == Int64(list.count) && found?.sha256 == SHA256.hash(list).hex)
            #expect(try await fixture.get("/assets/Coast.from-6.list").1 == list)
        }

        // Of another archive there is no such patch.
        try folder.pack("Coast", content: content + [4])
        #expect(try await fixture.manifest()["Coast"]?.larder?.patches.isEmpty == true)
    }

    @Test func servesArchivesWholeAndInParts() async throws {
        let fixture = try await ServerFixture()
        let archive = try fixture.archive("Coast")
        let (head, bytes) = try await fixture.get("/assets/Coast")
        #expect(bytes.elementsEqual(archive))
        #expect(head.etag == "\"\(TreeDigest.hash(archive).hex)\"")
        #expect(head.headers["Content-Type"] == "application/octet-stream")
        #expect(head.headers["Accept-Ranges"] == "bytes")
        let rest = fixture.client().start(
            HTTPRequest(url: "\(fixture.url)/assets/Coast", rangeStart: 1000, ifRange: head.etag))
        #expect(try await rest.head().startOffset == 1000)
        #expect(await rest.readUntilEnd().0.elementsEqual(archive[1000...]))
    }

    @Test func anUnchangedManifestIsNotSentAgain() async throws {
        let fixture = try await ServerFixture()
        let etag = try #require(try await fixture.get("/manifest").0.etag)
        let (again, bytes) = try await fixture.get("/manifest?platform=Linux", headers: [("If-None-Match", etag)])
        #expect(again.status == 304)
        #expect(bytes.isEmpty)
    }

    @Test func thePlatformChoosesPacks() async throws {
        let folder = try FixtureFolder()
        let archives = [
            try folder.pack("Everywhere", content: [1]), try folder.pack("Phone", content: [2], platforms: #"["iOS"]"#),
        ]
        let fixture = try await ServerFixture(packs: []) { $0.archives = archives }
        func ids(_ query: String) async throws -> [String] {
            try DownloadManifest.decode(try await fixture.get("/manifest" + query).1, source: "test").assetPacks.map(
                \.id)
        }
        #expect(try await ids("") == ["Everywhere", "Phone"])
        #expect(try await ids("?platform=Linux") == ["Everywhere"])
        #expect(try await ids("?platform=iOS") == ["Everywhere", "Phone"])
        #expect(try await ids("?platform=toaster&x=1") == ["Everywhere", "Phone"])
    }

    @Test(arguments: ["/assets/None", "/assets/", "/assets/../Coast", "/nothing", "/assets/Coast/x", "/manifest/"])
    func otherPathsAreNotThere(path: String) async throws {
        let fixture = try await ServerFixture()
        let error = await #expect(throws: HTTPClientError.self) { try await fixture.get(path) }
        #expect(error?.status == 404)
    }

    @Test func aReplacedArchiveIsTheNextVersion() async throws {
        let fixture = try await ServerFixture { $0.versions = [7] }
        let before = try await fixture.manifest().assetPacks[0]
        let slow = fixture.client().start(HTTPRequest(url: before.url))
        _ = try await slow.head()

        let newer = try fixture.folder.pack(
            "Coast", content: ServerFixture.content(of: "newer", count: 400_000), to: "new.aar")
        try FileDescriptor.currentDirectory.rename(from: newer, to: fixture.folder.path.appending("Coast.aar"))
        let after = try await fixture.manifest().assetPacks[0]
        #expect(after.version == 8)
        #expect(after.larder?.digest.value == TreeDigest.hash(try fixture.archive("Coast")).hex)
        // Who began with the old archive gets the old one to its end.
        let (bytes, error) = await slow.readUntilEnd()
        #expect(error == nil)
        #expect(TreeDigest.hash(bytes).hex == before.larder?.digest.value)
        #expect(fixture.notes.withLock { $0 }.count == 1)
    }

    @Test func theSameBytesAgainAreTheSameVersion() async throws {
        let fixture = try await ServerFixture()
        let before = try await fixture.manifest()
        let path = fixture.folder.path.appending("Coast.aar")
        try AtomicFile.write(try fixture.archive("Coast"), to: path, durable: false)
        #expect(try await fixture.manifest() == before)
    }

    @Test func aBrokenReplacementIsNotServed() async throws {
        let fixture = try await ServerFixture()
        let archive = try fixture.archive("Coast")
        let path = fixture.folder.path.appending("Coast.aar")
        try AtomicFile.write(Array(archive.prefix(1000)), to: path, durable: false)
        #expect(try await fixture.get("/assets/Coast").1.elementsEqual(archive))
        #expect(try await fixture.manifest().assetPacks[0].version == 0)
        #expect(fixture.notes.withLock { $0 }.count == 1)
    }

    @Test func anArchiveOverwrittenInPlaceIsUnavailableUntilItIsSound() async throws {
        let fixture = try await ServerFixture()
        let archive = try fixture.archive("Coast")
        let path = fixture.folder.path.appending("Coast.aar")
        func overwrite(_ bytes: [UInt8]) throws {
            let file = try OwnedDescriptor(path, .writeOnly, options: .truncate)
            try file.borrowed.writeAll(bytes)
            try file.close()
        }
        try overwrite(Array(archive.prefix(1000)))
        let error = await #expect(throws: HTTPClientError.self) { try await fixture.get("/assets/Coast") }
        #expect(error?.status == 503)
        #expect(error?.retryAfter == .seconds(1))
        try overwrite(archive)
        #expect(try await fixture.get("/assets/Coast").1.elementsEqual(archive))
    }

    @Test func argumentsAreChecked() async throws {
        let folder = try FixtureFolder()
        let archive = try folder.pack("Coast", content: [1, 2, 3])
        let copy = folder.path.appending("copy.aar")
        try File.copy(from: archive, to: copy)
        let garbage = folder.path.appending("garbage.aar")
        try AtomicFile.write(Array("garbage".utf8), to: garbage, durable: false)
        let authority = DevelopmentServerOptions.Identity.authority(folder.path.appending("authority"))
        let wrong: [DevelopmentServerOptions] = [
            DevelopmentServerOptions(archives: [archive, copy], identity: authority),
            DevelopmentServerOptions(archives: [garbage], identity: authority),
            DevelopmentServerOptions(archives: [folder.path.appending("none.aar")], identity: authority),
            {
                var options = DevelopmentServerOptions(archives: [archive], identity: authority)
                options.versions = [1, 2]
                return options
            }(),
            {
                var options = DevelopmentServerOptions(archives: [archive], identity: authority)
                options.host = "not a host"
                return options
            }(),
        ]
        for options in wrong {
            let error = await #expect(throws: (any Error).self) { try await DevelopmentServer(options) }
            #expect(error is any LarderError, "\(String(describing: error))")
        }
    }

    @Test func twoServersShareOneAuthority() async throws {
        let folder = try FixtureFolder()
        let archive = try folder.pack("Coast", content: [1, 2, 3])
        let options = DevelopmentServerOptions(
            archives: [archive], identity: .authority(folder.path.appending("authority")))
        let first = try await DevelopmentServer(options)
        let second = try await DevelopmentServer(options)
        #expect(first.authorityIsNew && !second.authorityIsNew)
        #expect(first.authorityFile == second.authorityFile)
        #expect(first.port != second.port)
        first.stop()
        second.stop()
    }
}
