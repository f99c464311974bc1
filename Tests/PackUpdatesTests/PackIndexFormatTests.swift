// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import Kit
import TestSupport
import Testing

@testable import PackUpdates

@Suite struct PackIndexFormatTests {
    /// An index made up of random parts that fit.
    private func random(_ generator: inout SeededGenerator) throws -> PackIndex {
        func digest(_ generator: inout SeededGenerator) -> Digest { SHA256.hash(generator.bytes(8)) }
        var contents: [PackIndex.Content] = []
        var chunks: [ContentChunker.Chunk] = []
        var entries: [PackIndex.Entry] = []
        var end: Int64 = 0
        for number in 0..<Int.random(in: 1...40, using: &generator) {
            let path = number == 0 ? "manifest.json" : "Contents/d\(number % 3)/ä\(number)"
            switch number == 0 ? 9 : Int.random(in: 0..<10, using: &generator) {
            case 0: entries.append(.init(path: path, kind: .link(target: "../x\(number)")))
            case 1: entries.append(.init(path: path, kind: .folder))
            case 2 where !contents.isEmpty:
                let content = Int.random(in: 0..<contents.count, using: &generator)
                entries.append(.init(path: path, kind: .file(content: content, offset: end, isExecutable: true)))
                end += contents[content].size
            default:
                let start = chunks.count
                var size = Int64(number % 5 * 1000)
                if number.isMultiple(of: 4) {
                    for _ in 0..<4 {
                        chunks.append(
                            .init(size: Int.random(in: 1...5000, using: &generator), digestPrefix: generator.next()))
                    }
                    size = chunks[start...].reduce(0) { $0 + Int64($1.size) }
                }
                end += Int64.random(in: 0...60, using: &generator)
                let content = PackIndex.Content(
                    digest: digest(&generator), size: size, offset: end, chunks: start..<chunks.count)
                entries.append(
                    .init(
                        path: path,
                        kind: .file(content: contents.count, offset: end, isExecutable: number.isMultiple(of: 2))))
                contents.append(content)
                end += size
            }
        }
        let blockSize = 4096
        let stored = (0..<PackIndex.Archive.blockCount(streamSize: end, blockSize: blockSize)).map { block in
            Int.random(in: 1...Int(min(Int64(blockSize), end - block * Int64(blockSize))), using: &generator)
        }
        return try PackIndex(
            archive: .init(
                size: 12 + stored.reduce(0) { $0 + 16 + Int64($1) }, digest: digest(&generator), letter: 0x65,
                blockSize: blockSize, streamSize: end, storedSizes: stored),
            contents: contents, entries: entries, chunkAverage: 1024, chunks: chunks)
    }

    @Test func isReadBackAsWritten() throws {
        var generator = SeededGenerator.forTest()
        for _ in 0..<300 {
            let index = try random(&generator)
            #expect(try PackIndex(decoding: index.encoded(compressed: false)) == index)
            #expect(try PackIndex(decoding: index.encoded()) == index)
        }
    }

    /// Whatever is done to a file, it is refused, or is an index that is written and read as it stands.
    @Test func damageIsRefusedOrSound() throws {
        var generator = SeededGenerator.forTest()
        var refused = 0
        for round in 0..<4000 {
            var file = try random(&generator).encoded(compressed: round.isMultiple(of: 8))
            for _ in 0...Int.random(in: 0...2, using: &generator) where !file.isEmpty {
                let place = Int.random(in: 0..<file.count, using: &generator)
                switch Int.random(in: 0..<5, using: &generator) {
                case 0: file.remove(at: place)
                case 1: file.insert(UInt8.random(in: 0...255, using: &generator), at: place)
                case 2: file[place] = [0, 0x7F, 0x80, 0xFF].randomElement(using: &generator) ?? 0
                case 3: file.removeLast(min(file.count, place % 40 + 1))
                default: file[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                }
            }
            if round.isMultiple(of: 2) { file = IndexFront.sealed(file) ?? file }
            do {
                let index = try PackIndex(decoding: file)
                #expect(try PackIndex(decoding: index.encoded(compressed: false)) == index)
            } catch let error as PackUpdateError {
                #expect([.damagedIndex, .unknownVersion].contains(error.code))
                refused += 1
            }
        }
        #expect(refused > 1000)
    }

    @Test func claimsAreBoundBeforeTheyAreBelieved() throws {
        func refusal(_ file: [UInt8]) -> String {
            let error = #expect(throws: PackUpdateError.self) { try PackIndex(decoding: file) }
            return error?.message ?? ""
        }
        #expect(refusal([]).contains("no index"))
        let head = PackIndex.magic + [2, 0, 0, 0]
        #expect(refusal(head + [UInt8](repeating: 0xFF, count: 8)).contains("claims"))
        var other = head
        other[8] = 1
        #expect(refusal(other + [UInt8](repeating: 0, count: 8)).contains("version 1"))
        // A block list that 2^48 bytes in blocks of one byte would have.
        let body: [UInt8] =
            [0] + [UInt8](repeating: 0, count: 32) + [0x65, 1] + [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40]
        #expect(refusal(IndexFile.head(body.count - Digest.byteCount) + body).contains("blocks"))
    }

    /// A few bytes stand for many long paths that begin alike, which would take gigabytes of memory. Written by hand: to draft so
    /// many paths takes a hundred times as long as to read them.
    @Test func pathsThatComeToTooMuchAreRefused() throws {
        let stem = Array(("Contents/" + String(repeating: "abcdefghi/", count: 90)).utf8)
        func file(folders: Int) -> [UInt8] {
            // An archive of 128 bytes with one block of 100, which hold 300; one content of 10 bytes, and no chunks.
            let zeros = [UInt8](repeating: 0, count: Digest.byteCount)
            let kinds = [PackIndex.KindNumber.file] + [UInt8](repeating: PackIndex.KindNumber.folder, count: folders)
            var paths: [UInt8] = []
            var shared = 0
            for number in 0..<folders {
                let path = Array(String(number).utf8)
                let following = shared == 0 ? stem + path : path
                paths.append(number: shared)
                paths.append(number: following.count)
                paths += following
                shared = stem.count
            }
            return IndexFile(
                archive: [0x80, 0x01] + zeros + [0x65, 0x80, 0x20, 0xAC, 0x02, 100], kinds: kinds,
                gaps: [2 * (50 - 13)], contents: [1, 0x80, 0x80, 0x02, 0],
                parts: [(1, [0, 13] + Array("manifest.json".utf8) + [10] + zeros), (folders, paths)]
            ).bytes
        }
        #expect(try PackIndex(decoding: file(folders: 1000)).entries.count == 1001)
        let many = file(folders: 150_000)
        #expect(many.count < 2 << 20)
        let error = #expect(throws: PackUpdateError.self) { try PackIndex(decoding: many) }
        #expect(error?.message.contains("memory") == true)
    }

    /// Whatever a `Character` is: paths are bytes.
    @Test func slashesThatMarksJoinSeparateNames() throws {
        func validate(_ entry: PackIndex.Entry) throws {
            try PackIndex.validate(
                [.init(path: "manifest.json", kind: .file(content: 0, offset: 50, isExecutable: false)), entry],
                of: [.init(digest: SHA256.hash([1]), size: 10, offset: 50, chunks: 0..<0)], streamSize: 300)
        }
        for path in ["Contents/\u{301}../a", "Contents/a\u{600}/b"] {
            #expect(throws: Never.self) { try validate(.init(path: path, kind: .folder)) }
        }
        for path in ["Contents/a\u{600}/../../b", "Contents/\u{301}/..", "Contents\u{600}/a", "Contents/a\u{600}/./b"] {
            #expect(throws: PackUpdateError.self, "\(path)") { try validate(.init(path: path, kind: .folder)) }
        }
        #expect(throws: PackUpdateError.self) {
            try validate(.init(path: "Contents/l", kind: .link(target: "a\u{600}/../../b")))
        }
    }

    /// Folders are looked up once, however many files are in them, and folders of folders are bounded.
    @Test func foldersThatComeToTooMuchAreRefused() {
        let deep = ["a", "b"].map { "Contents/" + String(repeating: "\($0)/", count: 490) }
        func entries(_ count: Int, _ stem: (Int) -> String) -> [PackIndex.Entry] {
            [.init(path: "manifest.json", kind: .file(content: 0, offset: 50, isExecutable: false))]
                + (0..<count).map { .init(path: stem($0) + String($0), kind: .folder) }
        }
        func validate(_ entries: [PackIndex.Entry]) throws {
            try PackIndex.validate(
                entries, of: [.init(digest: SHA256.hash([1]), size: 10, offset: 50, chunks: 0..<0)], streamSize: 300)
        }
        #expect(throws: Never.self) { try validate(entries(6000) { _ in deep[0] }) }
        let error = #expect(throws: PackUpdateError.self) { try validate(entries(6000) { deep[$0 % 2] }) }
        #expect(error?.message.contains("too many") == true)
    }

    /// A file written by hand after the format's page, not by the code that is tested.
    @Test func theReferenceFileIsReadAndWritten() throws {
        func digest(_ byte: UInt8) throws -> Digest {
            try #require(Digest(bytes: [UInt8](repeating: byte, count: Digest.byteCount)))
        }
        let index = try PackIndex(
            archive: .init(
                size: 128, digest: digest(0x11), letter: UInt8(ascii: "e"), blockSize: 4096, streamSize: 300,
                storedSizes: [100]),
            contents: [
                .init(digest: digest(0x22), size: 10, offset: 50, chunks: 0..<0),
                .init(digest: digest(0x33), size: 200, offset: 90, chunks: 0..<2),
            ],
            entries: [
                .init(path: "manifest.json", kind: .file(content: 0, offset: 50, isExecutable: false)),
                .init(path: "Contents/a", kind: .file(content: 1, offset: 90, isExecutable: true)),
                .init(path: "Contents/b", kind: .link(target: "a")), .init(path: "Contents/c", kind: .folder),
                .init(path: "Contents/d", kind: .file(content: 0, offset: 290, isExecutable: false)),
            ], chunkAverage: 32 << 10,
            chunks: [
                .init(size: 150, digestPrefix: 0x0102_0304_0506_0708),
                .init(size: 50, digestPrefix: 0x0B0C_0D0E_0F10_1112),
            ])
        let reference = try #require(Hexadecimal.decode(Self.reference))
        #expect(try PackIndex(decoding: reference) == index)
        #expect(try index.encoded(compressed: false) == reference)
    }

    private static let reference = """
        4c524452494e4458020000006e0000006e00000080011111111111111111111111111111111111111111111111111111\
        111111111111658020ac02640500010203004a281302808002000202013030648424fc7b2b4ce5045a5a433358bec12c\
        a2293bf3c0bb50bd634161ea2941d75bc0dabc6f55dc9459523fb298a98fdcf00912000d6d616e69666573742e6a736f\
        6e0a2222222222222222222222222222222222222222222222222222222222222222000a436f6e74656e74732f610901\
        62090163090164c8010a3333333333333333333333333333333333333333333333333333333333333333222222222222\
        2222222222222222222222222222222222222222222222222222016196000001020304050607083200000b0c0d0e0f10\
        1112
        """
}
