// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Glibc
import System
import Testing

@Suite("FilePath")
struct FilePathTests {
    @Test(
        "Repeated and trailing slashes go",
        arguments: [
            ("", ""), ("/", "/"), ("//", "/"), ("a//b/", "a/b"), ("/a/", "/a"), ("///a///b///", "/a/b"), ("a", "a"),
        ])
    func normalization(_ text: String, _ expected: String) {
        #expect(FilePath(text).string == expected)
    }

    @Test(
        "Lexical normalization folds dots as far as text can",
        arguments: [
            ("/a/./b/../c", "/a/c"), ("/..", "/"), ("../a", "../a"), ("a/../..", ".."), ("a/..", ""), (".", ""),
            ("/a/../../b", "/b"),
        ])
    func lexical(_ text: String, _ expected: String) {
        #expect(FilePath(text).lexicallyNormalized().string == expected)
        #expect(FilePath(expected).isLexicallyNormal)
    }

    @Test("A path below another never leaves it")
    func resolving() {
        let root: FilePath = "/app"
        #expect(root.lexicallyResolving("a/../b") == "/app/b")
        #expect(root.lexicallyResolving("/etc/passwd") == "/app/etc/passwd")
        #expect(root.lexicallyResolving("../x") == nil)
        #expect(root.lexicallyResolving("a/../../x") == nil)
    }

    @Test("A slash ends a name whatever follows it, and names are equal when their bytes are")
    func bytes() {
        #expect(FilePath("a/\u{301}../b").components.map(\.string) == ["a", "\u{301}..", "b"])
        #expect(FilePath("a\u{600}/../../b").lexicallyNormalized().string == "../b")
        #expect(FilePath("/a").lexicallyResolving("x\u{600}/../../b") == nil)
        #expect(FilePath("a").appending("/\u{301}b").string == "a/\u{301}b")
        #expect(FilePath("/\u{301}a").lastComponent?.string == "\u{301}a")
        #expect(FilePath("a.\u{301}b").extension == "\u{301}b")
        let joined = "a/\u{301}b"
        #expect(FilePath.Component(joined) == nil)
        #expect(FilePath("\u{E9}") != FilePath("e\u{301}"))
        #expect(FilePath.Component("\u{E9}") != FilePath.Component("e\u{301}"))
        #expect(!FilePath("\u{E9}/a").starts(with: "e\u{301}"))
        #expect("Contents/\u{301}..".removing(pathPrefix: "Contents/") == "\u{301}..")
        #expect("Contents".removing(pathPrefix: "Contents/") == nil)
        #expect("a/b".isSamePath(as: "xa/b".dropFirst()) && !"".isSamePath(as: "a") && "".isSamePath(as: ""))
    }

    @Test("Plain paths lead below where they start")
    func plainPaths() {
        for path in ["a", "a/b", "...", "a/.b", "..a/b.", "\u{301}../a", "a\u{600}/b", ".a/..b/..."] {
            #expect(path.isPlainPath, "\(path)")
        }
        for path in [
            "", "/", "/a", "a/", "a//b", ".", "..", "./a", "a/.", "a/..", "a/../b", "a\u{600}/../b", "a\0",
            "\u{301}/..",
        ] {
            #expect(!path.isPlainPath, "\(path)")
        }
    }

    @Test("Appending keeps the root, pushing takes the other's")
    func appending() {
        #expect(FilePath("/").appending("a") == "/a")
        #expect(FilePath("a").appending("/b") == "a/b")
        #expect(FilePath("").appending("b") == "b")
        #expect(FilePath("a").appending("") == "a")
        #expect(FilePath("/a").pushing("/b") == "/b")
        #expect(FilePath("/a").pushing("b") == "/a/b")
        #expect(FilePath("/a").appending(["b", "c"] as [FilePath.Component]) == "/a/b/c")
    }

    @Test("Components, stems and extensions")
    func components() throws {
        let path: FilePath = "/a/b.tar.gz"
        #expect(path.components.map(\.string) == ["a", "b.tar.gz"])
        #expect(path.lastComponent?.stem == "b.tar")
        #expect(path.extension == "gz")
        #expect(path.root == "/")
        #expect(path.removingRoot() == "a/b.tar.gz")
        #expect(FilePath("a").root == nil)
        #expect(FilePath("/.profile").extension == nil)
        #expect(FilePath("/..").extension == nil)
        for text in ["a/b", "", "a\0b"] { #expect(FilePath.Component(text) == nil) }
        var other = path
        other.extension = "xz"
        #expect(other == "/a/b.tar.xz")
        other.extension = nil
        #expect(other == "/a/b.tar")
        #expect(FilePath(root: "/", components: "x", "y") == "/x/y")
        #expect(FilePath(root: path.root, path.components) == path)
    }

    @Test("Beginnings and ends are compared by components")
    func prefixes() {
        #expect(FilePath("/a/bc").starts(with: "/a"))
        #expect(!FilePath("/a/bc").starts(with: "/a/b"))
        #expect(!FilePath("a").starts(with: "/a"))
        #expect(FilePath("/a/bc").ends(with: "bc"))
        #expect(!FilePath("/a/bc").ends(with: "c"))
        var path: FilePath = "/a/b/c"
        let steps = [path.removePrefix("/a"), path.removePrefix("/b"), path.removeLastComponent()]
        #expect(steps == [true, false, true])
        #expect(path == "b")
        let last = [path.removeLastComponent(), path.removeLastComponent()]
        #expect(last == [true, false])
        #expect(path.isEmpty)
    }
}

@Suite("FileDescriptor, Errno and FilePermissions")
struct FileDescriptorTests {
    @Test("Errors carry the system's number and text, and match in a catch")
    func errors() {
        do {
            _ = try FileDescriptor.open("/nowhere/at/all", .readOnly)
            Issue.record("opened")
        } catch Errno.noSuchFileOrDirectory {
            #expect(Errno.noSuchFileOrDirectory.description == "No such file or directory")
        } catch {
            Issue.record("\(error)")
        }
        #expect(Errno.notSupported.rawValue == 95)
        #expect(Errno.wouldBlock == .resourceTemporarilyUnavailable)
    }

    @Test("What goes into a pipe comes out, and descriptors are close-on-exec")
    func pipe() throws {
        let (reader, writer) = try FileDescriptor.pipe()
        try #expect(writer.closeAfter { try writer.writeAll("hello".utf8) } == 5)
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = try bytes.withUnsafeMutableBytes { try reader.read(into: $0) }
        #expect(String(decoding: bytes[..<count], as: UTF8.self) == "hello")
        let end = try bytes.withUnsafeMutableBytes { try reader.read(into: $0) }
        #expect(end == 0)
        try reader.close()
        // Not the same number again: another test may have it by now.
        #expect(throws: Errno.badFileDescriptor) { try FileDescriptor(rawValue: -1).close() }
    }

    @Test("Reads and writes at offsets leave the file's own offset")
    func offsets() throws {
        let name = "/tmp/larder-system-test-\(UInt64.random(in: 0...UInt64.max))"
        let file = try FileDescriptor.open(
            FilePath(name), .readWrite, options: [.create, .exclusiveCreate], permissions: .ownerReadWrite)
        defer { try? file.close() }
        try removeFile(name)
        try file.writeAll("0123456789".utf8)
        try file.writeAll(toAbsoluteOffset: 2, "ab".utf8)
        try file.writeAll(toAbsoluteOffset: 6, "XYXY".utf8)
        try #expect(file.seek(offset: 0, from: .current) == 10)
        var tail = [UInt8](repeating: 0, count: 5)
        _ = try tail.withUnsafeMutableBytes { try file.read(fromAbsoluteOffset: 5, into: $0) }
        #expect(tail == Array("5XYXY".utf8))
        var bytes = [UInt8](repeating: 0, count: 4)
        let count = try bytes.withUnsafeMutableBytes { try file.read(fromAbsoluteOffset: 1, into: $0) }
        #expect(count == 4)
        #expect(bytes == Array("1ab4".utf8))
        try file.resize(to: 3)
        try #expect(file.seek(offset: 0, from: .end) == 3)
        let other = try file.duplicate()
        try #expect(other.seek(offset: 0, from: .current) == 3)
        try other.close()
    }

    @Test("closeAfter closes, also when its body throws")
    func closeAfter() throws {
        struct Failure: Error {}
        let (reader, writer) = try FileDescriptor.pipe()
        #expect(throws: Failure.self) { try writer.closeAfter { throw Failure() } }
        // The pipe ends once nobody can write to it.
        var byte: [UInt8] = [0]
        try #expect(byte.withUnsafeMutableBytes { try reader.read(into: $0) } == 0)
        try reader.close()
    }

    @Test(
        "Permissions read as ls shows them",
        arguments: [
            (0o755, "rwxr-xr-x"), (0o640, "rw-r-----"), (0o4711, "rws--x--x"), (0o1777, "rwxrwxrwt"),
            (0o2060, "---rwS---"),
        ])
    func permissions(_ bits: Int, _ text: String) {
        #expect(FilePermissions(rawValue: CInterop.Mode(bits)).description == text)
    }

    private func removeFile(_ name: String) throws {
        // The name goes at once; the open file lives on.
        let directory = try FileDescriptor.open("/tmp", .readOnly, options: .directory)
        try directory.closeAfter { _ = try systemCall { name.withCString { unlinkat(directory.rawValue, $0, 0) } } }
    }
}
