// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Kit
import System
import TestSupport
import Testing

/// Archives made to harm: each is refused with a clear error, and nothing is left behind.
@Suite struct HostileArchiveTests {
    struct Attack: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var archive: [UInt8]
        var code: ArchiveError.Code
    }

    static var attacks: [Attack] {
        let file = RawEntry.file("f", [1])
        return [
            Attack(testDescription: "..", archive: file + RawEntry.file("../evil", [1]), code: .unsafePath),
            Attack(testDescription: "inner ..", archive: file + RawEntry.file("a/../../evil", [1]), code: .unsafePath),
            Attack(testDescription: "absolute", archive: file + RawEntry.file("/tmp/evil", [1]), code: .unsafePath),
            Attack(testDescription: "NUL", archive: file + RawEntry.file("a\0b", [1]), code: .unsafePath),
            Attack(
                testDescription: "link out, absolute", archive: file + RawEntry.link("l", to: "/etc"), code: .unsafeLink
            ),
            Attack(
                testDescription: "link out, relative", archive: file + RawEntry.link("l", to: "../x"), code: .unsafeLink
            ),
            Attack(
                testDescription: "link out by way of a link",
                archive: RawEntry.folder("d") + RawEntry.link("d/up", to: "..") + RawEntry.link("l", to: "d/up/../.."),
                code: .unsafeLink),
            Attack(
                testDescription: "file through a link",
                archive: RawEntry.folder("d") + RawEntry.link("l", to: "d") + RawEntry.file("l/f", [1]),
                code: .notAFolder),
            Attack(
                testDescription: "link out behind a mark that joins its slash",
                archive: file + RawEntry.link("l", to: "a\u{600}/../../x"), code: .unsafeLink),
            Attack(
                testDescription: "file through a link whose slash is joined",
                archive: RawEntry.folder("d") + RawEntry.link("l\u{600}", to: "d") + RawEntry.file("l\u{600}/f", [1]),
                code: .notAFolder),
            Attack(
                testDescription: "file over a link",
                archive: RawEntry.link("l", to: "target") + RawEntry.file("l", [1]), code: .duplicatePath),
            Attack(
                testDescription: "folder over a link",
                archive: RawEntry.folder("d") + RawEntry.link("l", to: "d") + RawEntry.folder("l")
                    + RawEntry.file("l/f", [1]), code: .duplicatePath),
            Attack(
                testDescription: "link over a folder",
                archive: RawEntry.folder("d") + RawEntry.folder("e") + RawEntry.link("d", to: "e"), code: .duplicatePath
            ),
            Attack(testDescription: "same file twice", archive: file + file, code: .duplicatePath),
            Attack(
                testDescription: "same folder twice", archive: RawEntry.folder("d") + RawEntry.folder("d"),
                code: .duplicatePath),
            Attack(
                testDescription: "same link twice",
                archive: RawEntry.link("l", to: "a") + RawEntry.link("l", to: "b"), code: .duplicatePath),
            Attack(testDescription: "folder over a file", archive: file + RawEntry.folder("f"), code: .duplicatePath),
            Attack(testDescription: "file as a folder", archive: file + RawEntry.file("f/g", [1]), code: .notAFolder),
            Attack(
                testDescription: "name too long",
                archive: file + RawEntry.file("d/" + String(repeating: "n", count: 256), [1]),
                code: .unsafePath),
            Attack(
                testDescription: "cut in a file", archive: file + RawEntry.file("g", [1, 2]).dropLast(),
                code: .truncated),
        ]
    }

    @Test(arguments: attacks) func nothingIsLeftBehind(_ attack: Attack) throws {
        for archive in [attack.archive, wrapper("e", [(attack.archive.count, attack.archive)])] {
            try Scratch.with { scratch in
                var error = try #require(throws: ArchiveError.self) { try scratch.extract(archive) }
                #expect(error.code == attack.code, "\(error)")
                #expect(try FileDescriptor.currentDirectory.entries(at: scratch.path).count == 1)

                // Likewise in a folder that was there.
                try scratch.makeDirectory("out")
                error = try #require(throws: ArchiveError.self) { try scratch.extract(archive) }
                #expect(try FileDescriptor.currentDirectory.entries(at: scratch("out")).isEmpty)
            }
        }
    }

    @Test func linksAreNotFollowedEvenWhereTheyMayLead() throws {
        try Scratch.with { scratch in
            let outside = try scratch.makeDirectory("outside")
            var options = ExtractionOptions()
            options.links = .any
            let archive = RawEntry.link("l", to: outside.string) + RawEntry.file("l/evil", [1])
            let error = try #require(throws: ArchiveError.self) { try scratch.extract(archive, options: options) }
            #expect(error.code == .notAFolder)
            #expect(try scratch.tree("outside").isEmpty)
        }
    }

    @Test func linksOfOthersAreNotFollowedEither() throws {
        try Scratch.with { scratch in
            let outside = try scratch.makeDirectory("outside")
            let target = try scratch.makeDirectory("target")
            try FileDescriptor.currentDirectory.makeSymbolicLink(to: outside.string, at: target.appending("l"))
            let folder = OwnedDescriptor(try FileDescriptor.currentDirectory.openDirectory(at: target))
            for archive in [RawEntry.file("l/f", [1]), RawEntry.file("l", [1]), RawEntry.folder("l")] {
                let decoder = try ArchiveDecoder(sink: DirectoryExtractor(directory: folder.borrowed))
                #expect(throws: ArchiveError.self) { try feed(archive[...], to: decoder) }
            }
            #expect(try scratch.tree("outside").isEmpty)
        }
    }

    @Test func aFolderWithContentIsLeftAlone() throws {
        try Scratch.with { scratch in
            try scratch.write("mine", to: "out/mine")
            let error = try #require(throws: ArchiveError.self) { try scratch.extract(RawEntry.file("mine", [1])) }
            #expect(error.code == .duplicatePath)
            #expect(try File.read(scratch("out/mine")) == Array("mine".utf8))
        }
    }
}
