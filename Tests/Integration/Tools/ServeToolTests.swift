// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceSupport
import Kit
import System
import TestSupport
import Testing

/// `ba-serve`, its override and authority, and the commands that read packs for other programs (B8, C13, D1).
@Suite struct ServeToolTests {
    @Test func servesTrustsOverridesInstallsAndReads() async throws {
        try await Bench.with(start: false) { bench in
            let server = try RunningProgram(
                "larder",
                ["serve", "--json", "--port", "0"] + bench.packs.map(\.archive.string)
                    + ["--fault", "asset=First:cut,after=100KiB,times=1", "--fault", "manifest:503,times=1"],
                environment: bench.device.environment)
            defer { server.process.kill() }
            let announcement = try await server.line { $0.contains("listening") }
            let listening = try JSONParser.parse(announcement).value
            let url = try #require(listening["url"]?.stringValue)
            let authority = try #require(listening["authority"]?.stringValue)

            try await bench.device.start()
            try await expectSuccess(bench.device.larder("trust", authority))
            try await expectSuccess(bench.device.larder("url-override", url))
            let app = try bench.app { $0.manifestURL = "https://localhost:1/manifest" }
            let installed = try await bench.device.larder("install", "--until", "complete", "--json", app.string)
            try expectSuccess(installed)
            let lines = installed.outputText.split(separator: "\n")
            #expect(lines.count > 1 && lines.allSatisfy { (try? JSONParser.parse(String($0))) != nil })

            let path = bench.essential.files.keys.sorted()[0]
            let bytes = bench.essential.files[path]
            let cat = try await bench.device.larder("cat", "--app", SampleApp.bundleID, path)
            #expect(cat.standardOutput == bytes)
            let place = try await bench.device.larder("path", "--app", SampleApp.bundleID, path)
            #expect(try File.read(FilePath(String(place.outputText.dropLast()))) == bytes)
            let run = try await bench.device.larder(
                "run", "--app", SampleApp.bundleID, "--", "sh", "-c", "cat \"$LARDER_FILES/\(path)\"")
            #expect(run.standardOutput == bytes, "\(run.errorText)")
            #expect(try await bench.device.larder("cat", "--app", SampleApp.bundleID, "no/such").exitCode == 3)

            server.process.terminate()
            #expect(try await server.end() == 0)
        }
    }

    private func expectSuccess(
        _ output: ChildProcess.Output, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(output.exitCode == 0, "\(output.errorText)", sourceLocation: sourceLocation)
    }
}
