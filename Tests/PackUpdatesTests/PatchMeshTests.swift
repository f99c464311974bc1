// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Deltas
import TestSupport
import Testing

@testable import PackUpdates

@Suite struct PatchMeshTests {
    /// Meshes come together with others of their kind, cut anywhere in pieces.
    @Test(arguments: [100_000, DeltaFormat.pieceSize])
    func newMeshesTakeLessThanTheyWouldAsBytes(pieceSize: Int) throws {
        var generator = SeededGenerator.forTest()
        try Scratch.with { scratch in
            let old = generator.mesh(30)
            var changed = old
            changed[7000] ^= 1
            let meshes = [("new", 40), ("large", 110), ("other", 25)].map { ("\($0.0).stl", generator.mesh($0.1)) }
            let pack = try PatchedPack(
                scratch, from: ["kept.stl": generator.mesh(20), "changed.stl": old],
                to: Dictionary(uniqueKeysWithValues: meshes + [("changed.stl", changed)]))
            let patch = try pack.patch(pieceSize: pieceSize)
            let coder = try PrefixedStream.encode(meshes.flatMap(\.1), prefix: [])
            #expect(patch.count < coder.count / 10 * 9, "\(patch.count) for \(coder.count)")
            let collector = try pack.apply(patch)
            #expect(Set(collector.contents.keys) == pack.changed && collector.failed.isEmpty)
            for (content, bytes) in collector.contents {
                #expect(pack.targets[pack.new.index.contents[content].digest] == bytes, "content \(content)")
            }
        }
    }
}
