// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import DeviceSupport
import Glibc
import HTTP
import Kit
import System
import TestSupport
import Testing

/// A service that is killed while an extension thinks about what a server asks.
@Suite struct QuestionTests {
    private static let app = "org.example.game"
    private static let group = "group.org.example.game"

    private struct Stage {
        let bench: Bench
        let group: FilePath

        init(_ bench: Bench) throws {
            self.bench = bench
            group = bench.device.paths.state.appending("groups").appending(QuestionTests.group)
            try FileDescriptor.currentDirectory.makeDirectories(at: group, permissions: .directoryPrivate)
        }

        func bundle() throws -> FilePath {
            var fixture = AppFixture()
            fixture.keys = [
                "BAAppGroupID": "<string>\(QuestionTests.group)</string>",
                "BAManifestURL": "<string>\(bench.server.baseURL)/list</string>",
            ]
            fixture.extensionProgram = try Binaries.path("ProbeDownloader")
            return try fixture.write(in: try bench.scratch.makeDirectory("build"))
        }

        var journal: [String] {
            let bytes = (try? File.read(group.appending("journal"), limit: 1 << 20)) ?? []
            return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        }

        var fifos: [FilePath] { ["hold", "release"].map { group.appending($0) } }
    }

    @Test func itsDownloadGoesOn() async throws {
        try await Bench.with(fileCount: 1, fileSize: 10) { bench in
            let stage = try Stage(bench)
            let film = [UInt8](repeating: 7, count: 1000)
            bench.server.publish(try bench.scratch.write(film, to: "one"), as: "/one")
            bench.server.publish(
                try bench.scratch.write("one \(bench.server.baseURL)/one \(film.count)\n", to: "list"), as: "/list")
            try AtomicFile.write("ann\nsesame\n".utf8, to: stage.group.appending("login"), durable: false)
            let fifos = stage.fifos
            bench.server.spoil { request, number, response in
                guard request.path == "/one", request.headers["Authorization"] == nil else { return }
                // From the first question on the extension stops over its answers.
                if number == 1 { for path in fifos { mkfifo(path.string, 0o600) } }
                response = HTTPServerResponse(status: 401, headers: ["WWW-Authenticate": "Basic realm=\"films\""])
            }
            _ = try await bench.device.install(try stage.bundle())
            try await FolderWatch.wait(in: stage.group) {
                FileDescriptor.currentDirectory.exists(at: fifos[0])
            }
            try await onOwnThread { _ = try OwnedDescriptor(fifos[0], .readOnly) }
            try await bench.device.kill()
            for path in fifos { try FileDescriptor.currentDirectory.remove(at: path) }
            try await bench.device.start()
            try await FolderWatch.wait(in: stage.group) { stage.journal.last == "finished one here" }
            #expect(
                stage.journal == [
                    "asked install", "challenged one NSURLAuthenticationMethodServerTrust 0",
                    "challenged one NSURLAuthenticationMethodHTTPBasic 0",
                    // The new service knows nothing of what was answered.
                    "challenged one NSURLAuthenticationMethodServerTrust 0",
                    "challenged one NSURLAuthenticationMethodHTTPBasic 0", "finished one here",
                ], "\(stage.journal)")
        }
    }
}
