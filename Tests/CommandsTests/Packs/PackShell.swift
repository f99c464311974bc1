// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System
import TestSupport

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
}
