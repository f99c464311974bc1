// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import BackgroundAssets
import Kit
import System
import TestSupport
import Testing

/// Reading packs: `contents`, `descriptor`, `url` (B2).
@Suite struct FileTests {
    private static let packs = [
        "Tutorial": [
            "Levels/1.lvl": "first", "Levels/2.lvl": "second", "Shared/a": "from Tutorial", "empty": "",
            "Only/deep/x": "x",
        ],
        "Islands": ["Levels/3.lvl": "third", "Shared/a": "from Islands", "Shared/b/c": "c"],
    ]

    private func withApp(_ body: (InstalledApp, AssetPackManager) throws -> Void) throws {
        try Scratch.with { scratch in
            let app = try InstalledApp(scratch)
            try app.publish(Self.packs)
            try body(app, app.manager())
        }
    }

    @Test func contentsInAllWays() throws {
        try withApp { _, manager in
            for options: Data.ReadingOptions in [.mappedIfSafe, .alwaysMapped, [], .uncached] {
                let first = try manager.contents(at: "Levels/1.lvl", options: options)
                #expect(first == Data("first".utf8))
                #expect(try manager.contents(at: "empty", options: options).isEmpty)
            }
            #expect(try manager.contents(at: "Levels/3.lvl") == Data("third".utf8))
            #expect(try manager.contents(at: FilePath("/Levels//./2.lvl")) == Data("second".utf8))
        }
    }

    @Test func collisionGoesToTheSmallestIDUnlessAnotherIsNamed() throws {
        try withApp { _, manager in
            let winner = try manager.contents(at: "Shared/a")
            #expect(winner == Data("from Islands".utf8))
            let named = try manager.contents(at: "Shared/a", searchingInAssetPackWithID: "Tutorial")
            #expect(named == Data("from Tutorial".utf8))
        }
    }

    @Test(arguments: ["missing", "Levels", "Levels/1.lvl/x", "../Levels/9", "", "/"])
    func noSuchFile(path: String) throws {
        try withApp { _, manager in
            let path = FilePath(path)
            expect(throws: fileNotFound(path)) { try manager.contents(at: path) }
            expect(throws: fileNotFound(path)) { try manager.descriptor(for: path) }
        }
    }

    @Test func packThatLacksTheFile() throws {
        try withApp { _, manager in
            for id in ["Islands", "NoSuchPack"] {
                expect(throws: fileNotFound("Levels/1.lvl")) {
                    try manager.contents(at: "Levels/1.lvl", searchingInAssetPackWithID: id)
                }
            }
        }
    }

    @Test func descriptorIsTheCallers() throws {
        try withApp { _, manager in
            let descriptor = try manager.descriptor(for: "Levels/2.lvl")
            let bytes = try descriptor.closeAfter { try descriptor.readAll() }
            #expect(bytes == Array("second".utf8))
        }
    }

    @Test func whatIsOpenStaysWholeAndNewReadsSeeTheNewGeneration() throws {
        try withApp { app, manager in
            let held = try manager.contents(at: "Levels/1.lvl")
            let descriptor = try manager.descriptor(for: "Levels/2.lvl")
            try app.publish(["Islands": ["Levels/3.lvl": "third"]])
            try app.delete(pack: "Tutorial")
            expect(throws: fileNotFound("Levels/1.lvl")) { try manager.contents(at: "Levels/1.lvl") }
            #expect(!manager.assetPackIsAvailableLocally(withID: "Tutorial"))
            #expect(held == Data("first".utf8))
            let bytes = try descriptor.closeAfter { try descriptor.readAll() }
            #expect(bytes == Array("second".utf8))
            #expect(try app.mayDelete(1), "a reader that only copied and mapped files holds on to the old generation")
        }
    }

    @Test func nothingInstalledIsAnErrorThatSaysSo() throws {
        try Scratch.with { scratch in
            let app = try InstalledApp(scratch)
            let manager = app.manager()
            expect(throws: fileNotFound("a")) { try manager.contents(at: "a") }
            try app.uninstall()
            let error = #expect(throws: BackgroundAssetsError.self) { try manager.contents(at: "a") }
            #expect(error?.code == .notInstalled)
            #expect(error?.message.contains("larder install") == true)
        }
    }

    @Test func damagedNamespaceIsAnError() throws {
        try withApp { app, manager in
            try app.damageNamespace()
            let error = #expect(throws: BackgroundAssetsError.self) { try manager.contents(at: "empty") }
            #expect(error?.code == .unreadable)
        }
    }

    @Test func deletedFileIsAnErrorNotACrash() throws {
        try withApp { app, manager in
            try app.delete(pack: "Tutorial")
            let error = #expect(throws: BackgroundAssetsError.self) { try manager.contents(at: "Levels/1.lvl") }
            #expect(error?.code == .unreadable)
        }
    }
}
