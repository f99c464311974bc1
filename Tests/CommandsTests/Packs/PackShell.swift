// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System
import TestSupport
import Testing

@testable import Commands

/// Runs `ba-package` in a test's folder, as a shell would.
struct PackShell {
    let scratch: Scratch

    struct Outcome {
        let code: ExitCode
        let output: String
        let errors: String
    }

    func callAsFunction(_ words: String...) async -> Outcome { await self(words) }

    func callAsFunction(_ words: [String]) async -> Outcome {
        let (output, errors) = (BufferSink(), BufferSink())
        let context = CommandContext(
            programName: "ba-package", environment: [:], workingDirectory: scratch.path, standardOutput: output,
            standardError: errors)
        let code = await CommandRunner(root: PackCommands.tree, version: "1").run(words, context: context)
        let place = scratch.path.string + "/"
        return Outcome(
            code: code, output: output.text.replacing(place, with: ""), errors: errors.text.replacing(place, with: ""))
    }

    static let manifest = """
        {
          "assetPackID": "Tutorial",
          "downloadPolicy": { "onDemand": {} },
          "fileSelectors": [
            { "directory": "Levels" },
            { "fileSource": "Intro.m4v", "fileDestination": "Videos/Start.m4v" },
            { "fileExclusion": "*.psd" }
          ],
          "platforms": ["iOS", "Linux"]
        }
        """

    func writeTree(manifest: String = manifest) throws {
        try scratch.write(String(repeating: "map ", count: 5000), to: "Levels/1/map")
        try scratch.write("draft", to: "Levels/1/draft.psd")
        try scratch.write("film", to: "Intro.m4v")
        try scratch.write(manifest, to: "M.json")
    }

    /// A folder with the tree that `manifest` packs.
    static func withTree(_ body: (Scratch, PackShell) async throws -> Void) async throws {
        try await Scratch.with { scratch in
            let shell = PackShell(scratch: scratch)
            try shell.writeTree()
            try await body(scratch, shell)
        }
    }

    /// As `withTree`, with the tree packed as `old.aar` and, with another film, as `new.aar`.
    static func withVersions(
        film: String = "another film", _ body: (Scratch, PackShell) async throws -> Void
    ) async throws {
        try await withTree { scratch, shell in
            #expect(await shell("package", "M.json", "-o", "old.aar").code == .success)
            try scratch.write(film, to: "Intro.m4v")
            #expect(await shell("package", "M.json", "-o", "new.aar").code == .success)
            try await body(scratch, shell)
        }
    }

    /// A folder with packs of the old and the new files, by their names below `d`: `old.aar` and `new.aar`.
    static func withPacks(
        of old: [String: [UInt8]], and new: [String: [UInt8]], options: [String] = [],
        _ body: (Scratch, PackShell) async throws -> Void
    ) async throws {
        try await Scratch.with { scratch in
            let shell = PackShell(scratch: scratch)
            let manifest = """
                { "assetPackID": "T", "downloadPolicy": { "onDemand": {} }, "fileSelectors": [ { "directory": "d" } ],
                  "platforms": ["Linux"] }
                """
            try scratch.write(manifest, to: "M.json")
            for (name, files) in [("old", old), ("new", new)] {
                try? FileDescriptor.currentDirectory.removeTree(at: scratch("d"))
                for (path, bytes) in files { try scratch.write(bytes, to: "d/\(path)") }
                #expect(await shell(["package", "M.json", "-o", "\(name).aar"] + options).code == .success)
            }
            try await body(scratch, shell)
        }
    }
}
