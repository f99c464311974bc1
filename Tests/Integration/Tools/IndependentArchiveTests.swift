// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceSupport
import Kit
import System
import TestSupport
import Testing

/// Archives that one program writes and another reads: Larder, and a script that shares no code with it.
@Suite struct IndependentArchiveTests {
    /// Beside this file.
    private static let script = FilePath(#filePath).removingLastComponent().removingLastComponent()
        .appending("Independent/apple_archive.py").string

    private func python(_ scratch: Scratch, _ arguments: String...) async throws -> ChildProcess.Output {
        try await run(scratch, "python3", ["-B", Self.script] + arguments)
    }

    private func larder(_ scratch: Scratch, _ arguments: String...) async throws -> ChildProcess.Output {
        try await run(scratch, try Binaries.path("larder"), arguments)
    }

    private func run(
        _ scratch: Scratch, _ program: FilePath, _ arguments: [String]
    ) async throws -> ChildProcess.Output {
        try await offload { [path = scratch.path] in
            try ChildProcess.run(
                executable: program, arguments: arguments, environment: Binaries.hermeticEnvironment,
                workingDirectory: path)
        }
    }

    /// Text, noise over several blocks, nothing at all, names beyond ASCII, a link, an executable.
    private func sources(_ scratch: Scratch) throws {
        var random = SeededGenerator.forTest()
        try scratch.write(String(repeating: "level one ", count: 40_000), to: "tree/Levels/1.lvl")
        try scratch.write(random.bytes(300_000), to: "tree/Levels/noise")
        try scratch.write(random.bytes(70_000, redundancy: true), to: "tree/ä/ö ü.bin")
        try scratch.write([], to: "tree/empty")
        try scratch.write("#!/bin/sh\n", to: "tree/run")
        try FileDescriptor.currentDirectory.setPermissions(FilePermissions(rawValue: 0o755), at: scratch("tree/run"))
        try FileDescriptor.currentDirectory.makeSymbolicLink(to: "Levels/1.lvl", at: scratch("tree/link"))
    }

    private func expectSameTree(_ scratch: Scratch, _ name: String) throws {
        let names = try scratch.tree("tree")
        #expect(try scratch.tree(name) == names)
        for file in names {
            #expect(try scratch.bytes("\(name)/\(file)") == scratch.bytes("tree/\(file)"), "\(file)")
        }
        let link = try FileDescriptor.currentDirectory.readLink(at: scratch("\(name)/link"))
        #expect(link == "Levels/1.lvl")
    }

    @Test(arguments: ["none", "zlib", "lzma"]) func othersReadWhatLarderWrites(_ compression: String) async throws {
        try await Scratch.with { scratch in
            try sources(scratch)
            try scratch.write(
                """
                {"assetPackID": "Tree", "downloadPolicy": {"onDemand": {}}, "sourceRoot": "tree",
                 "fileSelectors": [{"directorySource": ".", "directoryDestination": "."}]}
                """, to: "Tree.json")
            let packed = try await larder(
                scratch, "package", "Tree.json", "-o", "Tree.aar", "--compression", compression, "--block-size", "64KiB"
            )
            try #require(packed.exitCode == 0, "\(packed.errorText)")
            let read = try await python(scratch, "extract", "Tree.aar", "out")
            try #require(read.exitCode == 0, "\(read.errorText)")
            try expectSameTree(scratch, "out/Contents")
            #expect(try scratch.read("out/manifest.json").contains("\"Tree\""))
            let mode = try FileDescriptor.currentDirectory.status(at: scratch("out/Contents/run")).permissions.rawValue
            #expect(mode & 0o111 == 0o111)
        }
    }

    @Test(arguments: ["bare", "zlib", "lzma", "stored"]) func larderReadsWhatOthersWrite(_ kind: String) async throws {
        try await Scratch.with { scratch in
            try sources(scratch)
            let written = try await python(scratch, "create", "tree", "Tree.aar", kind)
            try #require(written.exitCode == 0, "\(written.errorText)")
            let extracted = try await larder(scratch, "extract", "Tree.aar", "-o", "out")
            try #require(extracted.exitCode == 0, "\(extracted.errorText)")
            try expectSameTree(scratch, "out")
        }
    }
}
