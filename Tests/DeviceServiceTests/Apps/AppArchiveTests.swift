// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import AppleArchive
import DeviceProtocol
import Kit
import System
import TestSupport
import Testing

@testable import DeviceService

/// Archives of apps: what is read of them, what is refused, and what is left.
struct AppArchiveTests {
    /// Something done to the archive of a good bundle, and what it is refused with.
    struct Attack: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var code: String
        /// What the message names.
        var names: String
        var change: @Sendable ([UInt8]) -> [UInt8]

        init(_ name: String, _ code: String, names: String, _ change: @escaping @Sendable ([UInt8]) -> [UInt8]) {
            testDescription = name
            self.code = code
            self.names = names
            self.change = change
        }
    }

    static func file(_ path: String, _ bytes: [UInt8] = [1]) -> [UInt8] {
        var entry = EntryHeader(type: .regularFile, path: path)
        entry.blobs = [.init(key: .data, size: UInt64(bytes.count))]
        return ((try? entry.encoded()) ?? []) + bytes
    }

    static func entry(_ type: EntryType, _ path: String, to target: String? = nil) -> [UInt8] {
        var entry = EntryHeader(type: type, path: path)
        entry.linkTarget = target
        return (try? entry.encoded()) ?? []
    }

    static let attacks = [
        Attack("two apps", "app.badBundle", names: "Other.app") { $0 + entry(.directory, "Other.app") },
        Attack("something beside", "app.badBundle", names: "README") { $0 + file("README") },
        Attack("contents at the root", "app.badBundle", names: "Info.plist") { _ in file("Info.plist") },
        Attack("nothing", "app.badBundle", names: "holds no app") { _ in entry(.directory, "") },
        Attack("a pack", "app.badBundle", names: "manifest.json") { _ in file("manifest.json") },
        Attack("a file for an app", "app.badBundle", names: "Game.app") { _ in file("Game.app") },
        Attack("a link for an app", "app.badBundle", names: "Game.app") { _ in
            entry(.symbolicLink, "Game.app", to: "/etc")
        },
        Attack("a pipe", "app.badBundle", names: "Game.app/pipe") { $0 + entry(.fifo, "Game.app/pipe") },
        Attack("dots", "archive.unsafePath", names: "evil") { $0 + file("Game.app/../../evil") },
        Attack("root", "archive.unsafePath", names: "/tmp/evil") { $0 + file("/tmp/evil") },
        Attack("link out", "archive.unsafeLink", names: "Game.app/l") {
            $0 + entry(.symbolicLink, "Game.app/l", to: "../../x")
        },
        Attack("twice", "archive.duplicatePath", names: "Game.app/Info.plist") { $0 + file("Game.app/Info.plist") },
        Attack("through a link", "archive.notAFolder", names: "Game.app/Extensions/l") {
            $0 + entry(.symbolicLink, "Game.app/Extensions/l", to: ".") + file("Game.app/Extensions/l/x")
        },
        Attack("cut off", "archive.truncated", names: "Game.aar") { Array($0.dropLast(10)) },
        Attack("a zip", "archive.notAnArchive", names: "zip") { _ in Array("PK\u{3}\u{4}0000".utf8) },
        Attack("too large", "store.noSpace", names: "Game.aar") {
            var entry = EntryHeader(type: .regularFile, path: "Game.app/huge")
            entry.blobs = [.init(key: .data, size: 1 << 40)]
            return $0 + ((try? entry.encoded()) ?? [])
        },
    ]

    private func bundle(_ scratch: Scratch, _ change: (inout AppFixture) -> Void = { _ in }) throws -> FilePath {
        var fixture = AppFixture()
        fixture.files = ["Resources/a/b": Array("deep".utf8)]
        change(&fixture)
        let path = try fixture.write(in: scratch.path)
        try FileDescriptor.currentDirectory.makeSymbolicLink(to: "a/b", at: path.appending("Resources/link"))
        return path
    }

    private func survey(_ scratch: Scratch, _ bytes: [UInt8], limit: Int64 = 1 << 30) throws -> AppArchive.Survey {
        let path = try scratch.write(bytes, to: "Game.aar")
        return try AppArchive(path: path).survey(scratch: scratch("incoming"), limit: limit) { false }
    }

    @Test(arguments: attacks) func hostileArchivesAreRefusedByNameAndLeaveNothing(_ attack: Attack) throws {
        try Scratch.with { scratch in
            let good = try AppArchiveFixture.bytes(of: bundle(scratch), .none)
            let thrown = #expect(throws: (any Error).self) { try survey(scratch, attack.change(good)) }
            let error = try #require(thrown as? any LarderError)
            #expect(error.codeName == attack.code, "\(error)")
            #expect(error.message.contains(attack.names) && error.message.contains("Game.aar"), "\(error)")
            #expect(try FileDescriptor.currentDirectory.entries(at: scratch("incoming")).isEmpty)
            #expect(!FileDescriptor.currentDirectory.exists(at: scratch("evil")))
        }
    }

    /// What costs few bytes in an archive, and would cost much to keep or to unpack.
    @Test func namesAndFoldersOfAnArchiveAreBounded() throws {
        try Scratch.with { scratch in
            let good = try AppArchiveFixture.bytes(of: bundle(scratch), .none)
            func message(_ more: [UInt8], unpacks: Bool = false) throws -> String? {
                let path = try scratch.write(good + more, to: "Game.aar")
                let archive = AppArchive(path: path, maximumEntries: 40, maximumNameSize: 4000)
                do {
                    if unpacks {
                        let target = try scratch.makeDirectory("out-\(more.count)")
                        _ = try archive.unpack(to: target, limit: 1 << 20) { _ in }
                    } else {
                        _ = try archive.survey(scratch: scratch("incoming"), limit: 1 << 20) { false }
                    }
                    return nil
                } catch let error as BundleError {
                    return error.message
                }
            }
            #expect(try message([]) == nil)
            #expect(try message([], unpacks: true) == nil)
            let long = String(repeating: "n", count: 200)
            let names = (0..<20).flatMap { Self.entry(.directory, "Game.app/\(long)\($0)") }
            let links = (0..<20).flatMap { Self.entry(.symbolicLink, "Game.app/\($0)", to: long) }
            let deep = Self.file("Game.app/Extensions/" + String(repeating: "d/", count: 60) + "f")
            for isUnpacked in [false, true] {
                for more in [names, links] {
                    let said = try message(more, unpacks: isUnpacked)
                    #expect(said?.contains("more than the 4000 bytes") == true, "\(said ?? "")")
                }
                let said = try message(deep, unpacks: isUnpacked)
                #expect(said?.contains("more than 40 folders") == true, "\(said ?? "")")
            }
            #expect(try FileDescriptor.currentDirectory.entries(at: scratch("incoming")).isEmpty)
        }
    }

    @Test func everyKeyIsCheckedAsInAFolder() throws {
        try Scratch.with { scratch in
            let path = try bundle(scratch) {
                $0.keys["BAHasManagedAssetPacks"] = "<string>yes</string>"
                $0.keys["CFBundleExecutable"] = "<string>No</string>"
                $0.extensionKeys = ["CFBundleIdentifier": "<string>com.other</string>"]
            }
            let folder = try #require(throws: BundleError.self) { try AppBundleReader.bundle(at: path) }
            let archive = try #require(throws: BundleError.self) {
                try survey(scratch, AppArchiveFixture.bytes(of: path))
            }
            #expect(archive.findings == folder.findings)
            #expect(archive.message == "Game.aar: \(folder.message)")
        }
    }

    @Test func aBundleWithoutPropertyListIsToldWithoutThePlaceItWasLookedAtIn() throws {
        try Scratch.with { scratch in
            let error = try #require(throws: BundleError.self) {
                try survey(scratch, Self.file("Game.app/Game"))
            }
            #expect(error.message.hasPrefix("Game.aar: Game.app has no Info.plist."))
        }
    }

    @Test(arguments: [Compression.none, .lzfse, .lz4, .zlib, .lzma])
    func aSurveyMeasuresAndUnpackingKeepsModesAndLinks(_ compression: Compression) throws {
        try Scratch.with { scratch in
            let path = try bundle(scratch)
            let bytes = try AppArchiveFixture.bytes(of: path, compression)
            let found = try survey(scratch, bytes)
            #expect(found.folder == "Game.app")
            #expect(found.bundle.identifier == "org.example.game")
            #expect(try found.size == TreeSize.measure(path).logical)

            let target = try scratch.makeDirectory("out")
            var last: Int64 = 0
            let name = try AppArchive(path: scratch("Game.aar")).unpack(to: target, limit: found.size) { last = $0 }
            #expect(name == "Game.app")
            #expect(last == found.size)
            #expect(try AppArchiveFixture.tree(target.appending(name)) == AppArchiveFixture.tree(path))
        }
    }

    @Test func anArchiveThatGrewSinceIsRefused() throws {
        try Scratch.with { scratch in
            let bytes = try AppArchiveFixture.bytes(of: bundle(scratch))
            let size = try survey(scratch, bytes).size
            let target = try scratch.makeDirectory("out")
            #expect(throws: BundleError.self) {
                try AppArchive(path: scratch("Game.aar")).unpack(to: target, limit: size - 1) { _ in }
            }
        }
    }

    @Test func whatIsBrokenOffLeavesNothingAndIsBegunAnew() throws {
        try Scratch.with { scratch in
            let path = try bundle(scratch) { $0.files["big"] = Array(repeating: 7, count: 3 << 20) }
            let bytes = try AppArchiveFixture.bytes(of: path)
            let found = try survey(scratch, bytes)
            let store = BundleStore(
                paths: LarderPaths(state: scratch("s"), runtime: scratch("r"), configuration: scratch("c")))
            let archive = AppArchive(path: scratch("Game.aar"))
            let here = FileDescriptor.currentDirectory
            #expect(throws: CancellationError.self) {
                try store.unpack(archive, app: "org.example.game", number: 1, size: found.size) { _ in
                    throw CancellationError()
                }
            }
            #expect(try here.entries(at: store.folder("org.example.game")).isEmpty)
            // As a kill leaves it: the folder half full.
            let partial = store.unpacked("org.example.game", number: 1)
            try here.makeDirectories(at: partial.appending("Game.app/stray"))
            try store.unpack(archive, app: "org.example.game", number: 1, size: found.size) { _ in }
            for _ in 1...2 { try store.complete(app: "org.example.game", number: 1) }
            #expect(!here.exists(at: partial))
            let place = store.folder("org.example.game").appending("1/Game.app")
            #expect(try AppArchiveFixture.tree(place) == AppArchiveFixture.tree(path))
        }
    }
}
