// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceSupport
import Kit
import System
import TestSupport
import Testing

/// `ba-package` as a person types it, with Apple's spelling (A4, BA 3.1).
@Suite struct PackToolTests {
    /// Runs the program under its other name.
    private func tool(_ scratch: Scratch, _ arguments: String...) async throws -> ChildProcess.Output {
        let link = scratch("ba-package")
        if !FileDescriptor.currentDirectory.exists(at: link) {
            try FileDescriptor.currentDirectory.makeSymbolicLink(to: try Binaries.path("larder").string, at: link)
        }
        return try await offload { [path = scratch.path] in
            try ChildProcess.run(
                executable: link, arguments: arguments, environment: Binaries.hermeticEnvironment,
                workingDirectory: path)
        }
    }

    private static let manifest = """
        {
          // Comments are allowed.
          "assetPackID": "Tutorial",
          "downloadPolicy": { "prefetch": { "installationEventTypes": ["firstInstallation"] } },
          "fileSelectors": [ { "directory": "Levels" }, { "file": "intro.txt" } ],
          "platforms": []
        }
        """

    private func sources(_ scratch: Scratch) throws {
        try scratch.write(Self.manifest, to: "Tutorial.json")
        try scratch.write("hello", to: "intro.txt")
        try scratch.write(String(repeating: "level one ", count: 5_000), to: "Levels/1.lvl")
        try scratch.write([], to: "Levels/empty.lvl")
    }

    @Test func templateEvaluatePackageListVerifyExtract() async throws {
        try await Scratch.with { scratch in
            try sources(scratch)
            #expect(try await tool(scratch, "template", "-o", "T.json").exitCode == 0)
            #expect(try scratch.read("T.json").contains("assetPackID"))
            #expect(try await tool(scratch, "template").outputText == scratch.read("T.json"))

            let evaluated = try await tool(scratch, "evaluate", "Tutorial.json")
            #expect(evaluated.exitCode == 0, "\(evaluated.errorText)")
            #expect(evaluated.outputText.contains("Levels/1.lvl") && evaluated.outputText.contains("intro.txt"))

            let packed = try await tool(scratch, "Tutorial.json", "-o", "Tutorial.aar")
            #expect(packed.exitCode == 0, "\(packed.errorText)")
            let again = try await tool(scratch, "package", "Tutorial.json", "--output-path", "Again.aar", "-q")
            #expect(again.exitCode == 0 && again.outputText.isEmpty)
            #expect(
                try scratch.bytes("Tutorial.aar") == scratch.bytes("Again.aar"), "the same input gives the same bytes")
            #expect(try scratch.bytes("Tutorial.aar").prefix(4).elementsEqual("pbze".utf8))

            let refused = try await tool(scratch, "Tutorial.json", "-o", "Tutorial.aar")
            #expect(refused.exitCode != 0 && refused.errorText.contains("Tutorial.aar"), "never overwrites")

            let listed = try await tool(scratch, "list", "Tutorial.aar")
            #expect(listed.outputText.contains("Levels/empty.lvl") && listed.outputText.contains("manifest.json"))
            #expect(try await tool(scratch, "verify", "Tutorial.aar").exitCode == 0)

            #expect(try await tool(scratch, "extract", "Tutorial.aar", "-o", "out").exitCode == 0)
            #expect(try scratch.bytes("out/Contents/Levels/1.lvl") == scratch.bytes("Levels/1.lvl"))
            #expect(try scratch.bytes("out/Contents/Levels/empty.lvl").isEmpty)
            #expect(try scratch.read("out/Contents/intro.txt") == "hello")
        }
    }

    @Test func downloadManifestsAreCreatedAndUpdated() async throws {
        try await Scratch.with { scratch in
            try sources(scratch)
            #expect(try await tool(scratch, "Tutorial.json", "-o", "Tutorial.aar").exitCode == 0)
            let base = "https://cdn.example.com/packs"
            let created = try await tool(
                scratch, "download-manifest", "create", "Tutorial.aar", "--ios", "--asset-pack-versions", "4",
                "--download-base-url", base, "-o", "M.json")
            #expect(created.exitCode == 0, "\(created.errorText)")
            #expect(try version(scratch) == 4)
            let text = try scratch.read("M.json")
            #expect(text.contains("\(base)/Tutorial\"") && text.contains("sha256-tree-1m"))
            try scratch.write("changed", to: "intro.txt")
            #expect(try await tool(scratch, "Tutorial.json", "-o", "New.aar").exitCode == 0)
            let updated = try await tool(
                scratch, "download-manifest", "update", "M.json", "--asset-pack-paths", "New.aar", "--ios",
                "--download-base-url", base)
            #expect(updated.exitCode == 0, "\(updated.errorText)")
            #expect(try version(scratch) == 5)
        }
    }

    private func version(_ scratch: Scratch) throws -> Int64? {
        let manifest = try JSONParser.parse(scratch.bytes("M.json")).value
        guard case .array(let packs) = manifest["assetPacks"], case .integer(let version) = packs.first?["version"]
        else { return nil }
        return version
    }

    struct Hostile: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let entries: [UInt8]
    }

    static let hostile: [Hostile] = [
        Hostile(testDescription: "a path that climbs", entries: entry("F", "../escaped", data: "x")),
        Hostile(testDescription: "an absolute path", entries: entry("F", "/tmp/escaped", data: "x")),
        Hostile(
            testDescription: "a file through its own link",
            entries: entry("L", "way", link: "..") + entry("F", "way/escaped", data: "x")),
        Hostile(
            testDescription: "a file over its own link",
            entries: entry("L", "way", link: "../escaped") + entry("F", "way", data: "x")),
        Hostile(
            testDescription: "the same path twice", entries: entry("F", "a", data: "x") + entry("F", "a", data: "y")),
        Hostile(testDescription: "an end too early", entries: Array(entry("F", "a", data: "xyz").dropLast())),
        Hostile(testDescription: "10 GB in a few bytes", entries: entry("F", "a", data: "x", claims: 10_000_000_000)),
        Hostile(
            testDescription: "folders nested 65,536 deep",
            entries: entry("F", String(repeating: "a/", count: 32_000) + "b", data: "x")),
    ]

    @Test(arguments: hostile) func aHostileArchiveIsRefusedAndLeavesNothing(_ archive: Hostile) async throws {
        try await Scratch.with { scratch in
            try scratch.write(archive.entries, to: "bad.aar")
            // Not in the scratch folder itself, so that a path that climbs would still end inside it.
            try scratch.write("", to: "inner/stays")
            let result = try await tool(scratch, "extract", "bad.aar", "-o", "inner/out")
            #expect(result.exitCode == 4 || result.exitCode == 2 || result.exitCode == 1, "\(result.exitCode)")
            #expect(result.errorText.contains("bad.aar"), "\(result.errorText)")
            #expect(try scratch.tree() == ["ba-package", "bad.aar", "inner/stays"], "nothing is left behind")
            #expect(try await tool(scratch, "verify", "bad.aar").exitCode != 0)
        }
    }

    /// One AA01 entry, bytes by hand (AA 1.1, 1.2).
    private static func entry(
        _ type: Character, _ path: String, link: String? = nil, data: String? = nil, claims: UInt64? = nil
    ) -> [UInt8] {
        func little<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
            withUnsafeBytes(of: value.littleEndian, Array.init)
        }
        func text(_ key: String, _ value: String) -> [UInt8] {
            Array("\(key)P".utf8) + little(UInt16(clamping: value.utf8.count)) + Array(value.utf8)
        }
        var fields = Array("TYP1".utf8) + Array(String(type).utf8) + text("PAT", path)
        if let link { fields += text("LNK", link) }
        if let data { fields += Array("DATC".utf8) + little(claims ?? UInt64(data.utf8.count)) }
        return Array("AA01".utf8) + little(UInt16(clamping: fields.count + 6)) + fields + Array((data ?? "").utf8)
    }
}
