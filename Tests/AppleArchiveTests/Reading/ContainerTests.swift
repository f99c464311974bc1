// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Kit
import TestSupport
import Testing

/// The forms an archive comes in (AA 2).
@Suite struct ContainerTests {
    /// An archive whose entries fit one block, and that block's payload alone.
    private func single(
        _ compression: Compression
    ) throws -> (calls: [Recording.Call], payload: [UInt8], stream: [UInt8]) {
        var generator = SeededGenerator.forTest()
        let sample = SampleArchive(&generator, count: 20, largest: 20_000)
        let archive = try sample.archive(compression, blockSize: 1 << 20)
        return (sample.calls, Array(archive[28...]), try sample.archive(.none))
    }

    @Test(arguments: [Compression.lzfse, .zlib, .lz4, .lzma]) func bareCompressedStreams(_ compression: Compression)
        throws
    {
        let (calls, payload, _) = try single(compression)
        for piece in [1, 7, 1000, .max] { #expect(try decode(payload, piece: piece).calls == calls) }
        for length in [6, 7, payload.count / 2, payload.count - 1] {
            let error = try #require(throws: ArchiveError.self) { try decode(Array(payload[..<length])) }
            #expect(error.code == .truncated)
        }
    }

    @Test func bareGzip() throws {
        let (calls, payload, content) = try single(.zlib)
        let head: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]
        let gzip =
            head + payload.dropFirst(2).dropLast(4) + little(UInt64(checksum(content)), 4)
            + little(UInt64(content.count), 4)
        #expect(try decode(gzip, piece: 100).calls == calls)
        var wrong = gzip
        wrong[gzip.count - 8] ^= 1
        #expect(throws: ArchiveError.self) { try decode(wrong) }
    }

    private func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(UInt32.max) { value, byte in
            (0..<8).reduce(value ^ UInt32(byte)) { bits, _ in bits >> 1 ^ (bits & 1 == 1 ? 0xedb8_8320 : 0) }
        }
    }

    @Test func zlibBlocksMayBeRawDeflate() throws {
        let (calls, payload, stream) = try single(.zlib)
        let raw = Array(payload.dropFirst(2).dropLast(4))
        #expect(try decode(wrapper("z", [(stream.count, raw)])).calls == calls)
        var limits = ArchiveLimits()
        limits.largestHeldBlock = 1
        #expect(try decode(wrapper("z", [(stream.count, raw)]), piece: 11, limits: limits).calls == calls)
    }

    @Test func lz4PiecesMayReferBack() throws {
        let start = (0..<64).map { UInt8($0) }
        // No literals, 200 bytes from 64 back, then five literals.
        let piece: [UInt8] = [0x0f, 64, 0, 181, 0x50, 1, 2, 3, 4, 5]
        let repeated = (0..<200).map { start[$0 % 64] }
        let content = RawEntry.file("f", start + repeated + [1, 2, 3, 4, 5])
        let head = content.count - 269
        let payload =
            Array("bv4-".utf8) + little(UInt64(head + 64), 4) + content[..<(head + 64)] + Array("bv41".utf8)
            + little(205, 4) + little(UInt64(piece.count), 4) + piece + Array("bv4$".utf8)
        let expected = try decode(content).calls
        #expect(try decode(wrapper("4", [(content.count, payload)])).calls == expected)
        #expect(try decode(payload, piece: 3).calls == expected)
    }

    @Test func storedBlocksOfEveryCompression() throws {
        let entry = RawEntry.file("f", Array(repeating: 5, count: 40))
        for letter in ["e", "z", "x", "4", "-", "f"] as [Character] {
            let halves = [(20, Array(entry[..<20])), (entry.count - 20, Array(entry[20...]))]
            #expect(try decode(wrapper(letter, halves)).content("f")?.count == 40)
        }
    }

    /// Blocks that say they are not compressed and still claim another size, whether they could be held or not.
    @Test(arguments: [40, 400 << 20]) func storedBlocksMayNotClaimAnotherSize(_ claimed: Int) throws {
        let archive = wrapper("-", blockSize: 1 << 30, [(claimed, [1, 2, 3])])
        let error = try #require(throws: ArchiveError.self) { try decode(archive) }
        #expect(error.code == .corrupt)
        #expect(error.message.contains("\(claimed) bytes in 3") && error.message.contains("not compressed"), "\(error)")
    }

    /// LZVN (`pbzf`) from its operations: a short literal, a match, and the end.
    @Test func bareLZVNBlocks() throws {
        let content = RawEntry.file("f", Array(repeating: 0x61, count: 40))
        let head = content.count - 39
        // Literals up to and with the first 'a', 39 more from a distance of 1 in matches, and the end.
        var payload: [UInt8] = []
        for start in stride(from: 0, to: head, by: 15) {
            let part = content[start..<min(head, start + 15)]
            payload += [0xe0 | UInt8(part.count)] + part
        }
        // A match of 3 with no literal at distance 1, then one of 36 at the same distance.
        payload += [0x00, 0x01, 0xf0, 36 - 16, 0x06, 0, 0, 0, 0, 0, 0, 0]
        #expect(try decode(wrapper("f", [(content.count, payload)])).content("f") == Array(repeating: 0x61, count: 40))
    }

    @Test(arguments: [Compression.lzfse, .zlib, .lz4, .lzma])
    func blocksTooLargeToHoldPassInPieces(_ compression: Compression) throws {
        var generator = SeededGenerator.forTest()
        let content = generator.bytes(5 << 20, redundancy: true)
        var archive: [UInt8] = []
        let writer = try ArchiveWriter(output: { archive += $0 }, compression: compression, blockSize: 3 << 20)
        try writer.append(EntryHeader(type: .regularFile, path: "f"), bytes: content)
        try writer.append(EntryHeader(type: .regularFile, path: "noise"), bytes: generator.bytes(4 << 20))
        try writer.finish()
        var limits = ArchiveLimits()
        limits.largestHeldBlock = 1 << 20
        let whole = try decode(archive)
        #expect(whole.content("f") == content)
        #expect(try decode(archive, piece: 70_001, limits: limits).calls == whole.calls)
        let error = try #require(throws: ArchiveError.self) { try decode(Array(archive.dropLast()), limits: limits) }
        #expect(error.code == .truncated)
    }

    @Test func hugeDeclaredBlockSizesAreFine() throws {
        let entry = RawEntry.file("f", [1, 2, 3])
        #expect(try decode(wrapper("e", blockSize: .max, [(entry.count, entry)])).content("f") == [1, 2, 3])
    }

    @Test func headersMayCrossBlocks() throws {
        let stream = RawEntry.folder("d") + RawEntry.file("d/f", [1, 2, 3])
        #expect(try decode(wrapper("e", stream.map { (1, [$0]) })).content("d/f") == [1, 2, 3])
    }

    struct Refused: Sendable, CustomTestStringConvertible {
        var start: String
        var code: ArchiveError.Code
        var mentions: String
        var testDescription: String { start }
    }

    @Test(arguments: [
        Refused(start: "AEA1\u{5}\0\0\0\0\0\0\0", code: .encrypted, mentions: "encrypted"),
        Refused(start: "pbzm\0\0\0\0\0@\0\0", code: .unsupportedCompression, mentions: "LZRAVEN"),
        Refused(start: "pbzq\0\0\0\0\0@\0\0", code: .unsupportedCompression, mentions: "'q'"),
        Refused(start: "BZh91AY", code: .notAnArchive, mentions: "bzip2"),
        Refused(start: "PK\u{3}\u{4}xxxx", code: .notAnArchive, mentions: "zip"),
        Refused(start: "hello, world", code: .notAnArchive, mentions: "not an Apple Archive"),
        Refused(start: "", code: .notAnArchive, mentions: "empty"),
        Refused(start: "A", code: .notAnArchive, mentions: "not an Apple Archive"),
        Refused(start: "AA0", code: .notAnArchive, mentions: "not an Apple Archive"),
        Refused(start: "pbze\0\0", code: .truncated, mentions: "ends"),
    ])
    func refusesByName(_ refused: Refused) throws {
        let error = try #require(throws: ArchiveError.self) { try decode(Array(refused.start.utf8)) }
        #expect(error.code == refused.code, "\(error)")
        #expect(error.message.contains(refused.mentions), "\(error)")
    }
}
