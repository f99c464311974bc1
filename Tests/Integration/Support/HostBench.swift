// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import DeviceSupport
import HTTP
import Kit
import System
import TestSupport
import Testing

/// A host with one app, a key, and a token for its internal testers, all by the real programs.
struct HostBench: Sendable {
    let bench: Bench
    let url: String
    let credentials: [String]
    let token: String
    /// The host's data folder.
    let data: FilePath
    let server: RunningProgram
    /// What the host's programs are started with.
    let environment: [String: String]

    /// Uploads and waits until the host has checked it.
    func publish(_ pack: SamplePack) async throws {
        try await expectSuccess(["upload", pack.archive.string, "--app", SampleApp.bundleID, "--wait"] + credentials)
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

    /// What a command with `--json` prints, which is one document.
    func json(_ arguments: [String], sourceLocation: SourceLocation = #_sourceLocation) async throws -> JSONValue {
        let output = try await expectSuccess(arguments + credentials + ["--json"], sourceLocation: sourceLocation)
        return try JSONParser.parse(output.outputText).value
    }

    /// An app that leaves hosting to the store, whose host its list does not have.
    func app(version: String) throws -> FilePath {
        try bench.app(version: version) {
            let others = AppFixture.managedKeys(manifestURL: "", domains: ["elsewhere.example"])
            $0.keys = [
                "BAManifestURL": nil, "BAUsesAppleHosting": "<true/>",
                "BAInitialDownloadRestrictions": others["BAInitialDownloadRestrictions"] ?? nil,
            ]
        }
    }

    /// The manifest that a device of the internal testers is answered, with these arguments.
    func manifest(_ arguments: String) async throws -> JSONValue {
        var configuration = HTTPClientConfiguration()
        configuration.allowsPlainLoopback = true
        let request = HTTPRequest(
            url: "\(url)/devices/\(SampleApp.bundleID)/internalBeta/manifest?platform=Linux\(arguments)",
            headers: [("Authorization", "Bearer \(token)")])
        return try JSONParser.parse(try await HTTPClient(configuration).data(for: request, limit: 1 << 20).1).value
    }

    /// Starts the host once more, at the same address, after it has ended.
    func serveAgain(_ options: [String] = []) throws -> RunningProgram {
        let port = String(url.split(separator: ":").last ?? "")
        let server = try RunningProgram(
            "larder-host", ["serve", "--data", data.string, "--port", port, "--json"] + options,
            environment: environment)
        bench.scratch.addCleanup {
            server.process.kill()
            _ = try? server.process.wait()
        }
        return server
    }

    /// Keeps records in PostgreSQL where `LARDER_TEST_DATABASE` says so.
    /// - Parameter options: further ones for `larder-host serve`.
    static func with(_ options: [String] = [], _ body: (HostBench) async throws -> Void) async throws {
        try await Bench.with { bench in
            let data = bench.scratch("host")
            var environment = bench.device.environment
            if Environment.current["LARDER_TEST_DATABASE"] == "postgres" {
                environment["LARDER_DATABASE"] = try await PostgresServer.shared().newSchema()
            }
            func host(_ arguments: String...) async throws -> JSONValue {
                let output = try await Binaries.run(
                    "larder-host", arguments + ["--data", data.string, "--json"], environment: environment,
                    atMost: .seconds(60))
                try #require(output.exitCode == 0, "\(output.errorText)")
                return try JSONParser.parse(output.outputText).value
            }
            _ = try await host("app", "create", SampleApp.bundleID)
            let key = try await host("keys", "create", "CI", "--role", "ADMIN", "--out", bench.scratch("key.p8").string)
            let token = try await host("channels", "token", SampleApp.bundleID, "internalBeta")
            let server = try RunningProgram(
                "larder-host", ["serve", "--data", data.string, "--port", "0", "--json"] + options,
                environment: environment)
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
                    ], token: try #require(token["token"]?.stringValue), data: data, server: server,
                    environment: environment))
        }
    }
}
