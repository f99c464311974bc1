// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import Kit
import System
import TestSupport
import Testing

@testable import ResourceTags

struct TagPropertyListTests {
    private let bundleID = "org.example.game"

    private func pack(_ tags: [String], _ subpaths: [String]) -> OnDemandResourcesPlist.Pack {
        let set = ResourceTagSet(tags)
        return .init(id: set.packID(bundleID: bundleID), tags: set, subpaths: subpaths)
    }

    private var game: OnDemandResourcesPlist {
        OnDemandResourcesPlist(packs: [
            pack(["cave"], ["Cave/żółw.png", "Cave/a.lvl"]), pack(["cave", "forest"], ["music.ogg"]),
            pack(["forest"], (0..<16).map { "Forest/\($0 < 10 ? "0" : "")\($0).lvl" }),
        ])
    }

    private var manifest: AssetPackManifestPlist {
        let time = Timestamp(rfc3339: "2026-01-31T12:00:00Z").map {
            AssetPackManifestPlist.ContentHash.modificationTime($0)
        }
        return AssetPackManifestPlist(resources: [
            .init(
                packID: "c", url: "OnDemandResources/c.assetpack", contentHash: time, uncompressedSize: 70_000,
                downloadPriority: nil),
            .init(
                packID: "a.b", url: "https://cdn.example.com/p?pack=a.b", contentHash: time,
                uncompressedSize: 5_000_000_000, downloadPriority: 0.5),
        ])
    }

    @Test func listsAreWrittenAsAnotherImplementationWritesThem() throws {
        #expect(try game.serialized() == GoldenLists.onDemandResources)
        #expect(try manifest.serialized() == GoldenLists.assetPackManifest)
    }

    @Test func whatIsWrittenReadsTheSame() throws {
        #expect(try OnDemandResourcesPlist(bytes: GoldenLists.onDemandResources, source: "golden") == game)
        #expect(try AssetPackManifestPlist(bytes: GoldenLists.assetPackManifest, source: "golden") == manifest)
    }

    @Test func aTagNamesAllPacksThatCarryIt() {
        let alone = ResourceTagSet(["cave"]).packID(bundleID: bundleID)
        let both = ResourceTagSet(["cave", "forest"]).packID(bundleID: bundleID)
        #expect(game.packIDsByTag["cave"] == [both, alone])
        #expect(game.tagsByPackID[both] == ResourceTagSet(["forest", "cave"]))
        #expect(game.packIDs.count == 3)
    }

    @Test func anEmptyPackIsKnownByItsTagAlone() throws {
        let list = OnDemandResourcesPlist(packs: [pack(["nothing"], [])])
        #expect(list.subpathsByPackID.isEmpty)
        let again = try OnDemandResourcesPlist(bytes: try list.serialized(), source: "again")
        #expect(again == list)
        #expect(again.packIDs == [ResourceTagSet(["nothing"]).packID(bundleID: bundleID)])
    }

    @Test func theXMLFormReadsTheSame() throws {
        let text = """
            <?xml version="1.0"?><plist version="1.0"><dict>
            <key>NSBundleResourceRequestTags</key><dict><key>a</key><dict><key>NSAssetPacks</key>
            <array><string>p2</string><string>p1</string></array></dict></dict>
            <key>NSBundleResourceRequestAssetPacks</key><dict><key>p1</key><array><string>./x//y</string></array></dict>
            </dict></plist>
            """
        let list = try OnDemandResourcesPlist(bytes: Array(text.utf8), source: "list")
        #expect(list.packIDsByTag == ["a": ["p1", "p2"]])
        #expect(list.subpathsByPackID == ["p1": ["x/y"]])
        // As tools before Xcode's write it: no more than the keys, and a whole number for the priority.
        let short = """
            <plist><dict><key>resources</key><array><dict><key>bundleKey</key><string>p1</string><key>URL</key>
            <string>http://a/p1</string><key>downloadPriority</key><integer>1</integer></dict></array></dict></plist>
            """
        let resource = try #require(
            try AssetPackManifestPlist(bytes: Array(short.utf8), source: "list").resources.first)
        #expect(resource.isStreamable)
        #expect(resource.downloadPriority == 1)
        #expect(resource.uncompressedSize == nil)
    }

    private static func tags(_ body: String) -> String {
        "<key>NSBundleResourceRequestTags</key><dict>\(body)</dict>"
    }

    @Test(arguments: [
        ("", "NSBundleResourceRequestTags is missing"),
        ("<key>NSBundleResourceRequestTags</key><array/>", "must be a dictionary and is an array"),
        (tags("<key>a</key><array/>"), "NSBundleResourceRequestTags.a must be a dictionary"),
        (tags("<key>a</key><dict/>"), "NSAssetPacks is missing"),
        (tags("<key>a/b</key><dict/>"), "holds a slash"),
        (
            tags("<key>a</key><dict><key>NSAssetPacks</key><array><integer>1</integer></array></dict>"),
            "NSAssetPacks[0] must be a string"
        ),
        (
            tags("<key>a</key><dict><key>NSAssetPacks</key><array><string>../x</string></array></dict>"),
            "starts with a dot"
        ),
        (
            tags("")
                + "<key>NSBundleResourceRequestAssetPacks</key><dict><key>p</key><array><string>../../etc</string></array></dict>",
            "leaves its folder"
        ),
        (
            tags("")
                + "<key>NSBundleResourceRequestAssetPacks</key><dict><key>p</key><array><string>.</string></array></dict>",
            "whole folder"
        ),
    ])
    func whatIsWrongIsToldWithItsPlace(_ body: String, _ reason: String) throws {
        let text = "<plist><dict>\(body)</dict></plist>"
        let error = #expect(throws: ResourceTagsError.self) {
            try OnDemandResourcesPlist(bytes: Array(text.utf8), source: "Resources/OnDemandResources.plist")
        }
        #expect(error?.message.hasPrefix("Resources/OnDemandResources.plist: ") == true)
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
        #expect(error?.exitCode == .badInput)
    }

    @Test(arguments: [
        "<key>URL</key><string>x</string>", "<key>bundleKey</key><string>a</string>",
        "<key>bundleKey</key><string>a/b</string><key>URL</key><string>x</string>",
        "<key>bundleKey</key><string>a</string><key>URL</key><string>x</string><key>downloadPriority</key><real>nan</real>",
        "<key>bundleKey</key><string>a</string><key>URL</key><string>x</string><key>uncompressedSize</key><integer>-1</integer>",
        "<key>bundleKey</key><string>a</string><key>URL</key><string>x</string><key>isStreamable</key><string>yes</string>",
        "<key>bundleKey</key><string>a</string><key>URL</key><string>x</string></dict><dict><key>bundleKey</key><string>a</string><key>URL</key><string>y</string>",
    ])
    func badManifestsAreErrors(_ entry: String) {
        let text = "<plist><dict><key>resources</key><array><dict>\(entry)</dict></array></dict></plist>"
        #expect(throws: ResourceTagsError.self) {
            try AssetPackManifestPlist(bytes: Array(text.utf8), source: "list")
        }
    }

    /// Whatever is read can be written, and reads the same again; nothing traps.
    @Test func mutatedListsReadTheSameAgainOrNotAtAll() throws {
        var random = SeededGenerator.forTest()
        for round in 0..<4000 {
            var bytes = round % 2 == 0 ? GoldenLists.onDemandResources : GoldenLists.assetPackManifest
            for _ in 0...Int.random(in: 0..<4, using: &random) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes.removeSubrange(place..<min(bytes.count, place + 3))
                case 1: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
                default: bytes[place] = UInt8.random(in: 0...255, using: &random)
                }
            }
            if let list = try? OnDemandResourcesPlist(bytes: bytes, source: "list") {
                #expect(try OnDemandResourcesPlist(bytes: try list.serialized(), source: "again") == list)
            }
            if let list = try? AssetPackManifestPlist(bytes: bytes, source: "list") {
                #expect(try AssetPackManifestPlist(bytes: try list.serialized(), source: "again") == list)
            }
        }
    }
}
