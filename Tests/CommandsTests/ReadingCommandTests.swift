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

    @Test("ls shows the merged tree")
    func list() async throws {
        try await Scratch.with { scratch in
            try publish(packs, scratch)
            let root = await larder("ls", "-a", "a.b", home: scratch.path)
            #expect(root.output == "both.txt\nmaps/\nshared/\nsound/\nx\nx/\n")
            #expect(await larder("ls", "-a", "a.b", "maps", home: scratch.path).output == "easy/\nhard.map\n")
        }
    }

    @Test("run gives a program one folder of all packs and its own exit code")
    func run() async throws {
        try await Scratch.with { scratch in
            try publish(packs, scratch)
            let script = """
                cd "$LARDER_FILES" || exit 1
                cat both.txt maps/easy/1.map maps/hard.map shared/a shared/b sound/deep/s.ogg x > "$OUT"
                echo "$LARDER_BUNDLE_ID $LARDER_FILES" >> "$OUT"
                exit 5
                """
            let environment = Binaries.hermeticEnvironment.merging(["OUT": scratch("out").string]) { $1 }
            let outcome = await larder(
                "run", "--app", "a.b", "--", "sh", "-c", script, home: scratch.path, environment: environment)
            #expect(outcome.code.rawValue == 5, "\(outcome.errors)")
            let text = String(decoding: try File.read(scratch("out")), as: UTF8.self)
            #expect(text.hasPrefix("of oneeasyhardABSfilea.b "))
            let folder = FilePath(String(text.split(separator: " ").last ?? "").filter { $0 != "\n" })
            #expect(!FileDescriptor.currentDirectory.exists(at: folder))
            let none = await larder(
                "run", "-a", "a.b", "no-such-program", home: scratch.path, environment: ["PATH": "/bin"])
            #expect(none.code == .notFound)
        }
    }

    @Test("While a program runs, the generation it reads is leased")
    func runHoldsLease() async throws {
        try await Scratch.with { scratch in
            try publish(packs, scratch)
            // flock(1) fails at once when another holds the lock.
            let lease = scratch("state/apps/a.b/generations/1/lease").string
            let outcome = await larder(
                "run", "--app", "a.b", "--", "flock", "--nonblock", "--exclusive", "--conflict-exit-code", "77", lease,
                "true", home: scratch.path, environment: Binaries.hermeticEnvironment)
            #expect(outcome.code.rawValue == 77)
            // Blocks: a child that another test forks shares the lock for the moment until it executes its program.
            try await offload { _ = try FileLock.acquire(FilePath(lease), .exclusive) }
        }
    }
}
