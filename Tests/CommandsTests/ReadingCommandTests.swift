// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import PackNamespace
import System
import TestSupport
import Testing

@Suite("Reading commands")
struct ReadingCommandTests {
    /// An app root as the service leaves it: packs by id, with files and contents.
    private func publish(_ packs: [String: [String: String]], _ scratch: Scratch) throws {
        let root = "state/apps/a.b"
        var writer = NamespaceWriter(generation: 1)
        for (id, files) in packs {
            try writer.begin(NamespacePack(id: id, version: 1, directory: "packs/\(id)/1"))
            for (path, content) in files {
                try scratch.write(content, to: "\(root)/packs/\(id)/1/\(path)")
                try writer.add(path: path, size: UInt64(content.utf8.count))
            }
        }
        try scratch.write(try writer.finish(), to: "\(root)/generations/1/namespace")
        try scratch.write("", to: "\(root)/generations/1/lease")
        try FileDescriptor.currentDirectory.makeSymbolicLink(to: "generations/1", at: scratch("\(root)/current"))
        try GenerationCounter.store(1, in: AppRootLayout(root: scratch(root)))
    }

    private let packs = [
        "one": ["maps/easy/1.map": "easy", "both.txt": "of one", "shared/a": "A", "x": "file"],
        "two": [
            "maps/hard.map": "hard", "both.txt": "of two", "shared/b": "B", "sound/deep/s.ogg": "S", "x/y": "lost",
        ],
    ]

    @Test("path tells where a file is, in all packs or one")
    func path() async throws {
        try await Scratch.with { scratch in
            try publish(packs, scratch)
            let found = await larder("path", "--app", "a.b", "maps/hard.map", home: scratch.path)
            #expect(found.output == scratch("state/apps/a.b/packs/two/1/maps/hard.map").string + "\n")
            let second = await larder("path", "-a", "a.b", "-p", "two", "both.txt", "--json", home: scratch.path)
            let json = try JSONParser.parse(second.output).value
            #expect(json["path"]?.stringValue?.hasSuffix("packs/two/1/both.txt") == true)
            #expect(json["size"] == 6)
            let inside = await larder(
                "path", "both.txt", home: scratch.path, environment: ["LARDER_BUNDLE_ID": "a.b"])
            #expect(inside.output.hasSuffix("packs/one/1/both.txt\n"))
        }
    }

    @Test("What is not there is exit code 3, with what to do")
    func missing() async throws {
        try await Scratch.with { scratch in
            try publish(packs, scratch)
            for command in ["path", "ls", "cat"] {
                let outcome = await larder(command, "-a", "a.b", "nope", home: scratch.path)
                #expect(outcome.code == .notFound)
                #expect(outcome.errors.contains("nope"))
            }
            let pack = await larder("path", "-a", "a.b", "-p", "nope", "x", home: scratch.path)
            #expect(pack.code == .notFound)
            #expect(pack.errors.contains("\"nope\""))
            #expect(await larder("path", "-a", "other.app", "x", home: scratch.path).code == .notFound)
            #expect(await larder("path", "x", home: scratch.path).code == .usage)
        }
    }

    @Test("A folder is told from nothing, with the commands that take one")
    func folders() async throws {
        try await Scratch.with { scratch in
            try publish(["A": ["maps/easy.sol": "x"]], scratch)
            for command in ["path", "cat"] {
                for name in ["maps", "/maps/", "."] {
                    let outcome = await larder(command, "-a", "a.b", name, home: scratch.path)
                    #expect(outcome.code == .notFound)
                    #expect(outcome.errors.contains("\(name) is a folder"))
                    #expect(outcome.errors.contains("'larder ls'") && outcome.errors.contains("'larder run'"))
                }
                let none = await larder(command, "-a", "a.b", "maps/hard.sol", home: scratch.path)
                #expect(none.errors.contains("maps/hard.sol: no such file"))
            }
        }
    }

    @Test("ls shows the merged tree")
    func list() async throws {
        try await Scratch.with { scratch in
            try publish(packs, scratch)
            let root = await larder("ls", "-a", "a.b", home: scratch.path)
            #expect(root.output == "both.txt\nmaps/\nshared/\nsound/\nx\nx/\n")
            #expect(await larder("ls", "-a", "a.b", "maps", home: scratch.path).output == "easy/\nhard.map\n")
        }
    }

    @Test("run becomes the program, which finds one folder of all packs")
    func run() async throws {
        try await Scratch.with { scratch in
            try publish(packs, scratch)
            let script = """
                cd "$LARDER_FILES" || exit 1
                cat both.txt maps/easy/1.map maps/hard.map shared/a shared/b sound/deep/s.ogg x
                echo " $LARDER_BUNDLE_ID $LARDER_FILES"
                exit 5
                """
            let words = ["run", "--app", "a.b", "--", "sh", "-c", script]
            let environment = ["LARDER_HOME": scratch.path.string]
            let first = try await Binaries.run("larder", words, environment: environment)
            #expect(first.exitCode == 5, "\(first.errorText)")
            #expect(first.outputText.hasPrefix("of oneeasyhardABSfile a.b "))
            let folder = FilePath(String(first.outputText.split(separator: " ").last ?? "").filter { $0 != "\n" })
            #expect(folder.starts(with: scratch.path))
            // What the first left is removed by the second.
            let second = try await Binaries.run("larder", words, environment: environment)
            #expect(second.exitCode == 5)
            #expect(!FileDescriptor.currentDirectory.exists(at: folder))
            let none = try await Binaries.run(
                "larder", ["run", "-a", "a.b", "no-such-program"], environment: environment)
            #expect(none.exitCode == ExitCode.notFound.rawValue)
            #expect(none.errorText.contains("no-such-program"))
        }
    }

    @Test("While the program runs, the generation it reads is leased and its folder stays")
    func runHoldsLease() async throws {
        try await Scratch.with { scratch in
            try publish(packs, scratch)
            let lease = scratch("state/apps/a.b/generations/1/lease")
            let (output, input) = (try Pipe(), try Pipe())
            let child = try ChildProcess.spawn(
                executable: try Binaries.path("larder"),
                arguments: [
                    "run", "--app", "a.b", "--", "sh", "-c", "echo ready; read line; cat $LARDER_FILES/both.txt",
                ],
                environment: Binaries.hermeticEnvironment.merging(["LARDER_HOME": scratch.path.string]) { $1 },
                descriptors: [0: input.reader, 1: output.writer])
            scratch.addCleanup { child.kill() }
            input.closeReader()
            output.closeWriter()
            try await onOwnThread { () throws in
                var bytes = [UInt8](repeating: 0, count: 6)
                let count = try bytes.withUnsafeMutableBytes { try output.reader.readFully(into: $0) }
                #expect(String(decoding: bytes.prefix(count), as: UTF8.self) == "ready\n")
                #expect(try FileLock.tryAcquire(lease, .exclusive, create: false) == nil)
            }
            // Another run sweeps, and must spare the folder that is in use.
            let other = try await Binaries.run(
                "larder", ["run", "-a", "a.b", "true"], environment: ["LARDER_HOME": scratch.path.string])
            #expect(other.exitCode == 0, "\(other.errorText)")
            try input.writer.writeAll("\n".utf8)
            input.closeWriter()
            let rest = try await onOwnThread { String(decoding: try output.reader.readAll(), as: UTF8.self) }
            #expect(rest == "of one")
            try await onOwnThread { () throws in
                #expect(try child.wait() == 0)
                // Blocks: a child that another test forks shares the lock until it executes its program.
                _ = try FileLock.acquire(lease, .exclusive)
            }
        }
    }
}
