// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HTTP
import HostingModel
import HostingService
import Kit
import System
import TestSupport
import Testing

/// What those who run a host rely on.
@Suite(.timeLimit(.minutes(5))) struct OperationTests {
    @Test func healthLooksAtDatabaseAndDisk() async throws {
        try await HostFixture.with { fixture in
            let answer = try await fixture.publisher.send("GET", "/healthz", token: .some(nil))
            #expect(answer.status == 200)
            #expect(String(decoding: answer.body, as: UTF8.self) == "ok\n")
        }
        try await HostFixture.with({ $0.limits.freeSpace = .max }) { fixture in
            let answer = try await fixture.publisher.send("GET", "/healthz", token: .some(nil))
            #expect(answer.status == 503)
            #expect(String(decoding: answer.body, as: UTF8.self).contains("disk"))
        }
    }

    @Test func metricsCountWhatWasAnswered() async throws {
        try await HostFixture.with { fixture in
            _ = try await fixture.publisher.send("GET", "/v1/apps")
            _ = try await fixture.publisher.send("GET", "/v1/apps/nobody")
            let pack = try await fixture.publisher.pack("Coast", app: fixture.appID)
            _ = try await fixture.publisher.publish(fixture.archive(content: [1, 2, 3]), to: pack)
            // An exchange is counted when it is over, which is a moment after its answer has come.
            let uploads = #"larder_host_requests_total{area="uploads",method="PUT",status="200"} 1"#
            let text = try await eventually {
                let answer = try await fixture.publisher.send("GET", "/metrics", token: .some(nil))
                #expect(answer.status == 200)
                #expect(answer.headers["content-type"]?.hasPrefix("text/plain; version=0.0.4") == true)
                let text = String(decoding: answer.body, as: UTF8.self)
                return text.contains(uploads) ? text : nil
            }
            #expect(text.contains(#"larder_host_requests_total{area="api",method="GET",status="404"} 1"#))
            #expect(text.contains(#"larder_host_versions{state="COMPLETE"} 1"#))
            #expect(text.contains("# TYPE larder_host_jobs_waiting gauge"))
            #expect(text.contains(#"larder_host_request_seconds_bucket{area="api",le="+Inf"}"#))
            // Each name is described once, before its figures.
            let described = text.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }
                .map { $0.split(separator: " ")[2] }
            #expect(Set(described).count == described.count)
            for line in text.split(separator: "\n") where !line.hasPrefix("#") {
                #expect(Double(line.split(separator: " ").last ?? "") != nil, "\(line)")
                #expect(described.contains { line.hasPrefix($0) })
            }
        }
    }

    @Test(arguments: ["X-Forwarded-For", "Forwarded"])
    func metricsAreNotForTheWorld(_ header: String) async throws {
        try await HostFixture.with { fixture in
            let answer = try await fixture.publisher.send(
                "GET", "/metrics", headers: [header: "198.51.100.7"], token: .some(nil))
            #expect(answer.status == 404)
        }
    }

    @Test func logsNameTheRequestAsItsAnswerDoes() async throws {
        let sink = MemoryLogSink()
        try await HostFixture.with({ $0.log = Logger(label: "host", level: .info, sink: sink) }) { fixture in
            let answer = try await fixture.publisher.send("GET", "/v1/apps")
            let id = try #require(answer.headers["x-request-id"])
            let record = try await eventually { sink.records.first { $0.metadata["request"] == id } }
            #expect(record.metadata["status"] == "200")
            #expect(record.metadata["path"] == "/v1/apps")
        }
    }

    @Test func aPackThatWouldTakeTooMuchIsRefused() async throws {
        try await HostFixture.with({ $0.limits.bytesPerApp = 100_000 }) { fixture in
            let pack = try await fixture.publisher.pack("Coast", app: fixture.appID)
            let version = try await fixture.publisher.version(of: pack)
            func reserve(_ size: Int64) async throws -> Publisher.Answer {
                try await fixture.publisher.send(
                    "POST", "/v1/backgroundAssetUploadFiles",
                    Publisher.document(
                        .backgroundAssetUploadFiles, id: nil,
                        ["assetType": "ASSET", "fileName": "a.aar", "fileSize": .integer(size)],
                        ["backgroundAssetVersion": (.backgroundAssetVersions, version)]))
            }
            let refused = try await reserve(100_001)
            #expect(refused.status == 409)
            #expect(refused.code == "STATE_ERROR.LIMIT_REACHED")
            #expect(try await reserve(100_000).status == 201)
        }
    }

    @Test func whoNearlyReachedTheQuotaIsWarned() async throws {
        // Noise, so that the archive is as large as what is in it.
        var random = SeededGenerator.forTest()
        let content = random.bytes(40_000)
        try await HostFixture.with({ $0.limits.bytesPerApp = 100_000 }) { fixture in
            func warnings(_ name: String, _ count: Int) async throws -> [String] {
                let pack = try await fixture.publisher.pack(name, app: fixture.appID)
                let version = try await fixture.publisher.publish(
                    fixture.archive(name, content: Array(content.prefix(count))), to: pack)
                let details = version["attributes"]?["stateDetails"]?["warnings"]?.arrayValue ?? []
                return details.compactMap { $0["code"]?.stringValue }
            }
            let early = try await warnings("Coast", 40_000) + warnings("Isles", 38_000)
            #expect(early.isEmpty, "seed \(random.seed)")
            #expect(try await warnings("Reefs", 6_000) == ["QUOTA_NEARLY_REACHED"], "seed \(random.seed)")
        }
    }

    @Test(arguments: ["archive-size", "archive-size=", "archive-size=0", "archive-size=much", "archive-sise=1GiB"])
    func aLimitThatIsNoneIsSaid(_ setting: String) async throws {
        try await Scratch.with { scratch in
            let errors = BufferSink()
            let context = CommandContext(
                programName: "larder-host", environment: ["LARDER_HOME": scratch("home").string],
                standardOutput: BufferSink(), standardError: errors)
            let code = await CommandRunner(root: HostCommands.tree, version: "test").run(
                ["serve", "--port", "0", "--limit", setting], context: context)
            #expect(code == .usage)
            #expect(errors.text.contains("limit"))
            #expect(!FileDescriptor.currentDirectory.exists(at: scratch("home/state/host")))
        }
    }

    @Test func aBackupIsAHostOfItsOwn() async throws {
        var generator = SeededGenerator.forTest()
        let content = generator.bytes(500_000)
        try await HostFixture.with(on: .sqlite) { fixture in
            let pack = try await fixture.publisher.pack("Coast", app: fixture.appID)
            let archive = try fixture.archive(content: content)
            _ = try await fixture.publisher.publish(archive, to: pack)
            // An upload that is under way goes on from the backup, too.
            let half = try await fixture.publisher.version(of: pack)
            let file = try await fixture.publisher.reserve(half, size: archive.count)
            try await fixture.publisher.put(archive, to: file)
            let token = try await fixture.channelToken(.internalBeta)
            let folder = fixture.scratch("backup")
            let result = try await HostBackup(data: fixture.scratch("data")).copy(to: folder)
            // The archive and its index, and a part.
            #expect(result.files == 3)
            await #expect(throws: HostingError.self) {
                try await HostBackup(data: fixture.scratch("data")).copy(to: folder)
            }
            // What comes afterwards is not in it.
            _ = try await fixture.publisher.pack("Later", app: fixture.appID)

            var configuration = HostConfiguration(data: folder)
            configuration.host = "127.0.0.1"
            let restored = try await Host(configuration)
            var publisher = fixture.publisher
            publisher = Publisher(url: restored.url, signer: publisher.signer)
            let packs = try await publisher.send("GET", "/v1/apps/\(fixture.appID)/backgroundAssets").json["data"]
            #expect(packs?.arrayValue?.count == 1)
            let manifest = try await publisher.send(
                "GET", "/devices/\(HostFixture.bundleID)/internalBeta/manifest", token: .some(token))
            let url = try #require(
                try manifest.json["assetPacks"]?.arrayValue?.first?["url"]?.stringValue)
            #expect(try await publisher.send("GET", url, token: .some(nil)).body == archive)
            let fileID = try #require(file["id"]?.stringValue)
            #expect(try await publisher.commit(fileID).status == 200)
            #expect(try await publisher.processed(half)["attributes"]?["state"] == "COMPLETE")
            await restored.stop()
        }
    }

    @Test func stoppingAnswersWhatIsUnderWay() async throws {
        let inside = AsyncStream<Void>.makeStream()
        let release = AsyncStream<Void>.makeStream()
        let server = try HTTPServer(HTTPServerConfiguration(host: "127.0.0.1")) { request in
            guard request.path == "/slow" else { return .text(200, "at once") }
            inside.continuation.finish()
            for await _ in release.stream {}
            return .text(200, "late")
        }
        let url = "http://127.0.0.1:\(server.port)"
        let request = Task { try await RawExchange.send("GET", "/slow", to: url) }
        for await _ in inside.stream {}
        let stopped = Task {
            try await onOwnThread { () -> Bool in
                let isDrained = server.drain(atMost: .seconds(60))
                server.stop()
                return isDrained
            }
        }
        // Nobody new is let in while the old one is being answered.
        try await eventually { (try? await RawExchange.send("GET", "/", to: url)) == nil ? () : nil }
        release.continuation.finish()
        #expect(try await request.value.status == 200)
        #expect(try await stopped.value)
    }

    @Test func oversizeHeadersAreRefused() async throws {
        try await HostFixture.with { fixture in
            let answer = try await fixture.publisher.send(
                "GET", "/v1/apps", headers: ["X-Large": String(repeating: "x", count: 256 << 10)])
            #expect(answer.status == 431 || answer.status == 413)
        }
    }
}
