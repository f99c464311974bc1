// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import Glibc
import Kit
import PackNamespace
import System
import TestSupport
import Testing

@testable import DeviceService

/// Digests of files that come in pieces, and of long ones while the next file comes.
@Suite(.timeLimit(.minutes(5))) struct StagingDigestTests {
    private func withSink(_ body: (StagingSink, inout SeededGenerator) throws -> Void) throws {
        var random = SeededGenerator.forTest()
        try Scratch.with { scratch in
            let staged = StagedPack(layout: AppRootLayout(root: scratch.path.appending("app")), id: "levels")
            try FileDescriptor.currentDirectory.makeDirectories(at: staged.contents)
            let sink = try StagingSink(
                staged, resuming: nil, previous: nil, blockSize: FileSystemSpace(at: scratch.path).blockSize)
            try body(sink, &random)
        }
    }

    /// Begins a file and gives it all its bytes, in pieces of any size.
    private func write(
        _ bytes: [UInt8], to path: String, of sink: StagingSink, _ random: inout SeededGenerator
    ) throws {
        try sink.begin(file: path, size: UInt64(bytes.count))
        var done = 0
        while done < bytes.count {
            let count = min(Int.random(in: 1...(1 << 21), using: &random), bytes.count - done)
            try bytes[done..<done + count].withUnsafeBytes { try sink.data($0) }
            done += count
        }
    }

    @Test(arguments: [0, 1, 1 << 19, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, (5 << 20) + 4711])
    func digestsAreThoseOfTheBytes(_ size: Int) throws {
        try withSink { sink, random in
            let bytes = random.bytes(size)
            try write(bytes, to: "file", of: sink, &random)
            #expect(try sink.end() == SHA256.hash(bytes))
            try write(bytes, to: "again", of: sink, &random)
            #expect(try sink.end(expecting: SHA256.hash(bytes)))
            #expect(sink.journal.pending.isEmpty == false)
        }
    }

    /// It is told of a file that was closed while another comes, and what is wrong is gone.
    @Test(arguments: [false, true]) func whatIsClosedIsToldOfLater(_ isRight: Bool) throws {
        try withSink { sink, random in
            let (first, second) = (random.bytes((3 << 20) + 5), random.bytes(2 << 20))
            try write(first, to: "first", of: sink, &random)
            sink.close()
            #expect(sink.state.current == nil && sink.state.fileCount == 0)
            try write(second, to: "second", of: sink, &random)
            // Nobody has to ask for the end: it comes.
            while sink.isEndAwaited { sched_yield() }
            #expect(try sink.end(expecting: SHA256.hash(isRight ? first : second)) == isRight)
            #expect(sink.state.fileCount == (isRight ? 1 : 0) && sink.state.current?.path == "second")
            #expect(try sink.end(expecting: SHA256.hash(second)))
            let names = try sink.contents.borrowed.entries().map(\.name).sorted()
            #expect(names == (isRight ? ["first", "second"] : ["second"]))
        }
    }

    /// Where a file can have no more names, a second one is a copy, also while another file is being written.
    @Test func aCopyIsMadeBesideTheFileThatIsBegun() throws {
        try withSink { sink, random in
            let (first, second) = (random.bytes((1 << 20) + 5), random.bytes(2 << 20))
            try write(first, to: "first", of: sink, &random)
            sink.close()
            try sink.begin(file: "second", size: UInt64(second.count))
            try second[..<700_001].withUnsafeBytes { try sink.data($0) }
            #expect(try sink.end(expecting: SHA256.hash(first)))
            let folder = sink.contents.borrowed
            var isFull = false
            for number in 0..<70_000 where !isFull {
                do {
                    try folder.link(from: "first", to: FilePath("\(number)"), in: folder)
                } catch Errno.tooManyLinks {
                    isFull = true
                }
            }
            // A file system that sets no bound has no need of it.
            let name = try sink.link("again", within: "first", digest: SHA256.hash(first))
            #expect(name == (isFull ? "again" : "first"))
            #expect(sink.state.current?.path == "second")
            try second[700_001...].withUnsafeBytes { try sink.data($0) }
            #expect(try sink.end(expecting: SHA256.hash(second)))
            let bytes = try File.read(
                FilePath("/proc/self/fd/\(folder.rawValue)/again"), limit: first.count)
            #expect(bytes == first)
        }
    }

    /// What is begun in the place of another leaves nothing of that.
    @Test func aFileThatIsBegunDropsTheOneBefore() throws {
        try withSink { sink, random in
            let bytes = random.bytes(300_000)
            try sink.begin(file: "first", size: 600_000)
            try random.bytes(100_000).withUnsafeBytes { try sink.data($0) }
            try write(bytes, to: "second", of: sink, &random)
            #expect(try sink.end(expecting: SHA256.hash(bytes)))
            #expect(try sink.contents.borrowed.entries().map(\.name) == ["second"])
        }
    }

    /// What is given up leaves nothing that the next file's digest has in it.
    @Test func whatIsAbandonedIsForgotten() throws {
        try withSink { sink, random in
            let bytes = random.bytes((2 << 20) + 99)
            try write(random.bytes(3 << 20), to: "first", of: sink, &random)
            try sink.abandon()
            try write(bytes, to: "second", of: sink, &random)
            #expect(try sink.end() == SHA256.hash(bytes))
            #expect(try sink.contents.borrowed.entries().map(\.name) == ["second"])
        }
    }
}
