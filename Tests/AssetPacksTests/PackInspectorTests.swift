// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Kit
import System
import TestSupport
import Testing

@testable import AssetPacks

struct PackInspectorTests {
    private static let manifest = Array(
        "{\"assetPackID\":\"a\",\"downloadPolicy\":{\"onDemand\":{}},\"platforms\":[\"macOS\"]}".utf8)

    private func file(_ path: String) -> EntryHeader { EntryHeader(type: .regularFile, path: path) }

    private func message(_ body: (ArchiveWriter) throws -> Void) throws -> String {
        try Scratch.with { scratch in
            let path = try PackFixture(scratch: scratch).archive("bad.aar", body)
            let error = try #require(throws: (any Error).self) { try PackInspector.inspect(path) }
            let known = try #require(error as? any LarderError)
            #expect(known.exitCode != .success)
            return known.message.replacing(path.string, with: "bad.aar")
        }
    }

    @Test func archivesThatAreNoPacks() throws {
        #expect(try message { _ in } == "bad.aar is no asset pack: it has no \"manifest.json\".")
        #expect(
            try message { try $0.append(file("manifest.json"), bytes: Self.manifest) }
                == "bad.aar is no asset pack: it has no \"Contents\".")
        #expect(
            try message {
                try $0.append(file("manifest.json"), bytes: Self.manifest)
                try $0.append(file("other"), bytes: [1])
            } == "bad.aar is no asset pack: \"other\" is neither \"manifest.json\" nor below \"Contents\".")
        #expect(
            try message {
                try $0.append(file("manifest.json"), bytes: Self.manifest)
                try $0.append(file("Manifest.json"), bytes: Self.manifest)
            } == "bad.aar is no asset pack: it has two manifests.")
        #expect(
            try message {
                try $0.append(file("manifest.json"), bytes: Self.manifest)
                try $0.append(EntryHeader(type: .fifo, path: "Contents/p"))
            } == "bad.aar is no asset pack: \"Contents/p\" is a named pipe, which no pack can hold.")
    }

    @Test func brokenManifest() throws {
        let text = try message {
            try $0.append(file("manifest.json"), bytes: Array("{\n".utf8)); try $0.append(file("Contents/a"), bytes: [])
        }
        #expect(text == "bad.aar/manifest.json:2:1: not valid JSON: expected a key in double quotes.")
    }

    @Test func hostileContents() throws {
        func pack(_ more: (ArchiveWriter) throws -> Void) throws -> String {
            try message {
                try $0.append(file("manifest.json"), bytes: Self.manifest)
                try more($0)
            }
        }
        #expect(
            try pack {
                try $0.append(file("Contents/x"), bytes: [1]); try $0.append(file("Contents/x"), bytes: [2])
            }
                == "bad.aar: the path \"Contents/x\" stands twice in the archive.")
        #expect(
            try pack {
                try $0.append(file("Contents/caf\u{E9}"), bytes: [1])
                try $0.append(file("Contents/cafe\u{301}"), bytes: [2])
            }.contains("stands twice"))
        #expect(
            try pack {
                try $0.append(file("Contents/x"), bytes: [1]); try $0.append(file("Contents/x/y"), bytes: [2])
            }
            .contains("\"x\" would be both"))
        #expect(
            try pack {
                var link = EntryHeader(type: .symbolicLink, path: "Contents/l")
                link.linkTarget = "../../etc"
                try $0.append(link)
            }.contains("is outside the pack"))
        #expect(
            try pack {
                try $0.append(
                    file("Contents/tool"), bytes: [0xCF, 0xFA, 0xED, 0xFE] + [UInt8](repeating: 0, count: 40))
            }
                == "bad.aar: \"tool\" is a macOS executable, which Apple allows in no asset pack for macOS.")
    }

    /// What an archive has the reader keep is bounded by its caller, not by the archive.
    @Test func moreNamesThanAllowedAreRefused() throws {
        func message(_ limit: UInt64, _ more: (ArchiveWriter) throws -> Void) throws -> String? {
            try Scratch.with { scratch in
                let path = try PackFixture(scratch: scratch).archive("bad.aar") {
                    try $0.append(file("manifest.json"), bytes: Self.manifest)
                    try more($0)
                }
                var limits = ArchiveLimits()
                limits.maximumEntries = limit
                limits.maximumNameSize = limit * 256
                do {
                    _ = try PackInspector.inspect(path, limits: limits)
                    return nil
                } catch {
                    return (error as? any LarderError)?.message.replacing(path.string, with: "bad.aar")
                }
            }
        }
        func files(_ count: Int) -> (ArchiveWriter) throws -> Void {
            { for number in 1...count { try $0.append(file("Contents/\(number)"), bytes: []) } }
        }
        #expect(try message(20, files(19)) == nil)
        #expect(try message(20, files(20)) == "bad.aar: The archive has more than 20 entries.")
        // Few entries, and a folder in each name of their paths.
        let deep = Array(repeating: "d", count: 30).joined(separator: "/")
        #expect(
            try message(20) { try $0.append(file("Contents/\(deep)"), bytes: []) }
                == "bad.aar: There are more than 20 files and folders.")
        #expect(try message(40) { try $0.append(file("Contents/\(deep)"), bytes: []) } == nil)
        let long = String(repeating: "n", count: 200)
        #expect(
            try message(4) { writer in
                for number in 1...2 {
                    let path = Array(repeating: long + "\(number)", count: 3).joined(separator: "/")
                    try writer.append(file("Contents/\(path)"), bytes: [])
                }
            }?.hasSuffix("the archive's names come to more than the 1024 bytes allowed.") == true)
    }

    @Test func ofManyWarningsSomeAreTold() throws {
        try Scratch.with { scratch in
            let path = try PackFixture(scratch: scratch).archive("odd.aar") {
                try $0.append(file("manifest.json"), bytes: Self.manifest)
                for number in 1...150 { try $0.append(file("Contents/\(number)/.DS_Store"), bytes: []) }
            }
            let warnings = try PackInspector.inspect(path).warnings
            #expect(warnings.count == 101)
            #expect(warnings.last == "There are 50 warnings more.")
        }
    }

    @Test func listingShowsWhatIsInTheWay() throws {
        try Scratch.with { scratch in
            let fixture = PackFixture(scratch: scratch)
            for (second, problem) in [
                ("a", "the path \"a\" stands twice"), ("a/b/c", "\"a/b/c\" passes through \"a\", which is no folder"),
            ] {
                let path = try fixture.archive("bad.aar") {
                    try $0.append(file("a"), bytes: [1])
                    try $0.append(file(second), bytes: [2])
                }
                var seen: [String] = []
                let error = try #require(throws: AssetPackError.self) {
                    try PackInspector.forEachEntry(of: path) { seen.append($0.path) }
                }
                #expect(error.message == "\(path): \(problem); the archive cannot be extracted.")
                #expect(seen == ["a", second])
            }
        }
    }

    @Test func everyTruncationIsAnError() throws {
        try Scratch.with { scratch in
            let whole = try PackFixture(scratch: scratch).writeTree().package()
            for length in stride(from: 0, to: whole.count, by: 997) {
                try scratch.write(whole.prefix(length), to: "cut.aar")
                #expect(throws: (any Error).self, "\(length)") { try PackInspector.inspect(scratch("cut.aar")) }
            }
        }
    }

    @Test func missingAndFolders() throws {
        try Scratch.with { scratch in
            let missing = try #require(throws: AssetPackError.self) { try PackInspector.inspect(scratch("none.aar")) }
            #expect(missing.message == "There is no archive at \"\(scratch("none.aar"))\".")
            let folder = try #require(throws: AssetPackError.self) { try PackInspector.inspect(scratch.path) }
            #expect(folder.message == "\"\(scratch.path)\" is a folder, where an archive must stand.")
        }
    }

    @Test func comparesWithADownloadManifest() throws {
        try Scratch.with { scratch in
            try PackFixture(scratch: scratch).writeTree().package()
            let pack = try PackInspector.inspect(scratch("X.aar"))
            let builder = try DownloadManifestBuilder(platform: .iOS, baseURL: "https://h/packs")
            var entry = try #require(try builder.create([pack]).assetPacks.first)
            #expect(PackVerification.differences(of: pack, from: entry).isEmpty)
            entry.downloadSize += 1
            entry.larder?.digest.value = String(repeating: "0", count: 64)
            entry.larder?.installedSize = 3
            entry.larder?.fileCount = 4
            entry.downloadPolicy = .onDemand
            entry.language = "de"
            entry.userInfo = ["a": 1]
            #expect(
                PackVerification.differences(of: pack, from: entry) == [
                    "the archive's size is \(pack.archiveSize) bytes, but the download manifest says \(pack.archiveSize + 1) bytes",
                    "the archive's digest is \(pack.digest), but the download manifest says \(String(repeating: "0", count: 64))",
                    "the installed size is 370014 bytes, but the download manifest says 3 bytes",
                    "the number of files is 5, but the download manifest says 4",
                    "the download policy is essential (firstInstallation), but the download manifest says onDemand",
                    "the language is none, but the download manifest says de",
                    "userInfo is not what the download manifest says",
                ])
        }
    }
}
