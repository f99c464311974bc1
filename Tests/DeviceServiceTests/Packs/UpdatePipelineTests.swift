// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Crypto
import Kit
import PackNamespace
import PackUpdates
import System
import TestSupport
import Testing

@testable import DeviceService

/// Updates without a network, and processes that die in the midst of them.
@Suite struct UpdatePipelineTests {
    private struct Died: Error {}

    /// Does what an attempt does, and dies after so many bytes of the archive; nil lives.
    private func run(
        _ new: PackFixture, _ archive: [UInt8], _ index: PackIndex, _ generations: AppGenerations,
        dyingAfter limit: Int?
    ) throws {
        let staged = StagedPack(layout: generations.layout, id: new.id)
        let pipeline = try UpdatePipeline(
            new.download(archive), staged: staged, index: index, digest: SHA256.hash([1]), options: .init())
        let own = try generations.localPacks().map { generations.layout.root.appending($0.directory) }
        var sources = UpdateSources(for: index)
        sources.add(
            try LocalVersions(appRoot: generations.layout.root).find(
                Set(index.contents.map(\.digest)), first: own, by: { $0 }, isCancelled: {}))
        func plan() throws -> UpdatePlan {
            let facts = UpdateFacts(ranges: .several(16), progress: pipeline.progress)
            return try #require(
                UpdatePlanner(target: index, local: sources.contents, facts: facts).blocksPlan())
        }
        var local: [Int: LocalFile] = [:]
        for (content, action) in try #require(try plan().actions).enumerated() {
            if case .link(let source) = action { local[content] = sources.file(source) }
        }
        #expect(try pipeline.link(local, isCancelled: {}) == [])
        try pipeline.checkpoint()
        let kept = Set(index.contents.map(\.digest))
        try sources.addChunks(
            of: own.flatMap(LocalVersions.files).filter { !kept.contains($0.digest) }, isCancelled: {})
        let blocks = try plan()
        let actions = try #require(blocks.actions)
        let assembler = ContentAssembler(
            actions, index, pipeline.sink, sources, resumed: pipeline.current, path: pipeline.path, made: pipeline.open)
        assembler.completed = { try pipeline.completed($0) }
        let decoder = try BlocksDecoder(
            letter: index.archive.letter, blockSize: index.archive.blockSize,
            blocks: blocks.blocks.flatMap(\.self).map(index.archive.expected))
        decoder.deliver = { try assembler.take($0, $1) }
        decoder.blockEnded = { _ in try pipeline.checkpoint() }
        var fed = 0
        for range in blocks.archiveRanges {
            for start in stride(from: Int(range.lowerBound), to: Int(range.upperBound), by: 5000) {
                let end = min(start + 5000, Int(range.upperBound))
                if let limit, fed + end - start > limit { throw Died() }
                try archive.withUnsafeBytes { try decoder.feed(UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
                fed += end - start
            }
        }
        try decoder.finish()
        #expect(try assembler.finish())
        #expect(assembler.failed == [])
        _ = try pipeline.finish(directory: "packs/\(new.id)/\(new.version)-0000")
        try generations.commit(staged)
    }

    /// What a list of the same digest told otherwise does not stay.
    @Test func whatTheIndexDoesNotNameGoes() throws {
        try Scratch.with { scratch in
            let generations = AppGenerations(layout: AppRootLayout(root: scratch.path.appending("apps/one")))
            try FileDescriptor.currentDirectory.makeDirectories(at: generations.layout.root)
            try generations.prepare()
            let old = PackFixture("levels", files: ["a": [1], "b": [2, 2], "x/y": [3, 3, 3]])
            try install(old, in: generations)
            var (listed, new) = (old, old)
            (listed.version, new.version) = (2, 2)
            listed.entries = [.link("Contents/l", "a"), .link("Contents/m", "a")]
            new.files["x/y"] = nil
            new.entries = [.link("Contents/l", "b")]
            func index(_ pack: PackFixture) throws -> (PackIndex, [UInt8]) {
                let archive = try pack.archive()
                return (
                    try PackIndex.make(ofArchive: try scratch.write(archive, to: "\(pack.files.count).aar")), archive
                )
            }
            let ((list, _), (index, archive)) = (try index(listed), try index(new))
            let staged = StagedPack(layout: generations.layout, id: new.id)
            let pipeline = try UpdatePipeline(
                new.download(archive), staged: staged, index: list, digest: SHA256.hash([1]), options: .init())
            let own = try generations.localPacks().map { generations.layout.root.appending($0.directory) }
            var sources = UpdateSources(for: list)
            sources.add(
                try LocalVersions(appRoot: generations.layout.root).find(
                    Set(list.contents.map(\.digest)), first: own, by: { $0 }, isCancelled: {}))
            let plan = UpdatePlanner(
                target: list, local: sources.contents,
                facts: UpdateFacts(ranges: .several(16), progress: pipeline.progress))
            var local: [Int: LocalFile] = [:]
            for (content, action) in try #require(plan.blocksPlan()?.actions).enumerated() {
                if case .link(let source) = action { local[content] = sources.file(source) }
            }
            #expect(try pipeline.link(local, isCancelled: {}) == [])
            #expect(pipeline.isDone)
            try pipeline.checkpoint()
            try run(new, archive, index, generations, dyingAfter: nil)
            #expect(try readableFiles(generations.layout.root) == ["a": [1], "b": [2, 2], "l": [2, 2]])
        }
    }

    @Test func goesOnAfterAnyDeath() throws {
        var random = SeededGenerator.forTest()
        for _ in 0..<3 {
            try Scratch.with { scratch in
                let generations = AppGenerations(layout: AppRootLayout(root: scratch.path.appending("apps/one")))
                try FileDescriptor.currentDirectory.makeDirectories(at: generations.layout.root)
                try generations.prepare()
                var old = PackFixture.random("levels", bytes: 800_000, &random)
                old.files["large"] = random.bytes(3_000_000)
                old.blockSize = 16 << 10
                try install(old, in: generations)
                var new = old
                new.version = 2
                new.files["large"]?.replaceSubrange(1_000_000..<2_500_000, with: random.bytes(1_400_000))
                new.files["new/one"] = random.bytes(400_000)
                new.files["new/same"] = new.files["new/one"]
                new.files["new/both"] =
                    random.bytes(50_000) + (new.files["new/one"] ?? []) + (new.files["new/one"] ?? [])
                new.entries = [EntryHeader(type: .directory, path: "Contents/hollow"), .link("Contents/l", "new/one")]
                let archive = try new.archive()
                let path = try scratch.write(archive, to: "new.aar")
                let index = try PackIndex.make(ofArchive: path, chunkAverage: 4 << 10)
                for _ in 0..<12 {
                    do {
                        let limit = Int.random(in: 0...700_000, using: &random)
                        try run(new, archive, index, generations, dyingAfter: limit)
                        break
                    } catch is Died {}
                    #expect(try readableFiles(generations.layout.root) == old.files, "seed \(random.seed)")
                }
                if try generations.localPacks().first?.version != 2 {
                    try run(new, archive, index, generations, dyingAfter: nil)
                }
                var expected = new.files
                expected["l"] = new.files["new/one"]
                #expect(try readableFiles(generations.layout.root) == expected, "seed \(random.seed)")
                // What is recorded is what an install would have recorded.
                let folder = generations.layout.root.appending("packs/levels/2-0000")
                let list = try #require(ContentList(ContentList.path(of: folder)))
                var digests: [String: Digest] = [:]
                list.forEach { view in
                    if let record = view.record { digests[record.path] = record.digest }
                }
                #expect(digests == expected.mapValues { SHA256.hash($0) })
            }
        }
    }
}
