// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Crypto
import DeviceSupport
import HostingModel
import Kit
import ObjectStorage
import PackUpdates
import System
import TestSupport
import Testing

@testable import Database
@testable import HostingService

/// Sweeping of a host's storage, in a folder and in a bucket, while the host runs.
@Suite(.timeLimit(.minutes(5))) struct SweepingTests {
    private static let grace: Int64 = 7 * 24 * 3600

    /// A host whose clock is ahead, and one who sweeps it.
    private struct Bench {
        let fixture: HostFixture
        let configuration: HostConfiguration

        /// - Parameter days: from now on.
        func sweep(after days: Int64, isDry: Bool = false) async throws -> SweepPlan {
            try await fixture.sweep(after: days, with: configuration, grace: SweepingTests.grace, isDry: isDry)
        }

        /// What a sweep does with archives. Remains of uploads that were just processed may be there or not.
        func sweepArchives(after days: Int64, isDry: Bool = false) async throws -> [SweepPlan.Action] {
            try await sweep(after: days, isDry: isDry).actions.filter { action in
                if case .discard = action { false } else { true }
            }
        }

        /// The digests of all archives and indexes.
        func archives() throws -> [String] {
            let paths = try fixture.objects?.keys() ?? fixture.scratch.tree("data").map { "live/\($0)" }
            return paths.filter { $0.hasPrefix("live/archives/") }.compactMap { $0.split(separator: "/").last }
                .map(String.init)
        }

        func uploads() throws -> [String] {
            let paths = try fixture.objects?.keys() ?? fixture.scratch.tree("data").map { "live/\($0)" }
            return paths.filter { $0.hasPrefix("live/uploads/") }
        }
    }

    private func withHost(_ storage: TestStorage, _ body: (Bench) async throws -> Void) async throws {
        let kept = Locked<HostConfiguration?>(nil)
        @Sendable func keep(_ configuration: inout HostConfiguration) {
            configuration.reviewsAutomatically = true
            // Archives are not kept for patches here.
            configuration.limits.patchesFrom = 0
            kept.withLock { [configuration] in $0 = configuration }
        }
        try await HostFixture.with(in: storage, { keep(&$0) }) { fixture in
            try await body(Bench(fixture: fixture, configuration: try #require(kept.withLock { $0 })))
        }
    }

    private func digest(_ archive: [UInt8]) -> String { TreeDigest.hash(archive).hex }

    /// An archive and its index, as a store has them.
    private func files(_ archive: [UInt8], _ bench: Bench) throws -> Set<SweepPlan.Archive> {
        let path = try bench.fixture.scratch.write(archive, to: "files.aar")
        let index = try PackIndex.make(ofArchive: path).encoded()
        return Set([archive, index].map { SweepPlan.Archive(digest: digest($0), size: Int64($0.count)) })
    }

    private func digests(_ archives: [UInt8]..., in bench: Bench) throws -> Set<String> {
        Set(try archives.flatMap { try files($0, bench).map(\.digest) })
    }

    /// Has a version approved for the channels that need it, so that it is live everywhere.
    private func release(_ version: String, _ fixture: HostFixture) async throws {
        _ = try await fixture.publisher.create(
            .betaReviewSubmissions, [:], ["backgroundAssetVersion": (.backgroundAssetVersions, version)])
        let submission = try await fixture.publisher.create(
            .reviewSubmissions, ["platform": "LINUX"], ["app": (.apps, fixture.appID)])
        let id = try #require(submission["id"]?.stringValue)
        _ = try await fixture.publisher.create(
            .reviewSubmissionItems, [:],
            [
                "reviewSubmission": (.reviewSubmissions, id),
                "backgroundAssetVersion": (.backgroundAssetVersions, version),
            ])
        let submitted = try await fixture.publisher.send(
            "PATCH", "/v1/reviewSubmissions/\(id)",
            Publisher.document(.reviewSubmissions, id: id, ["submitted": true]))
        try #require(submitted.status == 200, "\(String(decoding: submitted.body, as: UTF8.self))")
    }

    @Test(arguments: TestStorage.allCases)
    func anArchiveGoesWhenALaterOneHasItsPlaceInEveryChannel(storage: TestStorage) async throws {
        try await withHost(storage) { bench in
            let fixture = bench.fixture
            let pack = try await fixture.publisher.pack("Coast", app: fixture.appID)
            let (first, second) = (try fixture.archive(content: [1]), try fixture.archive(content: [2]))
            func publish(_ archive: [UInt8]) async throws -> String {
                try #require(try await fixture.publisher.publish(archive, to: pack)["id"]?.stringValue)
            }
            let one = try await publish(first)
            try await release(one, fixture)
            let two = try await publish(second)
            // Superseded among internal testers, and live elsewhere.
            #expect(try await bench.sweepArchives(after: 30).isEmpty)
            try await release(two, fixture)

            let planned = try await bench.sweepArchives(after: 30, isDry: true)
            #expect(Set(planned) == Set(try files(first, bench).map { .mark($0) }))
            #expect(try await bench.sweepArchives(after: 0) == planned, "a dry run does nothing")
            // Devices that were told of it before it was superseded have the whole grace.
            #expect(try await bench.sweepArchives(after: 6).isEmpty)
            #expect(Set(try bench.archives()) == (try digests(first, second, in: bench)))
            #expect(
                Set(try await bench.sweepArchives(after: 8)) == Set(try files(first, bench).map { .remove($0) }))
            #expect(Set(try bench.archives()) == (try digests(second, in: bench)))
            #expect(try await bench.sweepArchives(after: 30).isEmpty)

            // The same bytes may come back as a new version.
            let three = try await publish(first)
            #expect(Set(try bench.archives()) == (try digests(first, second, in: bench)))
            let manifest = try await fixture.ask(.internalBeta, "manifest")
            let entry = try #require(
                try DownloadManifest.decode(manifest.body, source: "host", allowingPlainLoopback: true)["Coast"])
            #expect(try await fixture.publisher.fetch(entry.url).body == first)
            #expect(!three.isEmpty)
        }
    }

    @Test(arguments: TestStorage.allCases)
    func whatMayStillBeSubmittedIsInReviewOrIsABuildStays(storage: TestStorage) async throws {
        try await withHost(storage) { bench in
            let fixture = bench.fixture
            let pack = try await fixture.publisher.pack("Coast", app: fixture.appID)
            for content: UInt8 in 1...3 {
                _ = try await fixture.publisher.publish(fixture.archive(content: [content]), to: pack)
            }
            for version in ["1.0", "2.0"] {
                _ = try await BuildTests.upload(
                    BuildTests.archive(fixture.scratch, version: version), version: version, fixture)
            }
            #expect(try await bench.sweepArchives(after: 365).isEmpty)
            // Three with their indexes, and two builds.
            #expect(try bench.archives().count == 8)
        }
    }

    @Test(arguments: TestStorage.allCases)
    func anArchiveThatIsNeededAgainIsNotRemoved(storage: TestStorage) async throws {
        try await withHost(storage) { bench in
            let fixture = bench.fixture
            let pack = try await fixture.publisher.pack("Coast", app: fixture.appID)
            let archive = try fixture.archive(content: [1])
            for content: UInt8 in 1...2 {
                let version = try await fixture.publisher.publish(fixture.archive(content: [content]), to: pack)
                try await release(try #require(version["id"]?.stringValue), fixture)
            }
            #expect(try await bench.sweepArchives(after: 0).count == 2)
            _ = try await fixture.publisher.publish(archive, to: pack)
            #expect(try await bench.sweepArchives(after: 30).isEmpty, "its note went with the new version")
            #expect(try bench.archives().contains(digest(archive)))
        }
    }

    @Test(arguments: TestStorage.allCases)
    func anEarlierVersionThatSomeDevicesGetStays(storage: TestStorage) async throws {
        try await withHost(storage) { bench in
            let fixture = bench.fixture
            let pack = try await fixture.publisher.pack("Coast", app: fixture.appID)
            var versions: [String] = []
            for content: UInt8 in 1...2 {
                let version = try await fixture.publisher.publish(fixture.archive(content: [content]), to: pack)
                versions.append(try #require(version["id"]?.stringValue))
                try await release(versions[versions.count - 1], fixture)
            }
            _ = try await fixture.publisher.create(
                .appRanges, ["minimumAppVersion": "2.0"],
                ["backgroundAssetVersion": (.backgroundAssetVersions, versions[1])])
            #expect(try await bench.sweepArchives(after: 30).isEmpty)
        }
    }

    /// Patches to the next version start from the last ones.
    @Test func archivesOfTheLastVersionsStayForPatches() async throws {
        try await withHost(.folder) { bench in
            let fixture = bench.fixture
            let store = try await fixture.configuration.openDatabase()
            try await store.write { try $0.notePatchesFrom(2) }
            await store.close()
            let pack = try await fixture.publisher.pack("Coast", app: fixture.appID)
            var archives: [[UInt8]] = []
            for content: UInt8 in 1...3 {
                archives.append(try fixture.archive(content: [content]))
                let version = try await fixture.publisher.publish(archives[archives.count - 1], to: pack)
                try await release(try #require(version["id"]?.stringValue), fixture)
            }
            #expect(
                Set(try await bench.sweepArchives(after: 0)) == Set(try files(archives[0], bench).map { .mark($0) }))
            _ = try await bench.sweepArchives(after: 8)
            #expect(Set(try bench.archives()) == (try digests(archives[1], archives[2], in: bench)))
        }
    }

    @Test(arguments: TestStorage.allCases)
    func anUploadThatStandsStillIsGivenUp(storage: TestStorage) async throws {
        try await withHost(storage) { bench in
            let publisher = bench.fixture.publisher
            let bytes = [UInt8](repeating: 5, count: Int(UploadPlan.usualPartSize) + 100)
            let pack = try await publisher.pack("Coast", app: bench.fixture.appID)
            let version = try await publisher.version(of: pack)
            let file = try await publisher.reserve(version, size: bytes.count)
            let operation = try #require(file["attributes"]?["uploadOperations"]?.arrayValue?.last)
            #expect(try await publisher.put(bytes, operation).status == 200)

            #expect(try await bench.sweep(after: 6).actions.isEmpty)
            let plan = try await bench.sweep(after: 8)
            guard case .abandon(let upload)? = plan.actions.first, plan.actions.count == 1 else {
                Issue.record("\(plan.actions)")
                return
            }
            #expect(upload.id == file["id"]?.stringValue)
            #expect(upload.size >= 100)
            #expect(try bench.uploads().isEmpty)
            let data = try await publisher.send("GET", "/v1/backgroundAssetVersions/\(version)").json["data"]
            #expect(data?["attributes"]?["state"] == "FAILED")
            #expect(
                data?["attributes"]?["stateDetails"]?["errors"]?.arrayValue?.first?["code"] == "UPLOAD_ABANDONED")
            #expect(try await publisher.commit(upload.id).code == "STATE_ERROR.UPLOAD_FINISHED")
            #expect(try await bench.sweep(after: 30).actions.isEmpty)
        }
    }

    @Test(arguments: TestStorage.allCases)
    func remainsOfAnUploadGo(storage: TestStorage) async throws {
        try await withHost(storage) { bench in
            let scratch = bench.fixture.scratch
            let key = "uploads/00000000-0000-4000-8000-000000000000"
            if let storage = bench.configuration.storage {
                try await S3Client(storage.location, credentials: storage.credentials).put(
                    [1, 2, 3], at: "\(key)/file")
            } else {
                try scratch.write([1, 2, 3], to: "data/\(key)/1-00")
            }
            #expect(try await bench.sweep(after: 0).actions.isEmpty)
            let plan = try await bench.sweep(after: 1)
            guard case .discard(let upload)? = plan.actions.first, plan.actions.count == 1 else {
                Issue.record("\(plan.actions)")
                return
            }
            #expect(upload.size == 3)
            #expect(try bench.uploads().isEmpty)
        }
    }

    @Test func theCommandSaysWhatItDoes() async throws {
        try await withHost(.folder) { bench in
            let fixture = bench.fixture
            let pack = try await fixture.publisher.pack("Coast", app: fixture.appID)
            for content: UInt8 in 1...2 {
                let version = try await fixture.publisher.publish(fixture.archive(content: [content]), to: pack)
                try await release(try #require(version["id"]?.stringValue), fixture)
            }
            func run(_ words: String...) async -> (code: ExitCode, output: String) {
                let output = BufferSink()
                let context = CommandContext(
                    programName: "larder-host", environment: [:], standardOutput: output, standardError: output)
                let code = await CommandRunner(root: HostCommands.tree, version: "test").run(
                    ["sweep", "--data", fixture.scratch("data").string] + words, context: context)
                return (code, output.text)
            }
            let dry = await run("--dry-run")
            #expect(dry.code == .success)
            #expect(dry.output.contains("Note as unneeded the archive \(digest(try fixture.archive(content: [1])))"))
            #expect(dry.output.contains("To be freed: "))
            let json = await run("--json")
            #expect(json.output.contains(#""event":"mark""#), "\(json.output)")
            #expect(await run("--grace", "60").code == .usage)
        }
    }

    @Test func uploadsThatAreNotEndedCountAgainstTheQuota() async throws {
        try await HostFixture.with({ $0.limits.bytesPerApp = 1000 }) { fixture in
            let publisher = fixture.publisher
            func reserve(_ name: String, _ size: Int64) async throws -> Publisher.Answer {
                let version = try await publisher.version(of: publisher.pack(name, app: fixture.appID))
                return try await publisher.send(
                    "POST", "/v1/backgroundAssetUploadFiles",
                    Publisher.document(
                        .backgroundAssetUploadFiles, id: nil,
                        ["assetType": "ASSET", "fileName": "a.aar", "fileSize": .integer(size)],
                        ["backgroundAssetVersion": (.backgroundAssetVersions, version)]))
            }
            #expect(try await reserve("One", 600).status == 201)
            let refused = try await reserve("Two", 401)
            #expect(refused.code == "STATE_ERROR.LIMIT_REACHED")
            #expect(String(decoding: refused.body, as: UTF8.self).contains("uploads that are not ended 600"))
            #expect(try await reserve("Three", 400).status == 201)
        }
    }
}
