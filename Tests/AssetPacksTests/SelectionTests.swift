// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import TestSupport
import Testing

@testable import AssetPacks

struct SelectionTests {
    private func select(_ selectors: [FileSelector], _ tree: MemoryListing) throws -> Selection {
        try SelectionPlanner.select(selectors, from: tree)
    }

    private func message(_ selectors: [FileSelector], _ tree: MemoryListing) throws -> String {
        try #require(throws: AssetPackError.self) { try select(selectors, tree) }.message
    }

    private let game = MemoryListing([
        "Videos/Intro.m4v": .file(size: 1000, isExecutable: false),
        "Videos/Outro.m4v": .file(size: 500, isExecutable: false),
        "Levels/1/map": .file(size: 10, isExecutable: false),
        "Levels/1/run": .file(size: 5, isExecutable: true),
        "Levels/2/map": .file(size: 20, isExecutable: false),
        "Levels/draft.psd": .file(size: 99, isExecutable: false),
        "Levels/Empty": .directory,
        "Readme": .small,
    ])

    @Test func fileAndDirectory() throws {
        let selection = try select([.file("Videos/Intro.m4v"), .directory("Levels")], game)
        #expect(
            selection.paths == ["Levels/1/map", "Levels/1/run", "Levels/2/map", "Levels/draft.psd", "Videos/Intro.m4v"])
        #expect(selection.directories == ["Levels", "Levels/1", "Levels/2", "Levels/Empty", "Videos"])
        #expect(selection.fileCount == 5)
        #expect(selection.totalSize == 1134)
        #expect(selection.countsBySelector == [1, 4])
        #expect(selection.warnings.isEmpty)
    }

    @Test func foldersStandBeforeWhatTheyHold() throws {
        let tree = MemoryListing(files: ["a/b/c", "a-b", "a.b/x", "a/b.c"])
        let items = try select([.pattern("**")], tree).items.map(\.destination.string)
        #expect(items == ["a", "a-b", "a.b", "a.b/x", "a/b", "a/b.c", "a/b/c"])
    }

    @Test func pattern() throws {
        #expect(try select([.pattern("**/map")], game).paths == ["Levels/1/map", "Levels/2/map"])
        #expect(try select([.pattern("*/*.m4v")], game).paths == ["Videos/Intro.m4v", "Videos/Outro.m4v"])
        #expect(try select([.pattern("Levels/[2-9]/*")], game).paths == ["Levels/2/map"])
    }

    @Test func otherDestinations() throws {
        let selection = try select(
            [.file("Videos/Intro.m4v", to: "start.m4v"), .directory("Levels/1", to: "First/Level")], game)
        #expect(selection.paths == ["First/Level/map", "First/Level/run", "start.m4v"])
        #expect(try select([.directory("Levels/1", to: ".")], game).paths == ["map", "run"])
        #expect(try select([.directory(".", to: "all")], game).paths.contains("all/Levels/1/map"))
    }

    @Test func exclusionsHoldWhereverTheyStand() throws {
        let selection = try select([.exclusion("*.psd"), .directory("Levels"), .exclusion("Levels/1")], game)
        #expect(selection.paths == ["Levels/2/map"])
        #expect(selection.directories == ["Levels", "Levels/2", "Levels/Empty"])
        #expect(selection.countsBySelector == [1, 1, 1])
    }

    @Test func exclusionWithoutEffectIsWarnedAbout() throws {
        let selection = try select([.directory("Videos"), .exclusion("*.psd")], game)
        #expect(selection.warnings.map(\.kind) == [.unusedExclusion])
        #expect(selection.warnings.first?.message == "M.json:4:1: {\"fileExclusion\": \"*.psd\"} keeps no file out.")
    }

    @Test func everythingExcludedIsWarnedAbout() throws {
        let selection = try select([.directory("Videos"), .file("Readme"), .exclusion("Videos")], game)
        #expect(selection.warnings.map(\.kind) == [.allExcluded])
    }

    @Test func matchedTwiceIsPackedOnceAndWarnedAbout() throws {
        let selection = try select([.directory("Levels"), .file("Levels/1/map"), .pattern("Levels/*/map")], game)
        #expect(selection.fileCount == 4)
        #expect(
            selection.warnings.map(\.message) == [
                "M.json:1:1: \"Levels/1/map\" is matched twice, by {\"directory\": \"Levels\"} and "
                    + "{\"file\": \"Levels/1/map\"}; packed once.",
                "M.json:3:1: 2 files such as \"Levels/1/map\" are matched twice, by {\"directory\": \"Levels\"} and "
                    + "{\"filePattern\": \"Levels/*/map\"}; packed once.",
            ])
    }

    @Test func twoSourcesForOneDestination() throws {
        #expect(
            try message([.file("Readme"), .file("Videos/Intro.m4v", to: "Readme")], game)
                == "Two sources for \"Readme\" in the pack: \"Readme\" (M.json:1:1: {\"file\": \"Readme\"}) and "
                + "\"Videos/Intro.m4v\" (M.json:5:1: {\"fileSource\": \"Videos/Intro.m4v\", "
                + "\"fileDestination\": \"Readme\"}). Give one of them another destination, or exclude it.")
    }

    @Test func fileWhereAFolderIs() throws {
        let text = try message([.file("Readme", to: "Levels/1"), .file("Levels/1/map")], game)
        #expect(text.hasPrefix("\"Levels/1\" would be both \"Readme\" (M.json:5:1"))
        let other = try message([.directory("Levels"), .file("Readme", to: "Levels/1")], game)
        #expect(other.hasPrefix("Two sources for \"Levels/1\" in the pack: a folder"))
    }

    @Test func nothingMatched() throws {
        #expect(
            try message([.file("Videos/Intr.m4v")], game)
                == "M.json:1:1: there is no \"Videos/Intr.m4v\" below the tree (did you mean \"Videos/Intro.m4v\"?).")
        #expect(
            try message([.file("Vidoes/Intro.m4v")], game)
                == "M.json:1:1: there is no \"Vidoes\" below the tree (did you mean \"Videos\"?).")
        #expect(
            try message([.file("Levels\\1\\map")], game)
                == "M.json:1:1: there is no \"Levels\\1\\map\" below the tree "
                + "(paths have \"/\" between their names, not \"\\\").")
        #expect(
            try message([.file("Sounds/*.ogg")], MemoryListing(files: ["Sounds/long name of a song"]))
                == "M.json:1:1: there is no \"Sounds/*.ogg\" below the tree "
                + "(use {\"filePattern\": \"Sounds/*.ogg\"} for a pattern).")
        #expect(
            try message([.directory("Levels/Empty")], game)
                == "M.json:2:1: {\"directory\": \"Levels/Empty\"} takes nothing: the folder holds no files. "
                + "Correct it, or remove it.")
        #expect(
            try message([.pattern("*.xyz")], game)
                == "M.json:3:1: {\"filePattern\": \"*.xyz\"} takes nothing: no file below the tree fits the pattern. "
                + "Correct it, or remove it.")
    }

    @Test func wrongKind() throws {
        #expect(
            try message([.file("Levels")], game)
                == "M.json:1:1: \"Levels\" is a folder. Use {\"directory\": \"Levels\"} for it.")
        #expect(
            try message([.directory("Readme")], game)
                == "M.json:2:1: \"Readme\" is no folder. Use {\"file\": \"Readme\"} for a file.")
        #expect(
            try message([.file("Readme/x")], game)
                == "M.json:1:1: \"Readme\" is no folder, so \"Readme/x\" cannot be.")
    }

    @Test func specialFiles() throws {
        let tree = MemoryListing(["a/pipe": .special, "a/x": .small])
        #expect(try message([.directory("a")], tree).contains("\"a/pipe\" is a device, socket or pipe"))
        #expect(try select([.directory("a"), .exclusion("a/pipe")], tree).paths == ["a/x"])
    }

    @Test func systemFilesAndCase() throws {
        let tree = MemoryListing(files: ["a/.DS_Store", "a/README", "a/Readme"])
        #expect(try select([.directory("a")], tree).warnings.map(\.kind) == [.systemFile, .differsInCaseOnly])
    }

    @Test(arguments: [
        ["a/caf\u{E9}", "a/cafe\u{301}"], ["caf\u{E9}/a", "cafe\u{301}/b"], ["caf\u{E9}/d/a", "cafe\u{301}/d/a"],
    ]) func sameLettersInOtherCharacters(_ files: [String]) throws {
        let text = try Scratch.with { scratch in
            for file in files { try scratch.write([UInt8(1)], to: file) }
            let listing = FileSystemListing(root: scratch.path)
            return try #require(throws: AssetPackError.self) {
                try SelectionPlanner.select([.pattern("**")], from: listing)
            }.message
        }
        #expect(text.contains("the same letters in other Unicode characters"), "\(text)")
    }

    @Test func overlongDestination() throws {
        let long = String(repeating: String(repeating: "x", count: 200) + "/", count: 5)
        let tree = MemoryListing(files: ["deep/" + long + "y"])
        #expect(try select([.directory("deep")], tree).fileCount == 1)
        #expect(try message([.directory("deep", to: "a/longer/one")], tree).contains("longer than the 1014 bytes"))
    }

    /// Whatever is selected: each destination once, folders first, nothing excluded is in, and order does not matter.
    @Test func propertiesOfSelections() throws {
        var generator = SeededGenerator.forTest()
        let seed = generator.seed
        let names = ["a", "b", "c", "dd"]
        for _ in 0..<300 {
            var files: Set<String> = []
            for _ in 0..<Int.random(in: 1...20, using: &generator) {
                let depth = Int.random(in: 1...4, using: &generator)
                files.insert(
                    (0..<depth).map { _ in names.randomElement(using: &generator) ?? "a" }.joined(separator: "/") + ".f"
                )
            }
            let tree = MemoryListing(files: files.sorted())
            let excluded = names.randomElement(using: &generator) ?? "a"
            let selectors: [FileSelector] = [
                try .pattern("**"), try .exclusion("**/\(excluded).f"), try .pattern("**/*.f"),
            ]
            let selection = try select(selectors, tree)
            let reversed = try select(selectors.reversed(), tree)
            #expect(
                Set(selection.paths) == files.filter { $0 != "\(excluded).f" && !$0.hasSuffix("/\(excluded).f") },
                "seed \(seed)")
            #expect(selection.paths == reversed.paths, "seed \(seed)")
            let all = selection.items.map(\.destination)
            #expect(Set(all).count == all.count, "seed \(seed)")
            #expect(all == all.sorted(), "seed \(seed)")
            for (index, path) in all.enumerated() where !path.parent.isRoot {
                #expect(all[..<index].contains(path.parent), "seed \(seed): \(path)")
            }
        }
    }
}
