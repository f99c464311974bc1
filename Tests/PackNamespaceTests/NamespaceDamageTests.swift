// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import TestSupport
import Testing

@testable import PackNamespace

/// A damaged file may answer wrongly; it never traps, never reads outside itself, never loops.
@Suite struct NamespaceDamageTests {
    private static let packs: [String: [String: UInt64]] = [
        "a": ["maps/one": 1, "maps/two": 2, "same": 3], "b": ["same": 4, "sound/x.ogg": 5],
    ]

    /// Asks everything there is to ask.
    private func exercise(_ file: MemoryNamespace) {
        for path in ["maps/one", "same", "sound/x.ogg", "absent", "maps"] {
            _ = file.find(path)
            for pack in 0..<min(file.table.packCount, 8) {
                var path = path
                path.withUTF8 { _ = file.table.lookup(UnsafeRawBufferPointer($0), inPackAt: pack) }
            }
        }
        _ = file.table.list("")
        _ = file.table.list("maps", inPackAt: 1)
        _ = file.table.collisions(limit: 10)
        _ = file.table.pack(at: 0)
        _ = file.table.packIndex(id: "b")
        file.table.forEachFile(below: "") { _ in }
        _ = file.table.isIntact
    }

    @Test func aFileCutAnywhereIsRefused() throws {
        let whole = try namespace(Self.packs)
        for length in 0..<whole.count {
            let error = #expect(throws: NamespaceError.self) { _ = try MemoryNamespace(Array(whole[..<length])) }
            #expect(error?.code == .damaged)
        }
    }

    @Test func anyFlippedByteIsNoticedAndHarmless() throws {
        let whole = try namespace(Self.packs)
        for index in whole.indices {
            for flip in [UInt8(0xFF), 0x01, 0x80] {
                var broken = whole
                broken[index] ^= flip
                guard let file = try? MemoryNamespace(broken) else { continue }
                #expect(!file.table.isIntact, "byte \(index)")
                exercise(file)
            }
        }
    }

    @Test func randomDamageIsHarmless() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        print("seed \(seed)")
        let whole = try namespace(Self.packs)
        for _ in 0..<3000 {
            var broken = whole
            for _ in 0..<Int.random(in: 1...12, using: &random) {
                broken[Int.random(in: broken.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            if let file = try? MemoryNamespace(broken) { exercise(file) }
        }
    }

    @Test func aNewerVersionIsNamed() throws {
        var newer = try namespace(Self.packs)
        newer[NamespaceFormat.Header.version] = 2
        let error = #expect(throws: NamespaceError.self) { _ = try MemoryNamespace(newer) }
        #expect(error?.message.contains("version 2") == true)
    }
}
