// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import Kit
import TestSupport
import Testing

@testable import PackUpdates

@Suite struct HostilePatchTests {
    /// Notes what a patch gives and gives up, in order, and what is not as the protocol says.
    private final class StrictSink: PatchSink {
        let index: PackIndex
        private var current: (content: Int, bytes: [UInt8])?
        private(set) var ended: Set<Int> = []
        private(set) var failed: Set<Int> = []
        private(set) var faults: [String] = []

        init(_ index: PackIndex) { self.index = index }

        func base(_ base: PatchTable.Base) -> PatchBase.Part? { nil }

        func begin(content: Int, at offset: Int64) {
            if current != nil { faults.append("\(content) begins within another") }
            current = (content, [])
        }

        func data(_ bytes: UnsafeRawBufferPointer) {
            if bytes.isEmpty || current == nil { faults.append("bytes of nothing") }
            current?.bytes += bytes
        }

        func end(content: Int) -> Bool {
            guard current?.content == content, !ended.contains(content), !failed.contains(content) else {
                faults.append("\(content) ends twice, or without a beginning")
                return true
            }
            guard SHA256.hash(current?.bytes ?? []) == index.contents[content].digest else { return false }
            ended.insert(content)
            current = nil
            return true
        }

        func fail(content: Int, because reason: any Error) {
            if ended.contains(content) || !failed.insert(content).inserted {
                faults.append("\(content) fails too late")
            }
            if current?.content == content { current = nil }
        }

        func reached(_ position: PatchPosition) {}
    }

    private func apply(_ patch: [UInt8], _ index: PackIndex, _ sink: StrictSink, piece: Int = 1 << 20) throws {
        let digest = SHA256.hash([])
        try PatchedPack.apply(patch, index, digest, base: digest, old: nil, sink, piece: piece)
    }

    private func patch(_ groups: [PatchTable.Group], deltas: [UInt8] = []) throws -> [UInt8] {
        let digest = SHA256.hash([])
        return try PatchTable(index: VersionMark(digest), baseDigest: digest, groups: groups).encoded() + deltas
    }

    private func index(contents count: Int) throws -> PackIndex {
        try ModelPack(
            Dictionary(
                uniqueKeysWithValues: (0..<count).map { number in
                    ("f\(number)", withUnsafeBytes(of: Int32(number).littleEndian) { Array($0) })
                }), headerSize: 1
        ).index
    }

    /// Each fails by itself, and however many there are they take no more of the stack.
    @Test func groupsWithoutDeltasFailOneByOne() throws {
        let index = try index(contents: 60_000)
        let sink = StrictSink(index)
        let groups = index.contents.indices.map { PatchTable.Group(targets: [$0], bases: [], deltaSize: 0) }
        try apply(try patch(groups), index, sink)
        #expect(sink.failed.count == index.contents.count && sink.ended.isEmpty && sink.faults.isEmpty)
    }

    @Test func groupsWithoutTheirBasesFailOneByOne() throws {
        let index = try index(contents: 100)
        let sink = StrictSink(index)
        let base = PatchTable.Base(.old(ContentName(SHA256.hash([1]))), size: 1)
        let groups = index.contents.indices.map {
            PatchTable.Group(targets: [$0], bases: [base], deltaSize: Int64($0 % 3))
        }
        let deltas = groups.reduce(0) { $0 + Int($1.deltaSize) }
        try apply(try patch(groups, deltas: [UInt8](repeating: 7, count: deltas)), index, sink, piece: 5)
        #expect(sink.failed.count == index.contents.count && sink.faults.isEmpty)
    }

    /// Each size is one that a patch may have; their sum is more than a number holds.
    @Test func deltasThatTogetherHaveNoPossibleSizeAreRefused() throws {
        let index = try index(contents: 40_000)
        let groups = index.contents.indices.map {
            PatchTable.Group(targets: [$0], bases: [], deltaSize: PackIndex.Limits.size)
        }
        let sink = StrictSink(index)
        let error = #expect(throws: PackUpdateError.self) {
            try apply(try patch(Array(groups[..<32_768])), index, sink)
        }
        #expect(error?.code == .damagedPatch)
        // The largest sum that a number holds.
        var most = Array(groups[..<32_767])
        most.append(PatchTable.Group(targets: [32_767], bases: [], deltaSize: PackIndex.Limits.size - 1))
        #expect(throws: PackUpdateError.self) { try apply(try patch(most), index, sink) }
    }

    @Test func aPatchIsAsLongAsItIsListed() throws {
        let index = try index(contents: 10)
        let groups = [PatchTable.Group(targets: [0], bases: [], deltaSize: 5)]
        let bytes = try patch(groups, deltas: [1, 2, 3, 4, 5])
        for (listed, isRefused) in [(bytes.count, false), (bytes.count + 1, true), (bytes.count - 1, true)] {
            let digest = SHA256.hash([])
            var reader = PatchTableReader(
                index: index, indexDigest: digest, base: digest, old: nil, size: Int64(listed))
            let code = bytes.withUnsafeBytes { bytes -> PackUpdateError.Code? in
                do {
                    _ = try reader.take(bytes)
                    return nil
                } catch {
                    return (error as? PackUpdateError)?.code
                }
            }
            #expect(code == (isRefused ? .damagedPatch : nil))
            #expect((reader.table == nil) == isRefused)
        }
    }

    /// Groups start from what groups before them give, and from old contents that there are.
    @Test func basesThatAreNotThereAreRefused() throws {
        let index = try index(contents: 5)
        let old = try #require(
            PackListBase(files: [
                .init(path: "a", size: 3, digest: SHA256.hash([1])),
                .init(path: "b", size: 4, digest: SHA256.hash([2])),
            ]))
        func table(_ bases: [UInt8], groups: Int = 2) -> [UInt8] {
            // Each gives the content of its number plus one; the bases are the second's.
            let counts = [UInt8](repeating: 1, count: groups)
            return [UInt8(groups)] + counts + [0, UInt8(bases.count / 2)] + [7, 7] + (0..<UInt8(groups)).map { $0 + 1 }
                + bases
        }
        func bases(_ bases: [UInt8], _ old: PackListBase?) throws -> [PatchTable.Base] {
            let body = table(bases)
            var file = Array("LRDRPTCH".utf8) + [1, 0, 0, 0, UInt8(body.count + 2), 0, 0, 0]
            file += [UInt8](repeating: 9, count: 40)
            let table = try PatchTable(head: file, table: [UInt8(body.count), 0] + body, index: index, old: old)
            return table.groups[1].bases
        }
        #expect(try bases([], nil).isEmpty)
        let (one, two) = (ContentName(SHA256.hash([1])), ContentName(SHA256.hash([2])))
        // The second, then the first: kinds, then values.
        #expect(try bases([0, 1, 1, 0], old) == [.init(.old(two), size: 4), .init(.old(one), size: 3)])
        #expect(try bases([0, 0, 0, 0], old) == [.init(.old(one), size: 3), .init(.old(two), size: 4)])
        #expect(try bases([2, 1], nil) == [.init(.new(1), size: index.contents[1].size)])
        #expect(throws: PackUpdateError.self) { try bases([0, 0], nil) }
        for wrong: [UInt8] in [[0, 2], [1, 2], [2, 2], [2, 9], [2, 0], [4, 0]] {
            let error = #expect(throws: PackUpdateError.self, "\(wrong)") { try bases(wrong, old) }
            #expect(error?.code == .damagedPatch)
        }
    }

    /// Whatever the file says, in its table too: contents come out right and once, or not at all.
    @Test func whateverIsChangedTheSinkIsToldAsItShouldBe() throws {
        var generator = SeededGenerator.forTest()
        try Scratch.with { scratch in
            let text = generator.bytes(4000, redundancy: true)
            let pack = try PatchedPack(
                scratch, from: ["a": generator.bytes(2000), "gone": text],
                to: ["a": generator.bytes(300), "b": text + text, "c": [1, 2, 3], "d": generator.bytes(50)])
            let patch = try pack.patch()
            let old = PackListBase(of: pack.old.index)
            let (digest, base) = (pack.new.indexDigest, pack.old.index.archive.digest)
            var refused = 0
            for _ in 0..<400 {
                var damaged = patch
                for _ in 0..<Int.random(in: 1...4, using: &generator) where damaged.count > PatchTable.headSize {
                    let place = Int.random(in: PatchTable.headSize..<damaged.count, using: &generator)
                    let end = min(damaged.count, place + Int.random(in: 1...20, using: &generator))
                    switch Int.random(in: 0..<5, using: &generator) {
                    case 0: damaged.removeSubrange(place..<end)
                    case 1: damaged.insert(contentsOf: damaged[place..<end], at: place)
                    case 2: damaged[place] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &generator) ?? 0
                    case 3: damaged.removeSubrange(place...)
                    default: damaged[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                    }
                }
                let sink = StrictSink(pack.new.index)
                do {
                    try PatchedPack.apply(damaged, pack.new.index, digest, base: base, old: old, sink)
                } catch is PackUpdateError {
                    refused += 1
                }
                #expect(sink.faults.isEmpty, "seed \(generator.seed)")
            }
            #expect(refused > 50)
        }
    }
}
