// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import TestSupport
import Testing

@testable import PackNamespace

@Suite struct NamespaceTableTests {
    @Test func findsEveryPathAndNoOther() throws {
        let file = try MemoryNamespace(
            namespace(["levels": ["a/one.map": 10, "a/two.map": 0, "readme": 7], "sound": ["a/three.ogg": 1 << 40]]))
        #expect(file.table.isIntact)
        #expect(file.table.entryCount == 4)
        #expect(file.find("a/one.map")?.size == 10)
        #expect(file.find("a/two.map")?.size == 0)
        #expect(file.find("a/three.ogg")?.pack == "sound")
        #expect(file.find("a/three.ogg")?.size == 1 << 40)
        for absent in ["", "a", "a/", "a/one", "a/one.map/", "/readme", "readme0", "b", "a/one.maq"] {
            #expect(file.find(absent) == nil, "\(absent)")
        }
    }

    @Test func limitsASearchToOnePack() throws {
        let file = try MemoryNamespace(namespace(["a": ["x": 1], "b": ["y": 2]]))
        #expect(file.find("x", inPack: "a")?.size == 1)
        #expect(file.find("x", inPack: "b") == nil)
        #expect(file.find("x", inPack: "c") == nil)
    }

    @Test func theSmallestIdentifierWinsACollision() throws {
        // Bytewise, "B" sorts before "a".
        let file = try MemoryNamespace(
            namespace(["a": ["same": 1, "own": 4], "B": ["same": 2], "c": ["same": 3, "samf": 5]]))
        #expect(file.find("same")?.pack == "B")
        #expect(file.find("same", inPack: "a")?.size == 1)
        #expect(file.find("same", inPack: "c")?.size == 3)
        #expect(file.table.collisionCount == 1)
        #expect(file.table.collisions() == [PathCollision(path: "same", winner: "B", losers: ["a", "c"])])
    }

    @Test func listsADirectoryOfTheMergedTree() throws {
        let file = try MemoryNamespace(
            namespace([
                "a": ["maps/easy/1": 1, "maps/easy/2": 2, "maps-old/x": 1, "maps.txt": 3, "same": 8],
                "b": ["maps/hard/1": 4, "maps/zero": 0, "same": 9],
            ]))
        #expect(
            file.table.list("") == [
                DirectoryItem(name: "maps-old", kind: .directory),
                DirectoryItem(name: "maps.txt", kind: .file(size: 3)),
                DirectoryItem(name: "maps", kind: .directory), DirectoryItem(name: "same", kind: .file(size: 8)),
            ])
        #expect(
            file.table.list("maps") == [
                DirectoryItem(name: "easy", kind: .directory), DirectoryItem(name: "hard", kind: .directory),
                DirectoryItem(name: "zero", kind: .file(size: 0)),
            ])
        #expect(file.table.list("maps", inPackAt: 0)?.map(\.name) == ["easy"])
        #expect(file.table.list("map") == nil)
        #expect(file.table.list("maps.txt") == nil)
        #expect(file.table.packs(below: "maps") == [0, 1])
        #expect(file.table.packs(below: "maps/easy") == [0])
        var below: [String] = []
        file.table.forEachFile(below: "maps") { below.append(String(decoding: $0.path, as: UTF8.self)) }
        #expect(below == ["maps/easy/1", "maps/easy/2", "maps/hard/1", "maps/zero"])
    }

    @Test func keepsWhatAPackSaysOfItself() throws {
        let pack = NamespacePack(
            id: "levels", version: 42, directory: "packs/levels/42-1", language: "pt-BR", userInfo: #"{"k":1}"#,
            policy: "essential", downloadSize: 5, installedSize: 6, allocatedSize: 8192, fileCount: 1)
        var writer = NamespaceWriter(generation: 7)
        try writer.begin(pack)
        try writer.begin(NamespacePack(id: "bare", version: 1, directory: "packs/bare/1"))
        try writer.add(path: "x", size: 1)
        let file = try MemoryNamespace(try writer.finish())
        #expect(file.table.generation == 7)
        #expect(file.table.pack(at: 1) == pack)
        #expect(file.table.pack(at: 0).language == nil)
        #expect(file.table.packIndex(id: "levels") == 1)
        #expect(file.table.packIndex(id: "level") == nil)
    }

    @Test func anEmptyNamespaceAnswers() throws {
        let file = try MemoryNamespace(namespace([:]))
        #expect(file.table.isIntact)
        #expect(file.find("x") == nil)
        #expect(file.table.list("") == [])
    }

    @Test func sameContentsSameBytesHoweverTheyCame() throws {
        let packs: [String: [String: UInt64]] = ["a": ["x": 1, "y/z": 2], "b": ["x": 3], "c": ["q": 4]]
        let straight = try namespace(packs, generation: 5)
        // Carried over from an older generation, with one pack replaced.
        let old = try MemoryNamespace(namespace(["a": ["x": 1, "y/z": 2], "b": ["gone": 9], "c": ["q": 4]]))
        var writer = NamespaceWriter(generation: 5)
        try writer.begin(NamespacePack(id: "b", version: 1, directory: "packs/b/1"))
        try writer.add(path: "x", size: 3)
        try writer.carry(old.table, excluding: ["b"])
        #expect(try writer.finish() == straight)
    }

    @Test func refusesPathsThatDoNotFit() throws {
        var writer = NamespaceWriter(generation: 1)
        try writer.begin(NamespacePack(id: "a", version: 1, directory: "packs/a/1"))
        #expect(throws: NamespaceError.self) { try writer.add(path: "", size: 0) }
        #expect(throws: NamespaceError.self) { try writer.add(path: String(repeating: "x", count: 4096), size: 0) }
    }

    /// Against a dictionary, with random trees. The seed is in the failure.
    @Test(arguments: 0..<8) func agreesWithADictionary(round: Int) throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        var packs: [String: [String: UInt64]] = [:]
        var merged: [String: (pack: String, size: UInt64)] = [:]
        for pack in (0..<Int.random(in: 1...6, using: &random)).map({ "pack\($0)" }) {
            for _ in 0..<Int.random(in: 0...400, using: &random) {
                let depth = Int.random(in: 1...4, using: &random)
                let path = (0..<depth).map { _ in String(Int.random(in: 0...9, using: &random)) }.joined(separator: "/")
                packs[pack, default: [:]][path] = UInt64.random(in: 0...1000, using: &random)
            }
            packs[pack, default: [:]]["own-\(pack)"] = 1
        }
        for pack in packs.keys.sorted().reversed() {
            for (path, size) in packs[pack] ?? [:] { merged[path] = (pack, size) }
        }
        let file = try MemoryNamespace(namespace(packs))
        for (path, expected) in merged {
            let found = file.find(path)
            #expect(found?.pack == expected.pack && found?.size == expected.size, "\(path), seed \(seed)")
        }
        for (pack, files) in packs {
            for (path, size) in files { #expect(file.find(path, inPack: pack)?.size == size, "\(path), seed \(seed)") }
        }
        for absent in (0..<200).map({ _ in String(Int.random(in: 10...99, using: &random)) }) {
            #expect(file.find(absent) == nil, "seed \(seed)")
        }
        // A listing is the set of first names after the prefix.
        for directory in ["", "1", "1/2", "9/9/9"] {
            let prefix = directory.isEmpty ? "" : directory + "/"
            var names: Set<String> = []
            for path in merged.keys where path.hasPrefix(prefix) {
                names.insert(String(path.dropFirst(prefix.count).prefix { $0 != "/" }))
            }
            let listed = file.table.list(directory)
            #expect(Set((listed ?? []).map(\.name)) == names, "\(directory), seed \(seed)")
        }
    }
}
