// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import DeviceProtocol
import Kit
import PackNamespace
import System
import TestSupport
import Testing

@testable import DeviceService

/// Packs with links to folders: apps read the same files below either name.
@Suite(.timeLimit(.minutes(5))) struct LinkedFolderTests {
    private static let files: [String: [UInt8]] = [
        "Data/one": [1], "Data/deep/two": [2, 2], "Data2/three": [3], "other": [4],
    ]
    /// A link to a folder, to a folder below that link, to that link, to a file below it, and to a folder with a link in it.
    private static let entries: [EntryHeader] = [
        .link("Contents/chain", "ln"), .link("Contents/Data2/up", "../Data"), .link("Contents/file", "ln/deep/two"),
        .link("Contents/ln", "Data"), .link("Contents/part", "ln/deep"), .link("Contents/z", "Data2"),
    ]
    private static var seen: [String: [UInt8]] {
        var seen = files
        for place in ["Data2/up", "chain", "ln", "z/up"] {
            (seen["\(place)/one"], seen["\(place)/deep/two"]) = ([1], [2, 2])
        }
        (seen["file"], seen["part/two"], seen["z/three"]) = ([2, 2], [2, 2], [3])
        return seen
    }

    @Test func anArchiveGivesThem() async throws {
        try await StoreHarness.with { harness in
            var pack = PackFixture("levels", files: Self.files)
            pack.entries = Self.entries
            let outcome = try await harness.fetch(try harness.offer(pack).request)
            #expect(outcome["levels"]?.local != nil, "\(outcome)")
            #expect(try readableFiles(harness.root) == Self.seen)
            // No content is there twice, and nothing is a link.
            let folder = harness.root.appending(
                try #require(try await harness.store.localPacks(app: StoreHarness.app).first).directory)
            let here = FileDescriptor.currentDirectory
            let status = try here.status(at: folder.appending("z/up/deep/two"))
            #expect(try here.status(at: folder.appending("Data/deep/two")).inode == status.inode)
            #expect(try here.status(at: folder.appending("ln")).kind == .directory)
        }
    }

    /// Added, led elsewhere, and taken away by updates.
    @Test func updatesChangeThem() async throws {
        try await StoreHarness.with { harness in
            var random = SeededGenerator.forTest()
            var pack = PackFixture("levels", files: Self.files)
            pack.files["big"] = random.bytes(200_000)
            try await harness.fetch(try harness.offer(pack).request)
            let big = try #require(pack.files["big"])
            let steps: [([EntryHeader], [String: [UInt8]])] = [
                (Self.entries, Self.seen), ([.link("Contents/ln", "Data2")], ["ln/three": [3]]), ([], [:]),
            ]
            for (entries, more) in steps {
                pack.version += 1
                pack.entries = entries
                let (request, _) = try harness.offerUpdate(pack)
                #expect(try await harness.fetch(request)["levels"]?.local?.version == pack.version)
                var seen = Self.files.merging(more) { $1 }
                seen["big"] = big
                #expect(try readableFiles(harness.root) == seen)
                let tally = try #require(try await harness.store.arrivals(app: StoreHarness.app)["levels"])
                #expect(!tally.isWhole && tally.written == 0, "\(tally)")
            }
        }
    }

    @Test(arguments: [
        ([EntryHeader.link("Contents/a/x", "../b"), .link("Contents/b/y", "../a")], "no end"),
        ([.link("Contents/l", "empty"), .link("Contents/m", "l/none")], "does not hold"),
        ([.link("Contents/a", "b")], "both as a folder and as a link"),
        ([.link("Contents/a/f", "../b")], "both as a folder and as a file"),
    ]) func whatCannotBeIsRefused(_ entries: [EntryHeader], _ says: String) throws {
        try Scratch.with { scratch in
            var pack = PackFixture("levels", files: ["a/f": [1], "b/g": [2]])
            pack.entries = [EntryHeader(type: .directory, path: "Contents/empty")] + entries
            let generations = AppGenerations(layout: AppRootLayout(root: scratch.path))
            try generations.prepare()
            let error = #expect(throws: StoreError.self) { try install(pack, in: generations) }
            #expect(error?.message.contains(says) == true, "\(String(describing: error))")
        }
    }

    /// Each folder holds two links to the next: the names double with every step.
    @Test(.timeLimit(.minutes(1))) func namesThatDoubleAreBounded() throws {
        try Scratch.with { scratch in
            var pack = PackFixture("levels", files: ["f30/x": [1]])
            for number in 0..<30 {
                for name in ["a", "b"] {
                    pack.entries.append(.link("Contents/f\(number)/\(name)", "../f\(number + 1)"))
                }
            }
            let generations = AppGenerations(layout: AppRootLayout(root: scratch.path))
            try generations.prepare()
            var options = PackPipeline.Options()
            options.bounds = StagingSink.Bounds(linkSize: 100_000, folders: 1_000_000)
            let error = #expect(throws: StoreError.self) { try install(pack, in: generations, options: options) }
            #expect(error?.message.contains("links whose names") == true, "\(String(describing: error))")
        }
    }
}
