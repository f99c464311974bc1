// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Crypto
import Kit
import PackUpdates
import System
import TestSupport
import Testing

@testable import Commands

struct DownloadManifestCommandTests {
    private func withPacks(_ body: (Scratch, PackShell) async throws -> Void) async throws {
        try await Scratch.with { scratch in
            let shell = PackShell(scratch: scratch)
            try shell.writeTree()
            try scratch.write(PackShell.manifest.replacing("Tutorial", with: "Second"), to: "N.json")
            #expect(await shell("M.json", "-o", "A.aar", "-q").code == .success)
            #expect(await shell("N.json", "-o", "B.aar", "-q").code == .success)
            try await body(scratch, shell)
        }
    }

    /// What is said of files and their URLs.
    private static func published(_ base: String, _ archives: [String] = ["A", "B"]) -> String {
        archives.map { archive in
            let url = "\(base)/\(archive == "A" ? "Tutorial" : "Second")"
            return "  publish \(archive).aar as \(url)\n  publish \(archive).aar.index as \(url).index\n"
        }.joined()
    }

    @Test func anIndexBesideThePackIsListedWhenItFits() async throws {
        try await withPacks { scratch, shell in
            let create = ["download-manifest", "create", "A.aar", "--linux", "--download-base-url", "https://h"]
            #expect(await shell(create + ["-o", "D.json"]).code == .success)
            let index = try File.read(scratch("A.aar.index"))
            let listed = try DownloadManifest.read(scratch("D.json"))["Tutorial"]?.larder?.index
            #expect(
                listed
                    == .init(
                        url: "https://h/Tutorial.index", size: Int64(index.count), sha256: SHA256.hash(index).hex,
                        front: PackIndex.front(of: index)))
            let update = ["download-manifest", "update", "D.json", "--asset-pack-paths", "A.aar", "--linux"]
            #expect(await shell(update).code == .success)
            #expect(try DownloadManifest.read(scratch("D.json"))["Tutorial"]?.larder?.index == listed)
            let here = FileDescriptor.currentDirectory
            try here.rename(from: scratch("B.aar.index"), to: scratch("A.aar.index"))
            let wrong = await shell(update)
            #expect(wrong.code == .badInput)
            #expect(
                wrong.errors.contains(
                    "A.aar.index is not the index of the archive beside it: it is that of another one"))
            try here.remove(at: scratch("A.aar.index"))
            #expect(await shell(update).code == .success)
            #expect(try DownloadManifest.read(scratch("D.json"))["Tutorial"]?.larder?.index == nil)
        }
    }

    @Test func createAsAppleSpellsIt() async throws {
        try await withPacks { scratch, shell in
            let result = await shell(
                "download-manifest", "create", "A.aar", "B.aar", "--asset-pack-versions", "3", "5", "--ios",
                "--download-base-url", "https://cdn.example.com/packs", "-o", "D.json")
            #expect(result.errors.isEmpty)
            #expect(result.output == "D.json: 2 packs for iOS\n" + Self.published("https://cdn.example.com/packs"))
            let manifest = try DownloadManifest.read(scratch("D.json"))
            let size = Int64(try File.read(scratch("A.aar")).count)
            #expect(manifest.assetPacks.map(\.id) == ["Tutorial", "Second"])
            #expect(manifest.assetPacks.map(\.version) == [3, 5])
            #expect(
                manifest.assetPacks.map(\.url) == [
                    "https://cdn.example.com/packs/Tutorial", "https://cdn.example.com/packs/Second",
                ])
            #expect(manifest["Tutorial"]?.downloadSize == size)
            #expect(manifest["Tutorial"]?.larder?.fileCount == 2)
            #expect(await shell("verify", "A.aar", "B.aar", "--manifest", "D.json").code == .success)
            #expect(
                await shell(
                    "download-manifest", "create", "A.aar", "--ios", "--download-base-url", "https://h", "-o", "D.json"
                ).code == .failure)
            let printed = await shell(
                "download-manifest", "create", "A.aar", "--linux", "--download-base-url", "https://h", "-q")
            #expect(try DownloadManifest.decode(printed.output.utf8, source: "out").assetPacks.first?.version == 0)
        }
    }

    @Test func updateRaisesExactlyTheGiven() async throws {
        try await withPacks { scratch, shell in
            _ = await shell(
                "download-manifest", "create", "A.aar", "B.aar", "--ios", "--download-base-url", "https://h", "-o",
                "D.json")
            let text = String(decoding: try File.read(scratch("D.json")), as: UTF8.self)
            try scratch.write(text.replacing("\"assetPacks\"", with: "\"mine\": [1], \"assetPacks\""), to: "D.json")
            let result = await shell(
                "download-manifest", "update", "D.json", "--asset-pack-paths", "B.aar", "--ios", "--download-base-url",
                "https://h")
            #expect(result.output == "Second: version 0 -> 1\n" + Self.published("https://h", ["B"]))
            let manifest = try DownloadManifest.read(scratch("D.json"))
            #expect(manifest.assetPacks.map(\.version) == [0, 1])
            #expect(manifest.other == ["mine": [1]])
            let both = await shell(
                "download-manifest", "update", "D.json", "--asset-pack-paths", "A.aar", "--asset-pack-paths", "B.aar",
                "--ios")
            #expect(
                both.output == "Tutorial: version 0 -> 1\nSecond: version 1 -> 2\n" + Self.published("https://h"))
            #expect(
                await shell(
                    "download-manifest", "update", "D.json", "--asset-pack-paths", "A.aar", "--ios", "-o", "E.json"
                ).code == .success)
            #expect(try DownloadManifest.read(scratch("D.json"))["Tutorial"]?.version == 1)
            #expect(try DownloadManifest.read(scratch("E.json"))["Tutorial"]?.version == 2)
        }
    }

    @Test func failuresLeaveTheManifestAsItWas() async throws {
        try await withPacks { scratch, shell in
            _ = await shell(
                "download-manifest", "create", "A.aar", "--ios", "--download-base-url", "https://h", "-o", "D.json")
            let before = try File.read(scratch("D.json"))
            try scratch.write(try File.read(scratch("A.aar")).dropLast(9), to: "cut.aar")
            #expect(
                await shell("download-manifest", "update", "D.json", "--asset-pack-paths", "cut.aar", "--ios").code
                    == .badInput)
            #expect(
                await shell("download-manifest", "update", "D.json", "--asset-pack-paths", "none.aar", "--ios").code
                    == .notFound)
            #expect(
                await shell("download-manifest", "update", "D.json", "--asset-pack-paths", "B.aar", "--ios").code
                    == .usage)
            #expect(await shell("download-manifest", "update", "D.json", "--ios").code == .usage)
            #expect(try File.read(scratch("D.json")) == before)
            let differs = await shell("verify", "B.aar", "--manifest", "D.json")
            #expect(differs.code == .badInput)
            #expect(differs.errors == "ba-package: B.aar: the download manifest does not list the pack \"Second\".\n")
        }
    }

    @Test(arguments: [
        (
            ["--download-base-url", "https://h"],
            "A platform is missing: give one of --ios, --macos, --tvos, --visionos, --linux."
        ),
        (
            ["--ios", "--linux", "--download-base-url", "https://h"],
            "A download manifest is for one platform: give only one of --ios, --macos, --tvos, --visionos, --linux."
        ),
        (["--ios"], "The option --download-base-url is missing."),
        (["--ios", "--download-base-url", "http://h"], "The download base URL \"http://h\" must begin with https://."),
        (
            ["--macos", "--download-base-url", "https://h"],
            "The pack \"Tutorial\" is for \"Linux\" and \"iOS\" and not for \"macOS\". Leave it out, or add the platform to its manifest."
        ),
        (
            ["--ios", "--download-base-url", "https://h", "--asset-pack-versions", "1", "2"],
            "--asset-pack-versions has 2 numbers for 1 pack; give one for each pack, in order."
        ),
        (
            ["--ios", "--download-base-url", "https://h", "--asset-pack-versions", "x"],
            "--asset-pack-versions needs whole numbers from 0 on, not \"x\"."
        ),
    ])
    func mistakes(_ words: [String], _ message: String) async throws {
        try await withPacks { scratch, _ in
            let errors = BufferSink()
            let context = CommandContext(
                environment: [:], workingDirectory: scratch.path, standardOutput: BufferSink(), standardError: errors)
            let code = await CommandRunner(root: PackCommands.tree, version: "1")
                .run(["download-manifest", "create", "A.aar"] + words, context: context)
            #expect(code == .usage)
            #expect(errors.text.contains(message), "\(errors.text)")
        }
    }
}
