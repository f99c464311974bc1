// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Kit
import System
import TestSupport
import Testing

@testable import ResourceTags

struct XcodeProjectTests {
    private struct Move {
        let manifest: TagManifest
        let sources: TaggedSources
        let notes: [String]

        /// Each pack's tags with its destinations.
        var packs: [String: [String]] {
            Dictionary(
                sources.plan.packs.map { ($0.tags.tags.joined(separator: "+"), $0.subpaths.sorted()) }
            ) { first, _ in first }
        }
    }

    private func move(_ name: String, configuration: String? = nil) throws -> Move {
        let project = try XcodeProject(
            try XcodeFixture.bytes(name), source: "project.pbxproj", configuration: configuration)
        var notes: [String] = []
        let manifest = try TagManifest(project, in: XcodeFixture.folder(name), notes: &notes)
        let sources = try TaggedSources(
            manifest, bundleID: "org.example.app", sourceDirectory: XcodeFixture.folder(name))
        return Move(manifest: manifest, sources: sources, notes: notes)
    }

    @Test func tagsOfFilesFoldersLanguagesAndCatalogues() throws {
        let caves = try move("Caves")
        #expect(caves.manifest.bundleID == "org.example.Caves")
        #expect(
            caves.packs == [
                "easy": ["easy.lvl"],
                "easy+hard": ["Music/Loops/drip.ogg", "Music/theme.ogg"],
                "hard": [
                    "Assets.xcassets/Cave.imageset/cave.png", "Assets.xcassets/Cave.imageset/cave@2x.png",
                    "de.lproj/Story.txt", "en.lproj/Story.txt", "hard.lvl",
                ],
                "boss": ["Assets.xcassets/Boss/Dragon.imageset/dragon.png"],
                "boss+hard": ["Assets.xcassets/Boss/Roar.dataset/roar.wav"],
                "Bonus über": ["Credits.mov"],
            ])
        #expect(caves.manifest.categories == .init(initialInstall: ["easy"], prefetchOrder: ["hard", "Bonus über"]))
    }

    @Test func whatAPersonShouldKnowIsToldWithItsLine() throws {
        let notes = try move("Caves").notes
        #expect(notes.count == 3, "\(notes)")
        #expect(
            notes.contains {
                $0.hasPrefix("project.pbxproj:219: ON_DEMAND_RESOURCES_PREFETCH_ORDER has the tag \"gone\"")
            }, "\(notes)")
        #expect(
            notes.contains { $0.hasPrefix("project.pbxproj:123: no resource of Caves has the tag \"retired\"") },
            "\(notes)")
        #expect(
            notes.contains { $0.contains("Boss/Contents.json:7: Xcode compiles Caves/Assets.xcassets") }, "\(notes)")
    }

    @Test func settingsAreThoseOfTheConfiguration() throws {
        // Debug sets it for the project, and nothing for the target.
        let debug = try move("Caves", configuration: "Debug")
        #expect(debug.manifest.categories == .init(initialInstall: ["easy", "hard"], prefetchOrder: []))
        let error = try #require(throws: ResourceTagsError.self) { try move("Caves", configuration: "Beta") }
        #expect(
            error.message.contains("no configuration \"Beta\" here, but \"Debug\", \"Release\""), "\(error.message)")
    }

    @Test func tagsOfFoldersThatXcodeKeepsInStep() throws {
        let orchard = try move("Orchard")
        #expect(
            orchard.packs == [
                "autumn": ["Art.xcassets/Apple.imageset/apple.png", "harvest.json"], "autumn+spring": ["wind.ogg"],
                "spring": ["Trees/left out.tree", "Trees/oak.tree"],
            ])
        #expect(orchard.manifest.categories == .init(initialInstall: [], prefetchOrder: ["spring", "autumn"]))
        #expect(orchard.notes.contains { $0.contains("[sdk=appletvos*] is passed over") }, "\(orchard.notes)")
        #expect(orchard.notes.contains { $0.contains("the configuration file is not read") }, "\(orchard.notes)")
    }

    /// What was read is what `larder odr build` reads.
    @Test(arguments: ["Caves", "Orchard"]) func theTagManifestSaysTheSame(name: String) throws {
        let moved = try move(name)
        let text = moved.manifest.json(sourceRoot: "..").serialized(.pretty)
        let again = try TagManifest(text.utf8, source: "Tags.json")
        #expect(again.sourceRoot == "..")
        #expect(again.bundleID == moved.manifest.bundleID)
        #expect(again.categories == moved.manifest.categories)
        let sources = try TaggedSources(
            again, bundleID: "org.example.app", sourceDirectory: XcodeFixture.folder(name))
        #expect(sources.plan.packs.map(\.id) == moved.sources.plan.packs.map(\.id))
        #expect(sources.plan.onDemandResources == moved.sources.plan.onDemandResources)
    }

    private func changed(_ old: String, _ new: String) throws -> [UInt8] {
        let text = String(decoding: try XcodeFixture.bytes("Caves"), as: UTF8.self)
        try #require(text.contains(old))
        return Array(text.replacing(old, with: new).utf8)
    }

    @Test(arguments: [
        ("ASSET_TAGS = (hard, )", "ASSET_TAGS = hard", "project.pbxproj:13: the file has a string as \"ASSET_TAGS\""),
        ("ASSET_TAGS = (hard, )", "ASSET_TAGS = (\"a/b\", )", "\"a/b\" in \"ASSET_TAGS\", which holds a slash"),
        ("path = ../Extras/Credits.mov", "path = ../../Credits.mov", "outside of the project's folder"),
        ("path = ../Extras/Credits.mov", "path = /Credits.mov", "outside of the project's folder"),
        ("fileRef = 5A0000000000000000000004", "fileRef = FFFF", "tags \"FFFF\", which is in no group"),
        ("rootObject = 5A", "rootObject = XX", "which the project does not have"),
        ("\tobjects = {", "\tobject = {", "this is no Xcode project"),
        ("// !$*UTF8*$!", "<?xml version=\"1.0\"?>", "no property list in the old style"),
        ("ASSET_TAGS = ", "NO_TAGS = ", ""),
    ])
    func whatIsWrongIsNamed(old: String, new: String, message: String) throws {
        let bytes = try changed(old, new)
        if message.isEmpty {
            // Only the catalogue has tags then.
            let project = try XcodeProject(bytes, source: "project.pbxproj")
            #expect(project.items.map(\.path.string) == ["Caves/Assets.xcassets"])
            return
        }
        let error = try #require(throws: ResourceTagsError.self) {
            _ = try XcodeProject(bytes, source: "project.pbxproj")
        }
        #expect(error.message.contains(message), "\(error.message)")
        #expect(error.message.hasPrefix("project.pbxproj:"))
    }

    @Test func aCatalogueElsewhereIsToldOf() throws {
        let project = try XcodeProject(
            changed("path = Assets.xcassets", "path = ../../Shared/Assets.xcassets"), source: "project.pbxproj")
        var notes: [String] = []
        let manifest = try TagManifest(project, in: XcodeFixture.folder("Caves"), notes: &notes)
        #expect(manifest.tags.map(\.name) == ["Bonus über", "easy", "hard"])
        #expect(
            notes.contains { $0.hasPrefix("project.pbxproj:16: ../../Shared/Assets.xcassets lies outside") }, "\(notes)"
        )
    }

    @Test func aTaggedFileThatIsMissingIsNamedWithItsLine() throws {
        let project = try XcodeProject(
            changed("path = easy.lvl", "path = easier.lvl"), source: "project.pbxproj")
        var notes: [String] = []
        let manifest = try TagManifest(project, in: XcodeFixture.folder("Caves"), notes: &notes)
        let error = try #require(throws: AssetPackError.self) {
            try TaggedSources(manifest, bundleID: "a", sourceDirectory: XcodeFixture.folder("Caves"))
        }
        #expect(error.message.hasPrefix("project.pbxproj:12"), "\(error.message)")
        #expect(error.message.contains("Caves/Levels/easier.lvl"), "\(error.message)")
    }

    @Test func whichTargetIsMeantMustBeClear() throws {
        let bytes = try XcodeFixture.bytes("Caves")
        #expect(try XcodeProject(bytes, source: "p").targetName == "Caves")
        let none = try #require(throws: ResourceTagsError.self) { try XcodeProject(bytes, source: "p", target: "Cave") }
        #expect(none.message.contains("has no target \"Cave\""))
        let both = try changed(
            "\t\t\tbuildPhases = (\n\t\t\t);",
            "\t\t\tbuildPhases = (\n\t\t\t\t5A0000000000000000000402,\n\t\t\t);")
        let two = try #require(throws: ResourceTagsError.self) { try XcodeProject(both, source: "p") }
        #expect(two.message.contains("\"Caves\", \"CavesTests\": name one"), "\(two.message)")
        #expect(try XcodeProject(both, source: "p", target: "CavesTests").targetName == "CavesTests")
    }

    @Test func wordsOfSettingsAreSplitAsInAShell() {
        #expect(XcodeBuildSettings.split(" a  \"b c\" d\\ e 'f \"g' \"\" ") == ["a", "b c", "d e", "f \"g", ""])
        #expect(XcodeBuildSettings.split("") == [])
        #expect(XcodeBuildSettings.split("\"open") == ["open"])
    }

    @Test func cataloguesThatAreWrongAreNamed() throws {
        #expect(try AssetCatalog.tags(Array("{}".utf8), source: "C") == nil)
        let text = "{\"properties\":\n{\"on-demand-resource-tags\": [\"a/b\"]}}"
        for (text, place) in [(text, "C:2:"), ("{", "C:1:"), (text.replacing("[\"a/b\"]", with: "7"), "C:2:")] {
            let error = try #require(throws: AssetPackError.self) {
                _ = try AssetCatalog.tags(Array(text.utf8), source: "C")
            }
            #expect(error.message.hasPrefix(place), "\(error.message)")
        }
    }
}
