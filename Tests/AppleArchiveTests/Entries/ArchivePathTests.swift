// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Kit
import Testing

/// The path rules (AA 1.6).
@Suite struct ArchivePathTests {
    /// 1,023 bytes in components of 255.
    static let longest = Array(repeating: String(repeating: "x", count: 255), count: 4).joined(separator: "/")

    @Test(arguments: ["", "a", "a/b.c", "a/..b/c..", "...", "a b/ü", longest])
    func takesGoodPaths(_ path: String) throws {
        #expect(try ArchivePath.validate(path.utf8) == path)
    }

    @Test func dropsALeadingDot() throws {
        #expect(try ArchivePath.validate(".".utf8) == "")
        #expect(try ArchivePath.validate("./a/b".utf8) == "a/b")
    }

    @Test(arguments: [
        "/", "/etc", "..", "../a", "a/..", "a/../b", "./..", "a//b", "a/", "./", "a/./b", "a/.", "././a", "a\0b", "\0",
        longest + "/", "x" + longest, String(repeating: "ü", count: 128),
        Array(repeating: "x", count: 513).joined(separator: "/"),
    ])
    func refusesBadPaths(_ path: String) throws {
        let error = try #require(throws: ArchiveError.self) { try ArchivePath.validate(path.utf8) }
        #expect(error.code == .unsafePath)
    }

    @Test func refusesWhatIsNotUTF8() throws {
        let error = try #require(throws: ArchiveError.self) { try ArchivePath.validate([0x61, 0xff]) }
        #expect(error.code == .unsafePath)
    }

    struct Link: Sendable, CustomTestStringConvertible {
        var path: String
        var target: String
        var inside: Bool
        var testDescription: String { "\(path) -> \(target)" }
    }

    @Test(arguments: [
        Link(path: "l", target: "a", inside: true), Link(path: "l", target: "./a/b", inside: true),
        Link(path: "d/l", target: "../a", inside: true), Link(path: "d/l", target: "..", inside: true),
        Link(path: "d/e/l", target: "../../a", inside: true), Link(path: "l", target: "..", inside: false),
        Link(path: "l", target: "/etc", inside: false), Link(path: "l", target: "../a", inside: false),
        Link(path: "d/l", target: "../../a", inside: false),
        // Stays inside by its text, but not when `a` is a link itself.
        Link(path: "d/l", target: "a/../..", inside: false),
    ])
    func knowsLinksThatEscape(_ link: Link) {
        #expect(ArchivePath.staysInside(target: link.target, of: link.path) == link.inside)
    }

    @Test func refusesUnsafePathsInArchives() throws {
        for path in ["../x", "/x", "a//x", "a/./x", "x\0y", String(repeating: "y", count: 2000)] {
            let error = try #require(throws: ArchiveError.self) { try decode(RawEntry.file(path, [1])) }
            #expect(error.code == .unsafePath)
            // One line, whatever the path holds.
            #expect(!error.message.contains("\0") && error.message.utf8.count < 400)
        }
    }
}
