// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Kit
import TestSupport
import Testing

/// Archives that were cut, altered, or lie.
@Suite struct DamageTests {
    private static func small(_ compression: Compression) throws -> [UInt8] {
        var generator = SeededGenerator(seed: 7)
        return try SampleArchive(&generator, count: 6, largest: 900).archive(compression)
    }

    @Test(arguments: Compression.allCases) func cutAnywhereIsAnError(_ compression: Compression) throws {
        let archive = try Self.small(compression)
        let whole = try decode(archive).calls
        for length in 0..<archive.count {
            do {
                let calls = try decode(Array(archive[..<length])).calls
                // A cut between two blocks or entries is only told from the end by what the sink got; nothing says
                // how many there should be.
                #expect(calls.last == .end || calls.isEmpty)
                #expect(whole.starts(with: calls))
                #expect(calls.count < whole.count)
                #expect(try boundaries(archive, compression).contains(length))
            } catch let error as ArchiveError {
                let expected: [ArchiveError.Code] = length < 6 ? [.truncated, .notAnArchive] : [.truncated]
                #expect(expected.contains(error.code), "\(length): \(error)")
            }
        }
    }

    /// Where the archive could end by its structure alone.
    private func boundaries(_ archive: [UInt8], _ compression: Compression) throws -> Set<Int> {
        let recording = Recording()
        let decoder = try ArchiveDecoder(sink: recording)
        var result: Set<Int> = compression == .none ? [] : [12]
        guard compression != .none else {
            for length in 1..<archive.count where archive[length...].starts(with: Array("AA01".utf8)) {
                result.insert(length)
            }
            return result
        }
        decoder.onCheckpoint = { if $0.currentEntry == nil { result.insert(Int($0.archiveOffset)) } }
        try feed(archive[...], to: decoder)
        try decoder.finish()
        return result
    }

    @Test(arguments: Compression.allCases) func alteredBytesNeverTrap(_ compression: Compression) throws {
        var generator = SeededGenerator.forTest()
        let archive = try Self.small(compression)
        var limits = ArchiveLimits()
        limits.maximumTotalSize = 1 << 20
        for _ in 0..<400 {
            var altered = archive
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let position = Int.random(in: 0..<altered.count, using: &generator)
                switch Int.random(in: 0...3, using: &generator) {
                case 0: altered[position] = UInt8.random(in: 0...255, using: &generator)
                case 1: altered[position] ^= 1 << UInt8.random(in: 0...7, using: &generator)
                case 2: altered.remove(at: position)
                default: altered.insert(UInt8.random(in: 0...255, using: &generator), at: position)
                }
            }
            do {
                try decode(altered, piece: Int.random(in: 1...2000, using: &generator), limits: limits)
            } catch is ArchiveError {}
        }
    }

    struct Lie: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var bytes: [UInt8]
        var code: ArchiveError.Code
    }

    static var lies: [Lie] {
        let entry = RawEntry.file("f", Array(repeating: 7, count: 100))
        var huge = RawEntry("F", "huge")
        huge.raw("DAT", "C", little(10_000_000_000, 8))
        var skipped = RawEntry("F", "skipped")
        skipped.raw("XAT", "C", little(1 << 60, 8))
        var both = RawEntry("F", "both")
        both.raw("DAT", "C", little(.max, 8))
        let cut = Array(repeating: UInt8(1), count: 1000)
        return [
            Lie(testDescription: "10 GB claimed in 1 KB, bare", bytes: huge.bytes + cut, code: .truncated),
            Lie(
                testDescription: "10 GB claimed in 1 KB, stored block",
                bytes: wrapper("e", blockSize: 1 << 60, []) + big(10_000_000_000) + big(10_000_000_000) + cut,
                code: .corrupt),
            Lie(
                testDescription: "10 GB claimed in 1 KB, zlib block",
                bytes: wrapper("z", blockSize: 1 << 60, []) + big(10_000_000_000) + big(1000) + [0x78, 0x9c]
                    + cut.dropLast(2),
                code: .corrupt),
            Lie(
                testDescription: "10 GB claimed in 1 KB, LZFSE block",
                bytes: wrapper("e", blockSize: 1 << 60, []) + big(10_000_000_000) + big(1000)
                    + Array("bvxn".utf8) + little(0xffff_ffff, 4) + little(900, 4) + cut.dropLast(12),
                code: .corrupt),
            Lie(
                testDescription: "10 GB claimed in 1 KB, LZ4 block",
                bytes: wrapper("4", blockSize: 1 << 60, []) + big(10_000_000_000) + big(1000)
                    + Array("bv41".utf8) + little(0xffff_ffff, 4) + little(900, 4) + cut.dropLast(12),
                code: .corrupt),
            Lie(
                testDescription: "block over the block size",
                bytes: wrapper("e", blockSize: 50, [(entry.count, entry)]), code: .corrupt),
            Lie(testDescription: "stored over its size", bytes: wrapper("e", [(10, entry)]), code: .corrupt),
            Lie(testDescription: "blocks of no size", bytes: wrapper("e", blockSize: 0, []), code: .corrupt),
            Lie(testDescription: "attributes without end", bytes: skipped.bytes + cut, code: .limitExceeded),
            Lie(testDescription: "the largest number there is", bytes: both.bytes + cut, code: .truncated),
            Lie(
                testDescription: "pbz- with a compressed block", bytes: wrapper("-", [(entry.count + 1, entry)]),
                code: .corrupt),
        ]
    }

    @Test(arguments: lies) func liesAreFoundOut(_ lie: Lie) throws {
        let error = try #require(throws: ArchiveError.self) { try decode(lie.bytes) }
        #expect(error.code == lie.code, "\(error)")
    }

    @Test(arguments: [Compression.lzfse, .zlib, .lz4, .lzma])
    func aBlockMustGiveExactlyWhatItSays(_ compression: Compression) throws {
        let content = RawEntry.file("f", Array(repeating: 7, count: 3000)) + RawEntry.folder("g")
        var archive: [UInt8] = []
        let writer = try ArchiveWriter(output: { archive += $0 }, compression: compression, blockSize: 1 << 20)
        try writer.append(EntryHeader(type: .regularFile, path: "f"), bytes: Array(repeating: 7, count: 3000))
        try writer.append(EntryHeader(type: .directory, path: "g"))
        try writer.finish()
        #expect(try decode(archive).entries.count == 2)
        for difference in [-1, 1, 400] {
            var lying = archive
            lying.replaceSubrange(12..<20, with: big(UInt64(content.count + difference)))
            let error = try #require(throws: ArchiveError.self) { try decode(lying) }
            #expect(error.code == .corrupt)
        }
    }

    @Test func limitsHold() throws {
        var limits = ArchiveLimits()
        limits.maximumTotalSize = 150
        let file = Array(repeating: UInt8(1), count: 100)
        #expect(try decode(RawEntry.file("a", file), limits: limits).entries.count == 1)
        var error = try #require(throws: ArchiveError.self) {
            try decode(RawEntry.file("a", file) + RawEntry.file("b", file), limits: limits)
        }
        #expect(error.code == .limitExceeded)

        limits = ArchiveLimits()
        limits.maximumEntries = 1
        error = try #require(throws: ArchiveError.self) {
            try decode(RawEntry.folder("a") + RawEntry.folder("b"), limits: limits)
        }
        #expect(error.code == .limitExceeded)

        // Paths and targets of links, together.
        limits = ArchiveLimits()
        limits.maximumNameSize = 10
        #expect(
            try decode(RawEntry.folder("abcde") + RawEntry.link("l", to: "abcd"), limits: limits).entries.count == 2)
        error = try #require(throws: ArchiveError.self) {
            try decode(RawEntry.folder("abcde") + RawEntry.link("l", to: "abcde"), limits: limits)
        }
        #expect(error.code == .limitExceeded && error.message.contains("'l'"), "\(error.message)")

        error = try #require(throws: ArchiveError.self) {
            try decode(RawEntry.folder(Array(repeating: "d", count: 300).joined(separator: "/")))
        }
        #expect(error.code == .limitExceeded)
    }

    @Test func deepNestingIsRefused() throws {
        let path = Array(repeating: "a", count: 30_000).joined(separator: "/")
        var error = try #require(throws: ArchiveError.self) { try decode(RawEntry.folder(path)) }
        #expect(error.code == .unsafePath)
        // 65,536 levels, each folder an entry of its own.
        var archive: [UInt8] = []
        for level in 1...65_536 where archive.count < 4 << 20 {
            archive += RawEntry.folder(Array(repeating: "a", count: level).joined(separator: "/"))
        }
        error = try #require(throws: ArchiveError.self) { try decode(archive) }
        #expect(error.code == .limitExceeded)
    }

    @Test func anErrorIsRepeated() throws {
        let decoder = try ArchiveDecoder(sink: Recording())
        #expect(throws: ArchiveError.self) { try feed(Array("AEA1xxxx".utf8)[...], to: decoder) }
        #expect(throws: ArchiveError.self) { try feed(RawEntry.folder("d")[...], to: decoder) }
        #expect(throws: ArchiveError.self) { try decoder.finish() }
    }
}
