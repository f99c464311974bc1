// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import DeviceSupport
import Kit
import System
import TestSupport
import Testing

/// Apps and their packs from a hosting service, by the real programs (E6, BA 4.6).
@Suite(.serialized) struct HostedInstallTests {
    @Test func anAppComesFromAHostAndFollowsItsChannel() async throws {
        try await HostBench.with { host in
            let (bench, id) = (host.bench, SampleApp.bundleID)
            for pack in bench.packs { try await host.publish(pack) }
            try await host.publish(host.app(version: "1.0"), version: "1.0")

            let origin = ["--from", host.url, "--channel", "internalBeta"]
            let stranger = try await Binaries.run(
                "larder", ["install", id] + origin, environment: bench.device.environment, atMost: .seconds(60))
            #expect(stranger.exitCode == 7, "\(stranger.errorText)")
            #expect(stranger.errorText.contains("--token"))

            let installed = try await host.expectSuccess(
                ["install", id] + origin + ["--token", host.token, "--json"])
            let events = installed.outputText.split(separator: "\n").compactMap {
                try? JSONParser.parse(String($0)).value
            }
            let last = try #require(events.last)
            #expect(last["completed"] == last["total"], "base app and essential packs are one progress")
            #expect((last["total"]?.integerValue ?? 0) > bench.essential.archiveSize)
            let app = try await bench.device.launch()
            try await bench.expectWhole(bench.essential, through: app)
            let archives = try FileDescriptor.currentDirectory.entries(
                at: bench.device.paths.appRoot(id).appending("bundle")
            ).map(\.name).filter { $0.hasSuffix(".aar") }
            #expect(archives.isEmpty, "the downloaded archive is not kept")

            // The installed build follows the channel's new live version of a pack.
            var files = bench.essential.files
            let path = files.keys.sorted()[0]
            files[path] = Array("version two".utf8)
            try await host.publish(
                SamplePack.make("First", version: 2, policy: "essential", files: files, in: bench.scratch))
            #expect(try await app.ask("check").contains("First"))
            #expect(try await app.ask("ensureLatest First") == "ok First")
            #expect(try await app.ask("read \(path)") == "ok " + summary(Array("version two".utf8)))

            // And then the channel's new build.
            let idle = try await host.expectSuccess(["update"])
            #expect(idle.outputText.contains("up to date"), "\(idle.outputText)")
            try await host.publish(host.app(version: "2.0"), version: "2.0")
            try await host.expectSuccess(["update", id])
            #expect(try await bench.device.connect().send(AppsRequest()).apps.map(\.version) == ["2.0"])
        }
    }

    /// One live version of a pack for all installed builds: an older one gets it, too.
    @Test func anOlderBuildFollowsTheChannelsNewPackVersion() async throws {
        try await HostBench.with { host in
            let (bench, id) = (host.bench, SampleApp.bundleID)
            for pack in bench.packs { try await host.publish(pack) }
            try await host.publish(host.app(version: "1.0"), version: "1.0")
            try await host.expectSuccess(
                ["install", id, "--from", host.url, "--channel", "internalBeta", "--token", host.token])
            let app = try await bench.device.launch()

            // The channel has a newer build by now, which this device did not take.
            try await host.publish(host.app(version: "2.0"), version: "2.0")
            var files = bench.essential.files
            let path = files.keys.sorted()[0]
            files[path] = Array("for every build".utf8)
            try await host.publish(
                SamplePack.make("First", version: 2, policy: "essential", files: files, in: bench.scratch))
            #expect(try await app.ask("check").contains("First"))
            #expect(try await app.ask("ensureLatest First") == "ok First")
            #expect(try await app.ask("read \(path)") == "ok " + summary(Array("for every build".utf8)))
            #expect(try await bench.device.connect().send(AppsRequest()).apps.map(\.version) == ["1.0"])
        }
    }

    @Test func whatIsKnownUnderAnAddressThatIsGoodNoMoreComesFromTheNewOne() async throws {
        let options = ["--archive-lifetime", "3600"]
        try await HostBench.with(options) { host in
            let (bench, id) = (host.bench, SampleApp.bundleID)
            for pack in bench.packs { try await host.publish(pack) }
            try await host.publish(host.app(version: "1.0"), version: "1.0")
            func address() async throws -> String {
                let entry = try await host.manifest("")["assetPacks"]?.arrayValue?.first
                return try #require(entry?["url"]?.stringValue)
            }
            let first = try await address()
            #expect(first.contains("&signature="))
            // The prefetch pack is asked for, and waits with the address of now.
            try await host.expectSuccess(["settings", "set", "backgroundRefresh", "off"])
            try await host.expectSuccess(
                ["install", id, "--from", host.url, "--channel", "internalBeta", "--token", host.token])
            #expect(try await bench.device.packs()["Second"]?.localVersion == nil)

            // No address that the device knows is good any more.
            host.server.process.kill()
            _ = try host.server.process.wait()
            let rotated = try await Binaries.run(
                "larder-host", ["addresses", "rotate", "--at-once", "--data", host.data.string],
                environment: host.environment, atMost: .seconds(60))
            try #require(rotated.exitCode == 0, "\(rotated.errorText)")
            let server = try host.serveAgain(options + ["--log-level", "info", "--log-format", "json"])
            _ = try await server.line { $0.contains("listening") }
            #expect(try await address() != first)
            try await host.expectSuccess(["settings", "set", "backgroundRefresh", "on"])
            let deadline = ContinuousClock.now + .seconds(60)
            while try await bench.device.packs()["Second"]?.localVersion == nil, ContinuousClock.now < deadline {
                await Task.yield()
            }
            let app = try await bench.device.launch()
            try await bench.expectWhole(bench.prefetch, through: app)
            let requests = server.errorText.split(separator: "\n").filter { $0.contains("/archives/") }
            let statuses = requests.compactMap {
                try? JSONParser.parse(String($0)).value["metadata"]?["status"]?.stringValue
            }
            #expect(statuses.first == "403", "\(statuses)")
        }
    }
}
