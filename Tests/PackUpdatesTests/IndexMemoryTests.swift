// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Crypto
import Kit
import System
import TestSupport
import Testing

@testable import PackUpdates

/// What an index takes in memory is reckoned before it is taken, and by whoever makes one.
@Suite struct IndexMemoryTests {
    @Test(arguments: [IndexMemory.Item.nameByte, .block, .chunk, .entry, .content]) func eachHasItsPrice(
        _ item: IndexMemory.Item
    ) throws {
        let most = IndexMemory.limit / item.rawValue
        var memory = IndexMemory()
        try memory.add(most, item)
        let error = #expect(throws: PackUpdateError.self) { try memory.add(1, item) }
        #expect(error?.code == .notIndexable && error?.message.contains("memory") == true)
        var other = IndexMemory()
        #expect(throws: PackUpdateError.self) { try other.add(.max, item) }
    }

    /// It is refused before memory is taken for what it claims.
    @Test func whatWouldTakeTooMuchIsNotRead() throws {
        func refusal(blocks: Int) -> PackUpdateErrorCode? {
            // An archive in blocks of a byte each.
            var body: [UInt8] = [0x80, 0x01] + [UInt8](repeating: 0, count: Digest.byteCount) + [0x65, 1]
            body.append(number: blocks)
            body += [UInt8](repeating: 1, count: blocks)
            let file = IndexFile.head(body.count - Digest.byteCount) + body
            return #expect(throws: PackUpdateError.self) { try PackIndex(decoding: file) }?.code
        }
        #expect(refusal(blocks: 1000) == .damagedIndex)
        #expect(refusal(blocks: IndexMemory.limit / 40 + 1) == .notIndexable)
    }

    /// Front and parts count together, though they come one after the other.
    @Test func namesCountOnTopOfTheFront() throws {
        func refusal(left: Int) -> PackUpdateErrorCode? {
            let blocks = (IndexMemory.limit - IndexMemory.Item.entry.rawValue - left) / 40
            var archive: [UInt8] = [0x80, 0x01] + [UInt8](repeating: 0, count: Digest.byteCount) + [0x65, 1]
            archive.append(number: blocks)
            archive += [UInt8](repeating: 1, count: blocks)
            let row = IndexRows.Row(path: String(repeating: "a", count: 1000), kind: .folder)
            let file = IndexFile(
                archive: archive, kinds: [PackIndex.KindNumber.folder], gaps: [], contents: [0, 0x80, 0x08],
                parts: [(1, IndexRows.encode([row]))])
            return #expect(throws: PackUpdateError.self) { try PackIndex(decoding: file.bytes) }?.code
        }
        // A pack's manifest is missing, and more.
        #expect(refusal(left: 3100) == .damagedIndex)
        #expect(refusal(left: 2900) == .notIndexable)
    }

    /// Front and parts count together here, too.
    @Test func partsMayNotClaimMoreThanTheFrontLeaves() {
        func isRead(claiming size: Int) -> Bool {
            let zeros = [UInt8](repeating: 0, count: Digest.byteCount)
            var body: [UInt8] =
                [0x80, 0x01] + zeros + [0x65, 1, 1, 1, 1, PackIndex.KindNumber.folder, 0, 0x80, 0x08, 1, 1]
            body.append(number: size)
            body += [1] + [UInt8](repeating: 0, count: VersionMark.byteCount) + zeros
            let file = IndexFile.head(body.count - Digest.byteCount) + body
            return (try? IndexFront(decoding: file[...])) != nil
        }
        #expect(isRead(claiming: PackIndex.maximumSize - 1000))
        #expect(!isRead(claiming: PackIndex.maximumSize - 10))
    }

    @Test func whatWouldTakeTooMuchIsNotMade() throws {
        let columns = IndexDraft.Columns()
        try columns.storedSizes.append(number: 100)
        let content = PackIndex.Content(digest: SHA256.hash([1]), size: 10, offset: 50, chunks: 0..<0)
        func write(contents: Int, at path: FilePath) throws -> Int64 {
            let draft = IndexDraft(
                size: 128, digest: SHA256.hash([]), letter: UInt8(ascii: "e"), blockSize: 4096, streamSize: 300,
                contents: [PackIndex.Content](repeating: content, count: contents),
                entries: [.init(path: "manifest.json", kind: .file(content: 0, offset: 50, isExecutable: false))],
                chunkAverage: 32 << 10, columns: columns)
            return try draft.write(to: path).size
        }
        try Scratch.with { scratch in
            let path = scratch("pack.aar.index")
            let refusal = #expect(throws: PackUpdateError.self) {
                try write(contents: IndexMemory.limit / 600, at: path)
            }
            #expect(refusal?.code == .notIndexable)
            #expect(refusal?.message.contains("80 MiB of memory") ?? false)
            #expect(!FileDescriptor.currentDirectory.exists(at: path))
            let size = try write(contents: 10, at: path)
            #expect(size > 0)
        }
    }

    /// A patch whose table devices would not take is not made.
    @Test func tablesThatAreTooLargeAreNotMade() throws {
        let base = PatchTable.Base(.old(ContentName(SHA256.hash([3]))), size: 1)
        func table(_ groups: Int, bases: Int = 0) -> PatchTable {
            let group = PatchTable.Group(
                targets: [1], bases: [PatchTable.Base](repeating: base, count: bases), deltaSize: 1)
            return PatchTable(
                index: VersionMark(SHA256.hash([1])), baseDigest: SHA256.hash([2]),
                groups: [PatchTable.Group](repeating: group, count: groups))
        }
        let most = PatchTable.Format.mostTableBytes
        try PatchMaker.check(table((most - 4) / 4))
        let error = #expect(throws: PackUpdateError.self) { try PatchMaker.check(table(most / 4)) }
        #expect(error?.code == .tooLarge && error?.message.contains("4.2 MB") == true)
        let groups = PatchTable.Format.mostBasesInAll / PatchTable.Format.mostBases
        try PatchMaker.check(table(groups, bases: PatchTable.Format.mostBases))
        let many = #expect(throws: PackUpdateError.self) {
            try PatchMaker.check(table(groups + 1, bases: PatchTable.Format.mostBases))
        }
        #expect(many?.code == .tooLarge && many?.message.contains("262144") == true)
        var head = Array(try table(1).encoded().prefix(PatchTable.headSize))
        #expect(throws: Never.self) { try PatchTable.size(head: head) }
        for (place, byte) in [17, 0, 0x40, 0].enumerated() { head[12 + place] = UInt8(byte) }
        #expect(throws: PackUpdateError.self) { try PatchTable.size(head: head) }
    }
}
