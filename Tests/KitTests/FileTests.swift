// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System
import TestSupport
import Testing

@Suite("Files")
struct FileTests {
    private let here = FileDescriptor.currentDirectory

    @Test("An atomic write replaces the file and leaves nothing else", arguments: [true, false])
    func atomicWrite(durable: Bool) throws {
        try Scratch.with { scratch in
            let path = try scratch.write("old", to: "file")
            try AtomicFile.write("new".utf8, to: path, durable: durable, permissions: .filePrivate)
            #expect(try File.read(path) == Array("new".utf8))
            #expect(try here.status(at: path).permissions == .filePrivate)
            #expect(try scratch.tree() == ["file"])
        }
    }

    @Test("What lasts until the machine restarts replaces what was there, or is there first")
    func writeUntilRestart() throws {
        try Scratch.with { scratch in
            for text in ["one", "two", "three"] {
                try AtomicFile.writeUntilRestart(text.utf8, to: scratch("file"))
                #expect(try File.read(scratch("file")) == Array(text.utf8))
                #expect(try scratch.tree() == ["file"])
            }
            try scratch.makeDirectory("target/inside")
            #expect(throws: Errno.self) { try AtomicFile.writeUntilRestart("x".utf8, to: scratch("target")) }
            #expect(try here.entries(at: scratch("target")).map(\.name) == ["inside"])
        }
    }

    @Test("An atomic write that fails leaves the old file and nothing else")
    func atomicWriteFails() throws {
        try Scratch.with { scratch in
            try scratch.makeDirectory("target/inside")
            #expect(throws: Errno.self) {
                try AtomicFile.write("x".utf8, to: scratch("target"), durable: false)
            }
            #expect(try here.entries(at: scratch.path).map(\.name) == ["target"])
        }
    }

    @Test("A tree is removed whole, without following links, read-only folders too")
    func removeTree() throws {
        try Scratch.with { scratch in
            try scratch.write("keep", to: "outside/file")
            try scratch.write("x", to: "tree/a/b/file")
            try here.makeSymbolicLink(to: scratch("outside").string, at: scratch("tree/link"))
            try here.setPermissions([.ownerRead, .ownerExecute], at: scratch("tree/a/b"))
            try here.setPermissions([], at: scratch("tree/a"))
            try here.removeTree(at: scratch("tree"))
            #expect(try scratch.tree() == ["outside/file"])
            try here.removeTree(at: scratch("tree"))
        }
    }

    @Test("Renames replace, refuse or exchange")
    func renames() throws {
        try Scratch.with { scratch in
            let (a, b) = (try scratch.write("a", to: "a"), try scratch.write("b", to: "b"))
            #expect(throws: Errno.fileExists) { try here.rename(from: a, to: b, mode: .exclusive) }
            try here.rename(from: a, to: b, mode: .exchanging)
            #expect(try File.read(a) == Array("b".utf8))
            try here.rename(from: a, to: b)
            #expect(try File.read(b) == Array("b".utf8))
            #expect(!here.exists(at: a))
        }
    }

    @Test("Links keep their targets, long ones too")
    func links() throws {
        try Scratch.with { scratch in
            let target = String(repeating: "long/", count: 300)
            try here.makeSymbolicLink(to: target, at: scratch("link"))
            #expect(try here.readLink(at: scratch("link")) == target)
            #expect(try here.status(at: scratch("link")).kind == .symbolicLink)
            try scratch.write("x", to: "file")
            try here.link(from: scratch("file"), to: scratch("other"))
            let status = try here.status(at: scratch("file"))
            #expect(status.linkCount == 2)
            #expect(try here.status(at: scratch("other")).isSameFile(as: status))
        }
    }

    @Test("Folders are made with those above them; a file in the way is an error")
    func makeDirectories() throws {
        try Scratch.with { scratch in
            try here.makeDirectories(at: scratch("a/b/c"))
            try here.makeDirectories(at: scratch("a/b/c"))
            try scratch.write("x", to: "file")
            #expect(throws: Errno.notDirectory) { try here.makeDirectories(at: scratch("file")) }
            #expect(throws: Errno.self) { try here.makeDirectories(at: scratch("file/below")) }
        }
    }

    @Test("Where the system makes no folders, asking for one ends with its error")
    func makeDirectoriesInVain() {
        #expect(throws: Errno.noSuchFileOrDirectory) { try here.makeDirectories(at: "/proc/larder-tests/a/b") }
    }

    @Test("A lock keeps another out until it goes")
    func locks() throws {
        try Scratch.with { scratch in
            let path = scratch("lock")
            do {
                let first = try FileLock.acquire(path, .shared)
                #expect(try FileLock.tryAcquire(path, .shared) != nil)
                #expect(try FileLock.tryAcquire(path, .exclusive) == nil)
                first.descriptor.unlock()
                #expect(try FileLock.tryAcquire(path, .exclusive) != nil)
            }
            #expect(try FileLock.tryAcquire(path, .exclusive) != nil)
        }
    }

    @Test("A lock ends with its holder although a child that is just being started has inherited the file")
    func lockEndsWithItsHolder() throws {
        try Scratch.with { scratch in
            let path = scratch("lock")
            let inherited: OwnedDescriptor
            do {
                let lock = try FileLock.acquire(path, .exclusive)
                inherited = OwnedDescriptor(try lock.descriptor.duplicate())
            }
            #expect(try FileLock.tryAcquire(path, .exclusive) != nil)
            withExtendedLifetime(inherited) {}
        }
    }

    @Test("Reading is bounded")
    func readLimit() throws {
        try Scratch.with { scratch in
            let path = try scratch.write(Array(repeating: 7, count: 200_000), to: "file")
            #expect(try File.read(path).count == 200_000)
            #expect(throws: KitError.self) { try File.read(path, limit: 199_999) }
        }
    }

    @Test("A copy has the same bytes and its own inode")
    func copies() throws {
        try Scratch.with { scratch in
            var generator = SeededGenerator.forTest()
            let bytes = generator.bytes(300_000)
            let path = try scratch.write(bytes, to: "file")
            try File.copy(from: path, to: scratch("copy"))
            #expect(try File.read(scratch("copy")) == bytes)
            #expect(throws: Errno.fileExists) { try File.copy(from: path, to: scratch("copy")) }
        }
    }

    @Test("Entries come sorted, and modification times are kept to the nanosecond")
    func entriesAndTimes() throws {
        try Scratch.with { scratch in
            for name in ["b", "a", "Z"] { try scratch.write("x", to: name) }
            try scratch.makeDirectory("d")
            #expect(try here.entries(at: scratch.path).map(\.name) == ["Z", "a", "b", "d"])
            #expect(try here.entries(at: scratch.path).last?.kind == .directory)
            let time = Timestamp(seconds: 1_700_000_000, nanoseconds: 123_456_789)
            try here.setModificationTime(time, at: scratch("a"))
            #expect(try here.status(at: scratch("a")).modificationTime == time)
        }
    }

    @Test("Space is counted in blocks")
    func space() throws {
        let space = FileSystemSpace(available: 1, total: 1, blockSize: 4096)
        #expect(space.allocated(for: 0) == 0)
        #expect(space.allocated(for: 1) == 4096)
        #expect(space.allocated(for: 4096) == 4096)
        #expect(space.allocated(for: Int64.max) == Int64.max)
        let here = try Scratch.with { scratch in try FileSystemSpace(at: scratch.path) }
        #expect(here.available > 0)
    }

    @Test("A temporary folder goes with its owner")
    func temporaryDirectory() throws {
        let path = try { () throws -> FilePath in
            let directory = try TemporaryDirectory()
            #expect(here.exists(at: directory.path))
            #expect(try here.status(at: directory.path).permissions == .directoryPrivate)
            try AtomicFile.write("x".utf8, to: directory.path.appending("file"), durable: false)
            return directory.path
        }()
        #expect(!here.exists(at: path))
    }
}
