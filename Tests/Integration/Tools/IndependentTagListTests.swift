// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System
import TestSupport
import Testing

/// The lists of On-Demand Resources as another implementation reads them: Python's `plistlib`, and names, hashes and
/// priorities calculated there anew (BA 6.2).
@Suite struct IndependentTagListTests {
    private static let script = FilePath(#filePath).removingLastComponent().removingLastComponent()
        .appending("Independent/tagged_resources.py").string

    private func run(_ scratch: Scratch, _ program: FilePath, _ arguments: [String]) async throws -> ChildProcess.Output
    {
        try await offload { [path = scratch.path] in
            try ChildProcess.run(
                executable: program, arguments: arguments, environment: Binaries.hermeticEnvironment,
                workingDirectory: path)
        }
    }

    /// Tags that overlap at random, with names beyond ASCII and too long for a folder's name.
    private func write(_ scratch: Scratch) throws {
        var random = SeededGenerator.forTest()
        let tags = (0..<9).map { "place-\($0)" } + ["Level 1", "żółw", String(repeating: "long", count: 60)]
        var lines: [String] = []
        for index in 0..<60 { try scratch.write(random.bytes(200 + index), to: "R/d\(index % 5)/ü\(index).lvl") }
        for tag in tags {
            let files = Set((0..<9).map { _ in Int.random(in: 0..<50, using: &random) }).sorted()
            lines.append(
                "\"\(tag)\": [" + files.map { "{\"file\": \"d\($0 % 5)/ü\($0).lvl\"}" }.joined(separator: ", ") + "]")
        }
        let order = tags.shuffled(using: &random)
        let list = { (names: ArraySlice<String>) in "[" + names.map { "\"\($0)\"" }.joined(separator: ", ") + "]" }
        try scratch.write(
            """
            {"initialInstall": \(list(order[0..<2])), "prefetch": \(list(order[2..<7])), "tags": {\(lines.joined(separator: ",\n"))}}
            """, to: "Tags.json")
    }

    @Test(arguments: [["--url-prefix", "https://cdn.example.com/p?pack="], []])
    func listsHoldWhatXcodeWouldWrite(_ options: [String]) async throws {
        try await Scratch.with { scratch in
            try write(scratch)
            let built = try await run(
                scratch, try Binaries.path("larder"),
                ["odr", "build", "R", "--tags", "Tags.json", "--bundle-id", "org.example.game", "-o", "Built"] + options
            )
            try #require(built.exitCode == 0, "\(built.errorText)")
            let checked = try await run(
                scratch, "/usr/bin/python3",
                ["-B", Self.script, "Tags.json", "R", "Built", "org.example.game"] + options.suffix(1))
            #expect(checked.exitCode == 0, "\(checked.errorText)")
            #expect(checked.outputText.hasPrefix("12 tags, "), "\(checked.outputText)")
        }
    }
}
