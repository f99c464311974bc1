// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Kit
import PackUpdates
import System
import TestSupport
import Testing

@testable import ResourceTags

struct ResourceBuilderTests {
    @Test func oneThreadForManySmallPacksAndAllForALargeOne() {
        let mebibyte: Int64 = 1 << 20
        let mixed = PackingSchedule(sizes: [mebibyte, 500 * mebibyte, 3 * mebibyte, 2 * mebibyte], threads: 2)
        #expect(mixed.alone == [1])
        #expect(mixed.together == [2, 3, 0])
        #expect(PackingSchedule(sizes: Array(repeating: mebibyte, count: 1000), threads: 2).alone.isEmpty)
        #expect(PackingSchedule(sizes: [500 * mebibyte], threads: 1).together == [0])
        #expect(PackingSchedule(sizes: [], threads: 4) == PackingSchedule(sizes: [], threads: 1))
    }

    private func sources(_ scratch: Scratch) throws -> TaggedSources {
        var random = SeededGenerator.forTest()
        for index in 0..<40 {
            try scratch.write(random.bytes(3000, redundancy: true), to: "R/\(index % 7)/\(index).lvl")
        }
        try scratch.write(random.bytes(20 << 20, redundancy: true), to: "R/big")
        try scratch.write("mine", to: "R/own.txt")
        try scratch.write("draft", to: "R/0/draft.psd")
        let tags = (0..<7).map { "\"t\($0)\": [{\"directory\": \"\($0)\"}, {\"filePattern\": \"*/\($0)*.lvl\"}]" }
        let text = """
            {"bundleID": "org.example.game", "initialInstall": ["big"], "prefetch": ["t3", "t1"], "exclude": ["*.psd"],
             "tags": {"big": [{"file": "big"}], \(tags.joined(separator: ", "))}}
            """
        return try TaggedSources(
            TagManifest(text.utf8, source: "Tags.json"), bundleID: "org.example.game", sourceDirectory: scratch("R"))
    }

    @Test func packsAreOrdinaryAndKnownWithoutReadingThem() throws {
        try Scratch.with { scratch in
            let sources = try sources(scratch)
            #expect(sources.untagged.map(\.string) == ["own.txt"])
            let folder = try scratch.makeDirectory("packs")
            var told: [Int64] = []
            let outputs = try ResourceBuilder(sources).packAll(
                into: folder, progress: { completed, _ in told.append(completed) })
            #expect(outputs.map(\.pack.id) == sources.plan.packs.map(\.id))
            #expect(told.last == sources.plan.packs.reduce(0) { $0 + $1.selection.totalSize })
            for output in outputs {
                let path = folder.appending(ResourceBuilder.archiveName(packID: output.pack.id))
                let read = try PackInspector.inspect(path)
                #expect(read.digest == output.contents.digest)
                #expect(read.archiveSize == output.contents.archiveSize)
                #expect(read.installedSize == output.contents.installedSize)
                #expect(read.fileCount == output.contents.fileCount)
                #expect(read.directoryCount == output.contents.directoryCount)
                #expect(read.manifest.downloadPolicy == output.pack.downloadPolicy)
                let index = try #require(try PackIndex.published(besideArchive: path, of: read))
                #expect(
                    output.index
                        == .written(
                            .init(size: Int64(index.bytes.count), sha256: index.sha256, front: index.front)))
                #expect(index.bytes == (try PackIndex.make(ofArchive: path).encoded()))
            }
        }
    }

    @Test func howManyThreadsPackMakesNoDifference() throws {
        try Scratch.with { scratch in
            let sources = try sources(scratch)
            var digests: [[String]] = []
            for threads in [1, 5] {
                var builder = ResourceBuilder(sources)
                builder.threads = threads
                builder.hasIndexes = threads == 1
                let folder = try scratch.makeDirectory("packs\(threads)")
                digests.append(try builder.packAll(into: folder).map(\.contents.digest))
            }
            #expect(digests[0] == digests[1])
        }
    }

    @Test func aFailureEndsAllAndIsTold() throws {
        try Scratch.with { scratch in
            let sources = try sources(scratch)
            try scratch.write("longer than it was", to: "R/3/3.lvl")
            let folder = try scratch.makeDirectory("packs")
            let error = #expect(throws: AssetPackError.self) { try ResourceBuilder(sources).packAll(into: folder) }
            #expect(error?.code == .changedWhileReading)
            #expect(throws: CancellationError.self) {
                try ResourceBuilder(sources).packAll(into: scratch.makeDirectory("none"), isCancelled: { true })
            }
        }
    }

    @Test func versionsRiseWhereArchivesChange() throws {
        try Scratch.with { scratch in
            let first = try sources(scratch)
            let before = ResourceProduct(
                plan: first.plan, outputs: try ResourceBuilder(first).packAll(into: scratch.makeDirectory("a")))
            let old = try before.downloadManifest(baseURL: "https://cdn.example.com/packs/")
            #expect(old.assetPacks.allSatisfy { $0.version == 0 })
            #expect(old.assetPacks.first?.url == "https://cdn.example.com/packs/\(before.outputs[0].pack.id).aar")
            for (pack, output) in zip(old.assetPacks, before.outputs) {
                let index = try #require(pack.larder?.index)
                #expect(index.url == pack.url + ".index")
                #expect(output.index == .written(.init(size: index.size, sha256: index.sha256, front: index.front)))
            }
            try scratch.write("changed", to: "R/big")
            let second = try TaggedSources(
                TagManifest(
                    #"{"tags": {"big": [{"file": "big"}], "new": [{"file": "own.txt"}]}, "initialInstall": ["big"]}"#
                        .utf8,
                    source: "Tags.json"), bundleID: "org.example.game", sourceDirectory: scratch("R"))
            let after = ResourceProduct(
                plan: second.plan, outputs: try ResourceBuilder(second).packAll(into: scratch.makeDirectory("b")))
            let new = try after.downloadManifest(baseURL: "https://cdn.example.com/packs", previous: old)
            let big = ResourceTagSet(["big"]).packID(bundleID: "org.example.game")
            #expect(new.assetPacks.map(\.version).sorted() == [0, 1])
            #expect(new[big]?.version == 1)
            // The patches that were made for an archive stay with it, and go with the next.
            var patched = new
            let file = DownloadManifestPack.LarderInfo.UpdateFile(
                url: "https://cdn.example.com/packs/\(big).aar.from-0.patch", size: 7,
                sha256: String(repeating: "0", count: 64))
            let place = try #require(patched.assetPacks.firstIndex { $0.id == big })
            patched.assetPacks[place].larder?.patches = [
                .init(from: 0, base: String(repeating: "1", count: 64), file: file)
            ]
            let same = try after.downloadManifest(baseURL: "https://cdn.example.com/packs", previous: patched)
            #expect(same == patched)
            let other = try before.downloadManifest(baseURL: "https://cdn.example.com/packs", previous: patched)
            #expect(other[big]?.version == 2 && other[big]?.larder?.patches == [])
        }
    }

    @Test func addressesAreWrittenAsXcodeWritesThem() {
        let name = "org.example.game.Level 1+żółw-ff.assetpack"
        let encoded = "org.example.game.Level%201+%C5%BC%C3%B3%C5%82w-ff.assetpack"
        #expect(AssetPackAddress.prefix("https://a/p?pack=").url(directoryName: name) == "https://a/p?pack=\(encoded)")
        #expect(AssetPackAddress.local("/b c/d").url(directoryName: name) == "http://127.0.0.1/b%20c/d/\(encoded)")
        #expect(AssetPackAddress.embedded("OnDemandResources").url(directoryName: name) == "OnDemandResources/\(name)")
        #expect(AssetPackAddress.prefix("").fileName == "AssetPackManifest.plist")
        #expect(AssetPackAddress.local("/").fileName == "AssetPackManifestTemplate.plist")
    }
}
