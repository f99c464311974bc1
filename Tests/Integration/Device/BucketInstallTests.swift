// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import DeviceProtocol
import DeviceSupport
import Kit
import System
import TestSupport
import Testing

/// A hosting service that keeps everything in a bucket, by the real programs (E3, E4, E8).
@Suite(.serialized) struct BucketInstallTests {
    /// A host that may be killed and started again at the same port.
    private final class BucketHost: Sendable {
        let url: String
        private let port: String
        private let arguments: [String]
        private let environment: [String: String]
        private let program: Locked<RunningProgram>

        init(_ arguments: [String], environment: [String: String], scratch: Scratch) async throws {
            self.arguments = ["serve", "--json"] + arguments
            self.environment = environment
            let first = try RunningProgram(
                "larder-host", self.arguments + ["--port", "0"], environment: environment)
            let listening = try JSONParser.parse(try await first.line { $0.contains("listening") }).value
            url = try #require(listening["url"]?.stringValue)
            port = "\(try #require(listening["port"]?.integerValue))"
            program = Locked(first)
            scratch.addCleanup { [program] in
                let last = program.withLock { $0 }
                last.process.kill()
                _ = try? last.process.wait()
            }
        }

        /// SIGKILL, and another start.
        func killAndStart() async throws {
            try await program.withLock({ $0 }).kill()
            let next = try RunningProgram("larder-host", arguments + ["--port", port], environment: environment)
            program.withLock { $0 = next }
            _ = try await next.line { $0.contains("listening") }
        }
    }

    @Test func packsGoThroughABucketWhoeverIsKilled() async throws {
        try await Bench.with { bench in
            var generator = SeededGenerator.forTest()
            let files = Dictionary(
                (0..<20).map { ("Large/file-\($0).bin", generator.bytes(1 << 20)) }, uniquingKeysWith: { $1 })
            let pack = try SamplePack.make("Large", policy: "essential", files: files, in: bench.scratch)
            let objects = try ObjectServer(in: bench.scratch(""), rate: 4 << 20)
            let id = SampleApp.bundleID
            let environment = bench.device.environment.merging(objects.credentials) { $1 }
            let place = ["--data", bench.scratch("host").string]
            func administer(_ arguments: String...) async throws -> JSONValue {
                let output = try await Binaries.run(
                    "larder-host", arguments + place + ["--json"], environment: environment, atMost: .seconds(60))
                try #require(output.exitCode == 0, "\(output.errorText)")
                return try JSONParser.parse(output.outputText).value
            }
            _ = try await administer("app", "create", id)
            let key = try await administer(
                "keys", "create", "CI", "--role", "ADMIN", "--out", bench.scratch("key.p8").string)
            let token = try await administer("channels", "token", id, "internalBeta")
            let host = try await BucketHost(
                place + ["--storage", objects.setting(prefix: "live")], environment: environment, scratch: bench.scratch
            )
            let credentials = [
                "--host", host.url, "--key", bench.scratch("key.p8").string, "--key-id",
                try #require(key["id"]?.stringValue), "--issuer", try #require(key["issuer"]?.stringValue),
            ]
            _ = try await bench.device.connect().send(
                TrustAddRequest(
                    name: "objects", pem: String(decoding: try File.read(objects.authorityFile), as: UTF8.self)))

            // The host dies while parts are on their way, and while the archive is checked.
            let upload = try RunningProgram(
                "larder", ["upload", pack.archive.string, "--app", id, "--wait", "--json"] + credentials,
                environment: bench.device.environment)
            for event in ["began", "uploaded"] {
                _ = try await upload.line(atMost: .seconds(120)) { $0.contains("\"\(event)\"") }
                try await host.killAndStart()
            }
            #expect(try await upload.end(atMost: .seconds(180)) == 0, "\(upload.errorText)")
            let app = try bench.app(version: "1.0") {
                $0.keys = ["BAManifestURL": nil, "BAUsesAppleHosting": "<true/>"]
            }
            let built = try await Binaries.run(
                "larder", ["app", "upload", app.string, "--version", "1.0"] + credentials,
                environment: bench.device.environment, atMost: .seconds(120))
            #expect(built.exitCode == 0, "\(built.errorText)")

            // The device's service dies in the middle of the pack, and goes on at another address of the bucket.
            let install = try bench.device.startLarder(
                "install", id, "--from", host.url, "--channel", "internalBeta", "--token",
                try #require(token["token"]?.stringValue), "--json")
            let half = pack.archiveSize / 2
            _ = try await install.line(atMost: .seconds(120)) { line in
                let packs = (try? JSONParser.parse(line).value)?["packs"]?.arrayValue
                return packs?.first?["completed"]?.integerValue.map { $0 > half } ?? false
            }
            try await bench.device.kill()
            #expect(try await install.end(atMost: .seconds(180)) == 0, "\(install.errorText)")
            let running = try await bench.device.launch()
            try await bench.expectWhole(pack, through: running)
            // The command started this service, so the bench does not end it.
            #expect(try await bench.device.larder("stop").exitCode == 0)

            let archive = "/packs/live/archives/\(pack.contents.digest.prefix(2))/\(pack.contents.digest)"
            let answers = try objects.answers().filter { $0.target.hasPrefix(archive + "?X-Amz-Algorithm=") }
            #expect(answers.contains { $0.status == "206" }, "\(answers) \(install.lines)")
            let log = try bench.scratch.tree("host").map { "\($0)" }
            #expect(!log.contains { $0.hasPrefix("archives/") }, "nothing is kept on the host")
        }
    }
}
