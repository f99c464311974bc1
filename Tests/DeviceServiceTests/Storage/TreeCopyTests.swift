// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System
import TestSupport
import Testing

@testable import DeviceService

/// Copies of folders, and what they share with the copy before.
@Suite(.timeLimit(.minutes(5))) struct TreeCopyTests {
    private static let here = FileDescriptor.currentDirectory
    /// Longer than what is compared at once.
    private static let long = (0..<700_001).map { UInt8(truncatingIfNeeded: $0 / 7) }

    private func tree(_ scratch: Scratch, _ name: String, _ files: [String: [UInt8]]) throws -> FilePath {
        for (path, bytes) in files { try scratch.write(bytes, to: "\(name)/\(path)") }
        return scratch(name)
    }

    private func copy(_ source: FilePath, to target: FilePath, sharing previous: FilePath? = nil) throws -> Int64 {
        var told: Int64 = 0
        try TreeCopy.copy(from: source, to: target, sharing: previous) { told = $0 }
        return told
    }

    private func names(_ path: FilePath) throws -> Int { try Self.here.status(at: path).linkCount }

    @Test func whatIsTheSameGetsASecondName() throws {
        try Scratch.with { scratch in
            var last = Self.long
            last[last.count - 1] ^= 1
            var files = [
                "program": Self.long, "in/here/picture": [1, 2, 3], "changed": Self.long, "longer": [1], "mode": [7],
                "empty": [],
            ]
            let first = scratch("first")
            #expect(try copy(tree(scratch, "one", files), to: first) == 1_400_007)
            files["changed"] = last
            files["longer"] = [1, 2]
            files["in/new"] = [9]
            let source = try tree(scratch, "two", files)
            try Self.here.setPermissions(FilePermissions(rawValue: 0o755), at: source.appending("mode"))
            let second = scratch("second")
            // What is shared counts, too: progress ends at the size of the source.
            #expect(try copy(source, to: second, sharing: first) == 1_400_009)
            for (path, bytes) in files {
                let file = second.pushing(FilePath(path))
                #expect(try File.read(file) == bytes, "\(path)")
                #expect(
                    try names(file) == (["program", "in/here/picture", "empty"].contains(path) ? 2 : 1), "\(path)")
                #expect(
                    try Self.here.status(at: file).permissions
                        == Self.here.status(at: source.pushing(FilePath(path))).permissions, "\(path)")
            }
            // The developer's own files are nobody's second name.
            #expect(try names(source.appending("program")) == 1)
        }
    }

    /// Links in the copy before lead nowhere that would be read.
    @Test func linksOfTheCopyBeforeAreNotFollowed() throws {
        try Scratch.with { scratch in
            let source = try tree(scratch, "one", ["file": [1, 2], "folder/file": [3]])
            let old = scratch("old")
            try Self.here.makeDirectories(at: old)
            let opened = try OwnedDescriptor(old, .readOnly, options: .directory)
            try opened.borrowed.makeSymbolicLink(to: source.appending("file").string, at: "file")
            try opened.borrowed.makeSymbolicLink(to: source.appending("folder").string, at: "folder")
            let copied = scratch("new")
            #expect(try copy(source, to: copied, sharing: old) == 3)
            #expect(try File.read(copied.pushing("folder/file")) == [3])
            #expect(try names(copied.appending("file")) == 1 && names(source.pushing("folder/file")) == 1)
        }
    }

    @Test func nothingToShareIsNoFailure() throws {
        try Scratch.with { scratch in
            let source = try tree(scratch, "one", ["file": [1, 2]])
            #expect(try copy(source, to: scratch("new"), sharing: scratch("none")) == 2)
        }
    }
}
