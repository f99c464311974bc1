// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import Kit
import TestSupport
import Testing

@testable import PackUpdates

/// A device fetches of an index what the files that it has do not tell.
@Suite struct IndexFrontTests {
    private static func files(_ count: Int, _ generator: inout SeededGenerator) -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for number in 0..<count {
            files["d\(number % 7)/file-\(number)"] = generator.bytes(Int.random(in: 0...200, using: &generator))
        }
        return files
    }

    /// Bytes of the ranges, and the index of what is known and these.
    private func update(_ new: ModelPack, from old: ModelPack) throws -> (size: Int64, file: Int, index: PackIndex) {
        let file = try new.index.encoded()
        let front = try IndexFront(decoding: file[..<(try #require(IndexFront.size(head: file[...])))])
        #expect(front.fileSize == Int64(file.count))
        let known = IndexForeknowledge(old.index)
        let ranges = front.ranges(besides: known)
        let bodies = try front.parts.map { part in
            if let body = known.body(of: part) { return body }
            #expect(ranges.contains { $0.contains(part.range.lowerBound) && part.range.upperBound <= $0.upperBound })
            return try front.body(
                of: part, stored: file[Int(part.range.lowerBound)..<Int(part.range.upperBound)])
        }
        let size = ranges.reduce(0) { $0 + $1.upperBound - $1.lowerBound }
        return (size, file.count, try front.index(of: bodies))
    }

    @Test func whatIsHereIsNotFetched() throws {
        var generator = SeededGenerator.forTest()
        let files = Self.files(2000, &generator)
        let old = try ModelPack(files, chunkAverage: 1024)
        let same = try update(old, from: old)
        #expect(same.index.entries == old.index.entries)
        // The manifest of the pack is no file, so that its part is fetched.
        #expect(same.size < 128)
        var changed = files
        changed["d3/file-3"] = generator.bytes(50)
        changed["d3/new"] = generator.bytes(50)
        changed["d6/file-13"] = nil
        let few = try update(ModelPack(changed, chunkAverage: 1024), from: old)
        #expect(few.size < Int64(few.file / 4), "\(few.size) of \(few.file)")
        #expect(few.size > same.size)
        let other = try update(
            ModelPack(Self.files(300, &generator), chunkAverage: 1024), from: old)
        #expect(other.size > Int64(other.file / 2))
    }

    /// A range less is worth some bytes, and a request less more.
    /// A server without ranges answers with all of it, whatever was asked.
    @Test func anIndexThatIsTooLargeIsNotAskedForItsFront() {
        #expect(IndexFront.pays(front: 1000, size: Int64(PackIndex.maximumSize)))
        #expect(!IndexFront.pays(front: 1000, size: Int64(PackIndex.maximumSize) + 1))
    }

    /// No index lists so many files.
    @Test func ofTooManyFilesNothingIsKnown() {
        let file = PackListBase.File(path: "a", size: 1, digest: SHA256.hash([1]))
        #expect(!IndexForeknowledge(files: [file]).isEmpty)
        #expect(IndexForeknowledge(files: [PackListBase.File](repeating: file, count: 500_000)).isEmpty)
    }

    @Test func rangesAreJoinedWhereThatCostsLess() {
        let scattered = (0..<40).map { Int64($0 * 10_000)..<Int64($0 * 10_000 + 100) }
        let all: Range<Int64> = 0..<400_000
        #expect(IndexFront.cheapest(scattered, of: all, .several(16)) == scattered)
        #expect(IndexFront.cheapest(scattered, of: all, .several(4)) == [all])
        #expect(IndexFront.cheapest(scattered, of: all, .single) == [0..<390_100])
        let few = [scattered[0], scattered[30]]
        #expect(IndexFront.cheapest(few, of: all, .single) == few)
        #expect(IndexFront.cheapest([], of: all, .expected).isEmpty)
        #expect(IndexFront.cheapest([0..<9, 200..<300], of: all, .expected) == [0..<300])
    }

    /// Chunks come by themselves, those of some contents or of all.
    @Test func chunksAreAdded() throws {
        var generator = SeededGenerator.forTest()
        let files = ["a": generator.bytes(50_000), "b": generator.bytes(9000), "c": generator.bytes(100)]
        let pack = try ModelPack(files, chunkAverage: 1024)
        let file = try pack.index.encoded()
        let front = try IndexFront(decoding: file[...])
        let bodies = try front.parts.map {
            try front.body(of: $0, stored: file[Int($0.range.lowerBound)..<Int($0.range.upperBound)])
        }
        var index = try front.index(of: bodies)
        let pending = try #require(index.pendingChunks)
        #expect(index.chunks.isEmpty)
        #expect(throws: PackUpdateError.self) { try index.encoded() }
        for content in index.contents.indices.reversed() {
            let range = pending.range(of: content)
            let rows = file[Int(range.lowerBound)..<Int(range.upperBound)]
            if !rows.isEmpty {
                #expect(throws: PackUpdateError.self) { try index.adding(chunkRows: [content: rows.dropLast()]) }
                var wrong = Array(rows)
                wrong[0] ^= 1
                #expect(throws: PackUpdateError.self) { try index.adding(chunkRows: [content: wrong[...]]) }
            }
            index = try index.adding(chunkRows: [content: rows])
        }
        #expect(index == pack.index)
        #expect(index.pendingChunks == nil)
    }

    /// What changed in place needs its own chunks; what comes under a new path may be made of anything.
    @Test func theChunksOfWhatIsPutTogetherAreWanted() throws {
        var generator = SeededGenerator.forTest()
        let files = ["a": generator.bytes(50_000), "b": generator.bytes(20_000)]
        let pack = try ModelPack(files, chunkAverage: 1024)
        let file = try pack.index.encoded()
        let pending = try IndexFront(decoding: file[...]).pendingChunks
        // The manifest's content is the first.
        let inPlace = pending.wanted(for: [2], of: pack.index, among: ["a", "b"])
        #expect(inPlace.contents == [2] && inPlace.ranges == [pending.range(of: 2)])
        let new = pending.wanted(for: [1], of: pack.index, among: ["b"])
        #expect(new.contents == [1, 2] && new.ranges == [pending.range])
        #expect(pending.wanted(for: [0], of: pack.index, among: ["a", "b"]).contents.isEmpty)
    }

    /// Parts that are not those of the front, from whoever, are refused.
    @Test func otherPartsAreRefused() throws {
        var generator = SeededGenerator.forTest()
        let pack = try ModelPack(Self.files(50, &generator), chunkAverage: 1024)
        let file = try pack.index.encoded(compressed: false)
        let front = try IndexFront(decoding: file[...])
        var bodies = front.parts.map { Array(file[Int($0.range.lowerBound)..<Int($0.range.upperBound)]) }
        #expect(throws: PackUpdateError.self) { try front.index(of: bodies.dropLast()) }
        bodies[1][20] ^= 1
        let error = #expect(throws: PackUpdateError.self) { try front.index(of: bodies) }
        #expect(error?.message.contains("not those of its front") == true)
        let whole = try #require(IndexFront.sealed(file))
        #expect(whole == file)
    }
}
