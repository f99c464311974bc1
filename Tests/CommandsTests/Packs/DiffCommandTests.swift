// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System
import TestSupport
import Testing

@testable import Commands

struct DiffCommandTests {
    private static let manifest = """
        { "assetPackID": "T", "downloadPolicy": { "onDemand": {} }, "fileSelectors": [ { "directory": "d" } ],
          "platforms": ["Linux"] }
        """

    /// Two versions: a large file with another byte, and a gzip file with another time.
    private func withVersions(
        normalized: Bool = false, _ body: (Scratch, PackShell) async throws -> Void
    ) async throws {
        try await Scratch.with { scratch in
            let shell = PackShell(scratch: scratch)
            var generator = SeededGenerator(seed: 5)
            var large = generator.bytes(2_000_000)
            let gzip: [UInt8] = [0x1F, 0x8B, 8, 0, 1, 1, 1, 1, 0, 3] + generator.bytes(400)
            try scratch.write(Self.manifest, to: "M.json")
            try scratch.write(generator.bytes(5000), to: "d/same")
            try scratch.write(large, to: "d/large")
            try scratch.write(gzip, to: "d/text.gz")
            let package = ["package", "M.json", "--block-size", "64k"] + (normalized ? ["--normalize"] : [])
            #expect(await shell(package + ["-o", "old.aar"]).code == .success)
            large[1_000_000] ^= 1
            try scratch.write(large, to: "d/large")
            try scratch.write(gzip[..<4] + [2, 2, 2, 2] + gzip[8...], to: "d/text.gz")
            #expect(await shell(package + ["-o", "new.aar"]).code == .success)
            try await body(scratch, shell)
        }
    }

    @Test func theCostIsToldByMethodAndFile() async throws {
        try await withVersions { scratch, shell in
            let result = await shell("diff", "old.aar", "new.aar")
            #expect(result.code == .success && result.errors.isEmpty)
            let lines = result.output.split(separator: "\n")
            #expect(lines[0].hasPrefix("blocks  ") && lines[1].hasPrefix("whole   2.0 MB"))
            #expect(lines[2] == "A device would take: blocks.")
            #expect(lines[3] == "2 files unchanged, 2 changed, 0 added, 0 moved, 0 removed")
            #expect(result.output.contains("Contents/d/large (changed, 2.0 MB)"))
            #expect(result.output.contains("Contents/d/text.gz (changed, 410 bytes, only times differ)"))
            #expect(result.output.contains("1 file of these differ only in embedded times"))
        }
    }

    @Test func scriptsGetNumbers() async throws {
        try await withVersions { scratch, shell in
            try scratch.write("patch", to: "p")
            let result = await shell("diff", "old.aar", "new.aar", "--patch", "p", "--json")
            let json = try JSONParser.parse(result.output).value
            #expect(json["best"] == "patch")
            #expect(json["methods"]?["patch"]?["bytesToFetch"] == 5)
            #expect(json["onlyStampsDiffer"] == 1)
            #expect(json["files"]?.arrayValue?.first?["path"] == "Contents/d/large")
            #expect(await shell("diff", "old.aar", "new.aar", "--patch", "none").code == .notFound)
            #expect(await shell("diff", "old.aar", "missing.aar").code == .notFound)
        }
    }

    @Test func normalizedPacksDoNotDifferInTimes() async throws {
        try await withVersions(normalized: true) { _, shell in
            let result = await shell("diff", "old.aar", "new.aar")
            #expect(result.output.contains("\n3 files unchanged, 1 changed, "))
            #expect(!result.output.contains("only times differ"))
        }
    }
}
