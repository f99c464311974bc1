// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Kit
import System
import TestSupport
import Testing

@testable import Commands

struct PackageCommandTests {
    @Test func templateGoesToStandardOutputOrAFile() async throws {
        try await Scratch.with { scratch in
            let shell = PackShell(scratch: scratch)
            let printed = await shell("template")
            #expect(printed.code == .success)
            #expect(printed.output == PackManifest.template)
            #expect(await shell("template", "-o", "T.json").code == .success)
            let written = try File.read(scratch("T.json"))
            #expect(written == Array(PackManifest.template.utf8))
            let again = await shell("template", "--output-path", "T.json")
            #expect(again.code == .failure)
            #expect(
                again.errors
                    == "ba-package: \"T.json\" exists already and is not overwritten. Remove it, or name another file.\n"
            )
            #expect(await shell("template", "-o", "T.txt").code == .usage)
        }
    }

    @Test func packagingIsTheDefault() async throws {
        try await Scratch.with { scratch in
            let shell = PackShell(scratch: scratch)
            try shell.writeTree()
            let result = await shell("M.json", "-o", "X.aar")
            #expect(result.errors.isEmpty)
            #expect(result.code == .success)
            #expect(result.output.hasPrefix("X.aar: Tutorial, 2 files, 20.0 kB, packed to "))
            let quiet = await shell("package", "M.json", "--output-path=Y.aar", "-q")
            #expect(quiet.output.isEmpty && quiet.errors.isEmpty && quiet.code == .success)
            #expect(try File.read(scratch("X.aar")) == File.read(scratch("Y.aar")))
            let paths = await shell("list", "X.aar").output
            #expect(
                paths == """
                    manifest.json
                    Contents
                    Contents/Levels
                    Contents/Levels/1
                    Contents/Levels/1/map
                    Contents/Videos
                    Contents/Videos/Start.m4v

                    """)
        }
    }

    @Test(arguments: [
        (["packge", "M.json", "-o", "X.aar"], "package"), (["evaluat", "M.json"], "evaluate"), (["lst"], "list"),
    ])
    func aMisspelledCommandIsNotTakenForAManifest(_ words: [String], _ meant: String) async throws {
        try await Scratch.with { scratch in
            let result = await PackShell(scratch: scratch)(words)
            #expect(result.code == .usage)
            #expect(
                result.errors == """
                    ba-package: There is no command "\(words[0])". Did you mean "\(meant)"?
                    See 'ba-package --help'.

                    """)
        }
    }

    @Test func aMissingSourceRootIsNamedWithItsLine() async throws {
        try await Scratch.with { scratch in
            let shell = PackShell(scratch: scratch)
            try shell.writeTree(
                manifest: """
                    {"assetPackID": "A", "downloadPolicy": {"onDemand": {}},
                     "sourceRoot": "nowhere", "fileSelectors": [{"directory": "Levels"}]}
                    """)
            let result = await shell("evaluate", "M.json")
            #expect(result.code == .notFound)
            #expect(result.errors.contains("M.json:2:16: sourceRoot: the folder \"nowhere\""), "\(result.errors)")
        }
    }

    @Test(arguments: [
        (["M.txt", "-o", "X.aar"], "The manifest must be a .json file, and \"M.txt\" is none."),
        (["M.json", "-o", "X.zip"], "The archive must be an .aar file, and \"X.zip\" is none."),
        (["M.json"], "The option --output-path is missing."),
        (
            ["M.json", "-o", "X.aar", "--block-size", "4q"],
            "--block-size needs a size such as 4m, 1MiB or 65536, not \"4q\"."
        ),
        (["M.json", "-o", "X.aar", "--block-size", "1g"], "--block-size must be from 1 KiB to 32 MiB, not \"1g\"."),
    ])
    func wrongArguments(_ words: [String], _ message: String) async throws {
        try await Scratch.with { scratch in
            let shell = PackShell(scratch: scratch)
            try shell.writeTree()
            let context = CommandContext(
                programName: "ba-package", environment: [:], workingDirectory: scratch.path,
                standardOutput: BufferSink(), standardError: BufferSink())
            let code = await CommandRunner(root: PackCommands.tree, version: "1").run(words, context: context)
            #expect(code == .usage)
            #expect((context.standardError as? BufferSink)?.text.contains(message) == true)
            #expect(try scratch.tree() == ["Intro.m4v", "Levels/1/draft.psd", "Levels/1/map", "M.json"])
        }
    }

    @Test(arguments: ["lzfse", "lzma", "zlib", "lz4", "none"])
    func compressions(_ name: String) async throws {
        try await Scratch.with { scratch in
            let shell = PackShell(scratch: scratch)
            try shell.writeTree()
            #expect(await shell("M.json", "-o", "X.aar", "--compression", name, "--block-size", "64k").code == .success)
            #expect(await shell("verify", "X.aar").code == .success)
        }
    }

    @Test func wrongManifestsEndWithBadInput() async throws {
        try await Scratch.with { scratch in
            let shell = PackShell(scratch: scratch)
            try shell.writeTree(manifest: PackShell.manifest.replacing("fileSource", with: "fileSorce"))
            for command in ["evaluate", "package"] {
                let result =
                    await (command == "package" ? shell("package", "M.json", "-o", "X.aar") : shell(command, "M.json"))
                #expect(result.code == .badInput)
                #expect(
                    result.errors
                        == "ba-package: M.json:6:7: fileSelectors[1].fileSorce: there is no such key; did you mean \"fileSource\"?\n"
                )
            }
            #expect(await shell("evaluate", "none.json").code == .notFound)
        }
    }

    @Test func evaluateShowsFilesSizesPlacesAndTotals() async throws {
        try await Scratch.with { scratch in
            let shell = PackShell(scratch: scratch)
            try shell.writeTree(manifest: PackShell.manifest.replacing("Tutorial", with: "Tu_torial"))
            let result = await shell("evaluate", "M.json")
            #expect(result.code == .success)
            #expect(
                result.output.replacing("from \(scratch.path)\n", with: "from here\n") == """
                    Tu_torial: onDemand; Linux, iOS
                    from here

                       20.0 kB  Levels/1/map
                       4 bytes  Intro.m4v -> Videos/Start.m4v

                    {"directory": "Levels"}: 1 taken
                    {"fileSource": "Intro.m4v", "fileDestination": "Videos/Start.m4v"}: 1 taken
                    {"fileExclusion": "*.psd"}: 1 left out
                    Total: 2 files, 20.0 kB

                    """)
            #expect(
                result.errors
                    == "warning: assetPackID: App Store Connect refuses the underscore in \"Tu_torial\"; other hosts take it.\n"
            )
            let json = try JSONParser.parse(await shell("evaluate", "M.json", "--json").output).value
            #expect(json["totalSize"] == 20_004)
            #expect(json["files"]?.arrayValue?.count == 2)
            #expect(json["warnings"]?.arrayValue?.first?["kind"] == "underscoreInIdentifier")
        }
    }

    @Test func sourceRootIsRelativeToTheManifest() async throws {
        try await Scratch.with { scratch in
            let shell = PackShell(scratch: scratch)
            try scratch.write("x", to: "assets/a")
            try scratch.write(
                "{\"assetPackID\":\"a\",\"downloadPolicy\":{\"onDemand\":{}},\"sourceRoot\":\"../assets\",\"fileSelectors\":[{\"file\":\"a\"}]}",
                to: "packs/M.json")
            #expect(await shell("packs/M.json", "-o", "X.aar").code == .success)
            try scratch.write(
                "{\"assetPackID\":\"a\",\"downloadPolicy\":{\"onDemand\":{}},\"fileSelectors\":[{\"file\":\"assets/a\"}]}",
                to: "packs/N.json")
            #expect(await shell("packs/N.json", "-o", "Y.aar").code == .success)
        }
    }

    @Test(arguments: [
        ("4194304", 4 << 20), ("4m", 4 << 20), ("4M", 4 << 20), ("1MiB", 1 << 20), ("512 KiB", 512 << 10),
        ("64k", 64 << 10), ("2MB", 2_000_000), ("1g", 1 << 30), ("7b", 7),
    ])
    func sizes(_ text: String, _ bytes: Int) { #expect(ByteSize.parse(text) == bytes) }

    @Test(arguments: ["", "m", "-1", "1.5m", "4x", "99999999999999999999", "9999999999999g", "１m"])
    func noSizes(_ text: String) { #expect(ByteSize.parse(text) == nil) }
}
