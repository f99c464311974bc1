// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import Testing

@testable import AssetPacks

struct UpdateListingTests {
    static let digest = String(repeating: "ab", count: 32)
    static let other = String(repeating: "cd", count: 32)

    private static func text(index: String? = nil, patches: String? = nil) -> String {
        let members = [index.map { ",\"index\":\($0)" }, patches.map { ",\"patches\":\($0)" }].compactMap(\.self)
        return """
            {"assetPacks":[{"id":"T","url":"https://h/T","version":0,"downloadSize":5,"downloadPolicy":{"onDemand":{}},
            "larder":{"digest":{"algorithm":"sha256-tree-1m","value":"\(digest)"},"installedSize":1,"fileCount":1,"more":2
            \(members.joined())}}]}
            """
    }

    private static func patch(_ base: String = other, from: String = "3", url: String = "https://h/T.from-3.patch")
        -> String
    {
        "{\"from\":\(from),\"base\":\"\(base)\",\"url\":\"\(url)\",\"size\":9,\"sha256\":\"\(digest)\"}"
    }

    private static func index(
        url: String = "https://h/T.index", size: String = "7", sha256: String = digest, front: String? = nil
    ) -> String {
        let front = front.map { ",\"front\":\($0)" } ?? ""
        return "{\"url\":\"\(url)\",\"size\":\(size),\"sha256\":\"\(sha256)\"\(front)}"
    }

    private static func front(size: String = "7", sha256: String = other) -> String {
        "{\"size\":\(size),\"sha256\":\"\(sha256)\",\"more\":1}"
    }

    @Test func listedFilesAreReadAndWritten() throws {
        let text = Self.text(index: Self.index(sha256: Self.digest.uppercased()), patches: "[\(Self.patch())]")
        let manifest = try DownloadManifest.decode(text.utf8, source: "D.json")
        let larder = try #require(manifest["T"]?.larder)
        #expect(larder.index == .init(url: "https://h/T.index", size: 7, sha256: Self.digest))
        #expect(
            larder.patches == [
                .init(
                    from: 3, base: Self.other,
                    file: .init(url: "https://h/T.from-3.patch", size: 9, sha256: Self.digest))
            ])
        #expect(larder.other == ["more": 2])
        #expect(try DownloadManifest.decode(manifest.serialized, source: "D.json") == manifest)
    }

    @Test func aListOfAPatchIsReadAndWritten() throws {
        let list = Self.index(url: "https://h/T.from-3.list")
        let text = Self.text(index: Self.index(), patches: "[\(Self.patch().dropLast()),\"list\":\(list)}]")
        let manifest = try DownloadManifest.decode(text.utf8, source: "D.json")
        let patch = try #require(manifest["T"]?.larder?.patches.first)
        #expect(patch.list == .init(url: "https://h/T.from-3.list", size: 7, sha256: Self.digest))
        let beside = patch.listFile(packURL: "https://h/T?x=1", size: 7, sha256: Self.digest)
        #expect(beside.url == "https://h/T.from-3.list?x=1")
        #expect(try DownloadManifest.decode(manifest.serialized, source: "D.json") == manifest)
        let wrong = Self.text(
            index: Self.index(), patches: "[\(Self.patch().dropLast()),\"list\":\(Self.index(size: "0"))}]")
        let error = #expect(throws: AssetPackError.self) { try DownloadManifest.decode(wrong.utf8, source: "D.json") }
        #expect(error?.message.contains("patches[0].list.size must be from 1") == true)
    }

    @Test func theFrontOfAnIndexIsReadAndWritten() throws {
        let text = Self.text(index: Self.index(front: Self.front(sha256: Self.other.uppercased())))
        let manifest = try DownloadManifest.decode(text.utf8, source: "D.json")
        let larder = try #require(manifest["T"]?.larder)
        let front = DownloadManifestPack.LarderInfo.UpdateFile.Front(size: 7, sha256: Self.other)
        #expect(larder.index == .index(packURL: "https://h/T", size: 7, sha256: Self.digest, front: front))
        #expect(larder.json["index"]?["front"] == ["size": 7, "sha256": .string(Self.other)])
        #expect(try DownloadManifest.decode(manifest.serialized, source: "D.json") == manifest)
        let without = try DownloadManifest.decode(Self.text(index: Self.index()).utf8, source: "D.json")
        let index = try #require(without["T"]?.larder?.index)
        #expect(index.front == nil)
        #expect(without["T"]?.larder?.json["index"]?["front"] == nil)
    }

    /// Only an index has one: in a patch and a list it is a member that is not known.
    @Test func noOtherFileHasAFront() throws {
        let list = Self.index(url: "https://h/T.from-3.list", front: "0")
        let text = Self.text(
            index: Self.index(), patches: "[\(Self.patch().dropLast()),\"front\":[],\"list\":\(list)}]")
        let patch = try #require(
            try DownloadManifest.decode(text.utf8, source: "D.json")["T"]?.larder?.patches.first)
        #expect(patch.file.front == nil)
        #expect(patch.list == .init(url: "https://h/T.from-3.list", size: 7, sha256: Self.digest))
    }

    @Test func withoutThemNothingIsSaid() throws {
        let manifest = try DownloadManifest.decode(Self.text(patches: "[]").utf8, source: "D.json")
        let larder = try #require(manifest["T"]?.larder)
        #expect(larder.index == nil && larder.patches.isEmpty)
        #expect(larder.json["index"] == nil && larder.json["patches"] == nil)
    }

    @Test(arguments: [
        (text(index: index(url: "http://h/T.index")), "index.url: \"http://h/T.index\" must begin with https://"),
        (text(index: index(size: "0")), "index.size must be from 1"),
        (text(index: index(size: "281474976710657")), "index.size must be from 1 to 281474976710656"),
        (text(index: index(sha256: "ab")), "index.sha256 must be 64 hexadecimal digits"),
        (text(index: "[]"), "index must be an object"),
        (text(index: index(front: "7")), "index.front must be an object"),
        (text(index: index(front: "null")), "index.front must be an object"),
        (text(index: index(front: "{}")), "index.front.size is missing"),
        (text(index: index(front: "{\"size\":1}")), "index.front.sha256 is missing"),
        (text(index: index(front: front(size: "0"))), "index.front.size must be from 1 to 7, not 0"),
        (text(index: index(front: front(size: "8"))), "index.front.size must be from 1 to 7, not 8"),
        (text(index: index(front: front(size: "1.5"))), "index.front.size must be a whole number"),
        (text(index: index(front: front(sha256: "ab"))), "index.front.sha256 must be 64 hexadecimal digits"),
        (text(patches: "{}"), "patches must be an array"),
        (text(patches: "[\(patch(from: "-1"))]"), "patches[0].from must be from 0"),
        (text(patches: "[\(patch("xy"))]"), "patches[0].base must be 64 hexadecimal digits"),
        (text(patches: "[\(patch(url: "T.patch"))]"), "patches[0].url: \"T.patch\" is no absolute URL"),
        (text(patches: "[\(patch()),\(patch())]"), "patches[1].base: another patch starts from the same archive"),
        (
            text(patches: "[" + Array(repeating: patch(), count: 65).joined(separator: ",") + "]"),
            "patches lists 65 patches, more than the 64 allowed"
        ),
    ])
    func whatIsWrongIsNamed(text: String, message: String) throws {
        let error = try #require(throws: AssetPackError.self) {
            try DownloadManifest.decode(text.utf8, source: "D.json")
        }
        #expect(error.message.contains("assetPacks[0].larder.\(message)"))
        #expect(error.message.hasPrefix("D.json:"))
    }

    @Test(arguments: [
        ("https://h/T", "https://h/T.index", "https://h/T.from-3.patch"),
        ("https://h/T.aar?v=1#x", "https://h/T.aar.index?v=1#x", "https://h/T.aar.from-3.patch?v=1#x"),
    ])
    func urlsFollowThePacks(pack: String, index: String, patch: String) {
        typealias Info = DownloadManifestPack.LarderInfo
        #expect(Info.UpdateFile.index(packURL: pack, size: 1, sha256: Self.digest).url == index)
        let listed = Info.Patch(from: 3, base: Self.other, packURL: pack, size: 9, sha256: Self.digest)
        #expect(listed.file.url == patch)
        #expect(listed.from == 3 && listed.base == Self.other && listed.file.size == 9)
    }
}
