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
    /// A host with one app, a key, and a token for its internal testers.
    private struct HostBench {
        let bench: Bench
        let url: String
        let credentials: [String]
        let token: String

        /// Uploads and waits until the host has checked it.
        func publish(_ pack: SamplePack) async throws {
            try await expectSuccess(
                ["upload", pack.archive.string, "--app", SampleApp.bundleID, "--wait"] + credentials)
        }

        func publish(_ app: FilePath, version: String) async throws {
            try await expectSuccess(["app", "upload", app.string, "--version", version] + credentials)
        }

        @discardableResult
        func expectSuccess(
            _ arguments: [String], sourceLocation: SourceLocation = #_sourceLocation
        ) async throws -> ChildProcess.Output {
            let output = try await Binaries.run(
                "larder", arguments, environment: bench.device.environment, atMost: .seconds(120))
            #expect(output.exitCode == 0, "\(output.errorText)", sourceLocation: sourceLocation)
            return output
        }

        /// An app that leaves hosting to the store.
        func app(version: String) throws -> FilePath {
            try bench.app(version: version) {
                $0.keys = ["BAManifestURL": nil, "BAUsesAppleHosting": "<true/>"]
            }
        }
    }

    private func withHost(_ body: (HostBench) async throws -> Void) async throws {
        try await Bench.with { bench in
            let data = bench.scratch("host").string
            let environment = bench.device.environment
            func host(_ arguments: String...) async throws -> JSONValue {
                let output = try await Binaries.run(
                    "larder-host", arguments + ["--data", data, "--json"], environment: environment,
                    atMost: .seconds(60))
                try #require(output.exitCode == 0, "\(output.errorText)")
                return try JSONParser.parse(output.outputText).value
            }
            _ = try await host("app", "create", SampleApp.bundleID)
            let key = try await host("keys", "create", "CI", "--role", "ADMIN", "--out", bench.scratch("key.p8").string)
            let token = try await host("channels", "token", SampleApp.bundleID, "internalBeta")
            let server = try RunningProgram(
                "larder-host", ["serve", "--data", data, "--port", "0", "--json"], environment: environment)
            bench.scratch.addCleanup {
                server.process.kill()
                _ = try? server.process.wait()
            }
            let listening = try JSONParser.parse(try await server.line { $0.contains("listening") }).value
            let url = try #require(listening["url"]?.stringValue)
            try await body(
                HostBench(
                    bench: bench, url: url,
                    credentials: [
                        "--host", url, "--key", bench.scratch("key.p8").string, "--key-id",
                        try #require(key["id"]?.stringValue), "--issuer", try #require(key["issuer"]?.stringValue),
                    ], token: try #require(token["token"]?.stringValue)))
        }
    }

    @Test func anAppComesFromAHostAndFollowsItsChannel() async throws {
        try await withHost { host in
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
}
