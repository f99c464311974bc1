// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import BackgroundAssets
import Kit
import System
import TestSupport
import Testing

/// `url(for:)`: files, directories of one pack, and directories that several packs share (B2).
@Suite struct URLTests {
    private func withApp(_ body: (InstalledApp, AssetPackManager) throws -> Void) throws {
        try Scratch.with { scratch in
            let app = try InstalledApp(scratch)
            try app.publish([
                "Tutorial": ["Levels/1.lvl": "first", "Levels/easy/x": "x", "Only/deep/y": "y"],
                "Islands": ["Levels/3.lvl": "third", "Levels/easy/z": "z", "Levels/Hard/big": "big"],
            ])
            try body(app, app.manager())
        }
    }

    private func names(_ url: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: url.path(percentEncoded: false)).sorted()
    }

    @Test func file() throws {
        try withApp { _, manager in
            let url = try manager.url(for: "Levels/1.lvl")
            #expect(try Data(contentsOf: url) == Data("first".utf8))
            #expect(url.isFileURL && url.lastPathComponent == "1.lvl")
        }
    }

    @Test func directoryOfOnePackIsThePacksOwn() throws {
        try withApp { app, manager in
            let url = try manager.url(for: "Only")
            #expect(url.path(percentEncoded: false).hasPrefix(app.identity.root.string))
            #expect(try Data(contentsOf: url.appending(path: "deep/y")) == Data("y".utf8))
        }
    }

    @Test func sharedDirectoryHoldsTheFilesOfAllPacks() throws {
        try withApp { _, manager in
            let url = try manager.url(for: "Levels")
            #expect(url.lastPathComponent == "Levels")
            #expect(try names(url) == ["1.lvl", "3.lvl", "Hard", "easy"])
            #expect(try names(url.appending(path: "easy")) == ["x", "z"])
            #expect(try Data(contentsOf: url.appending(path: "Hard/big")) == Data("big".utf8))
            // A walk sees real directories all the way.
            let walk = FileManager.default.enumerator(atPath: url.path(percentEncoded: false))
            let found = Set((walk?.allObjects ?? []).compactMap { $0 as? String })
            #expect(found.isSuperset(of: ["easy/x", "easy/z", "Hard/big"]))
            #expect(try manager.url(for: "Levels/") == url, "the same generation has one place")
        }
    }

    @Test func placesOutliveRemovalAndHoldTheGeneration() throws {
        try withApp { app, manager in
            let url = try manager.url(for: "Levels")
            #expect(try app.mayDelete(1) == false)
            try app.publish(["Islands": ["Levels/3.lvl": "new"]], version: 2)
            #expect(try Data(contentsOf: url.appending(path: "1.lvl")) == Data("first".utf8))
            #expect(try Data(contentsOf: url.appending(path: "3.lvl")) == Data("third".utf8))
            #expect(try names(manager.url(for: "Levels")) == ["3.lvl"])
            #expect(try app.mayDelete(1) == false, "a URL was given out, so the generation must stay")
        }
    }

    @Test(arguments: ["missing", "Levels/9.lvl", "Only/deep/y/z"])
    func nothingThere(path: String) throws {
        try withApp { _, manager in
            let url = try manager.url(for: FilePath(path))
            #expect(url.isFileURL && url.lastPathComponent == FilePath(path).lastComponent?.string)
            #expect(!FileManager.default.fileExists(atPath: url.path(percentEncoded: false)))
        }
    }

    @Test func noPackYet() throws {
        try Scratch.with { scratch in
            let url = try InstalledApp(scratch).manager().url(for: "Levels")
            #expect(!FileManager.default.fileExists(atPath: url.path(percentEncoded: false)))
        }
    }

    @Test func pathsCannotLeaveTheTree() throws {
        try withApp { app, manager in
            let url = try manager.url(for: "../../../etc/passwd")
            #expect(url.path(percentEncoded: false).hasPrefix(app.identity.root.string))
            #expect(!FileManager.default.fileExists(atPath: url.path(percentEncoded: false)))
        }
    }
}
