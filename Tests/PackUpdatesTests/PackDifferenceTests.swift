// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import TestSupport
import Testing

@testable import PackUpdates

@Suite struct PackDifferenceTests {
    private func bytes(_ seed: UInt64, _ count: Int) -> [UInt8] {
        var generator = SeededGenerator(seed: seed)
        return generator.bytes(count)
    }

    @Test func everyFileIsToldByWhatBecameOfIt() throws {
        let old = try ModelPack([
            "same": bytes(1, 5000), "from": bytes(2, 5000), "changed": bytes(3, 60_000), "gone": bytes(4, 10),
        ])
        let new = try ModelPack([
            "same": bytes(1, 5000), "to": bytes(2, 5000), "changed": bytes(5, 60_000), "added": bytes(6, 9000),
        ])
        let difference = PackDifference(from: old.index, to: new.index, costs: .init(request: 0, part: 0))
        #expect(difference.unchangedCount == 1)
        #expect(
            difference.files.map { "\($0.path.dropFirst(9)) \($0.change.rawValue)" } == [
                "changed changed", "added added", "to moved", "gone removed",
            ])
        #expect(difference.files[2].origin == "Contents/from")
        #expect(difference.files[0].blockBytes > difference.files[1].blockBytes)
        #expect(difference.files[1].blockBytes > 0 && difference.files[2].blockBytes == 0)
        #expect(difference.changedPaths == ["Contents/changed"])
        #expect(difference.best.method == .blocks)
        #expect(difference.blocks.bytesToFetch < difference.whole.bytesToFetch)
    }

    /// A content counts once, at its first path, and a file that moved is not one that was removed as well.
    @Test func equalAndMovedFilesCountOnce() throws {
        let old = try ModelPack(["a": bytes(1, 5000), "b": bytes(1, 5000), "stays": bytes(2, 5000)])
        let new = try ModelPack([
            "c": bytes(1, 5000), "stays": bytes(2, 5000), "copy": bytes(2, 5000), "x/new": bytes(3, 60_000),
            "y/new": bytes(3, 60_000),
        ])
        let difference = PackDifference(from: old.index, to: new.index)
        #expect(
            difference.files.map { "\($0.path) \($0.change.rawValue) \($0.origin ?? $0.twin ?? "-")" } == [
                "Contents/x/new added -", "Contents/y/new added Contents/x/new", "Contents/b removed -",
                "Contents/c moved Contents/a", "Contents/copy moved Contents/stays",
            ])
        #expect(difference.files[0].blockBytes > 0 && difference.files[1].blockBytes == 0)
    }

    /// Of files that a patch makes together, one that was put together of old ones costs less than a smaller new one.
    @Test func aMergedFileIsNotTheCostliest() throws {
        let old = try ModelPack(["a": bytes(1, 400_000), "b": bytes(2, 400_000)])
        let new = try ModelPack(["ab": bytes(1, 400_000) + bytes(2, 400_000), "new": bytes(3, 300_000)])
        let targets = new.index.contents.indices.filter { new.index.contents[$0].size >= 300_000 }
        let groups = [UpdateFacts.Patch.Group(targets: targets, isUsable: true, range: 90..<300_090)]
        let difference = PackDifference(
            from: old.index, to: new.index, patch: .init(size: 300_090, groups: groups))
        #expect(difference.files.first?.path == "Contents/new", "\(difference.files)")
        #expect(difference.files.compactMap(\.patchBytes).reduce(0, +) == 300_000)
    }

    @Test func aSmallPatchIsWhatADeviceWouldTake() throws {
        let old = try ModelPack(["a": bytes(1, 60_000)])
        let new = try ModelPack(["a": bytes(2, 60_000)])
        func difference(_ delta: Int64) throws -> PackDifference {
            let target = try #require(new.index.contents.firstIndex { $0.size == 60_000 })
            let groups = [UpdateFacts.Patch.Group(targets: [target], isUsable: true, range: 90..<90 + delta)]
            return PackDifference(from: old.index, to: new.index, patch: .init(size: 90 + delta, groups: groups))
        }
        let small = try difference(100)
        #expect(small.best.method == .patch && small.patchHeadSize == 90)
        #expect(small.patch?.bytesToFetch == 100)
        #expect(small.files.map(\.patchBytes) == [100])
        #expect(try difference(1 << 30).best.method == .whole)
    }

    /// A patch that is larger than the blocks around what changed, and less than all that changed.
    @Test func aPatchThatBlocksOutdoIsNoted() throws {
        let start = bytes(1, 4 << 20)
        let old = try ModelPack(["a": start], blockSize: 64 << 10)
        let new = try ModelPack(["a": start + bytes(2, 100)], blockSize: 64 << 10)
        func difference(_ delta: Int64, list: Int64?) throws -> PackDifference {
            let target = try #require(new.index.contents.firstIndex { $0.size > 4 << 20 })
            let groups = [UpdateFacts.Patch.Group(targets: [target], isUsable: true, range: 90..<90 + delta)]
            return PackDifference(
                from: old.index, to: new.index, indexSize: 20_000, patch: .init(size: 90 + delta, groups: groups),
                listSize: list)
        }
        #expect(try !difference(1000, list: nil).isPatchOutdone)
        #expect(try !difference(1000, list: 100).isPatchOutdone)
        #expect(try difference(1000, list: nil).blocks.bytesToFetch < 300_000)
        #expect(try difference(1 << 20, list: nil).isPatchOutdone)
        let listed = try difference(1 << 20, list: 100)
        #expect(listed.best.method == .patch && listed.isPatchOutdone)
    }

    @Test func filesThatDifferInTimesAloneAreNoted() throws {
        let old = try ModelPack(["a": bytes(1, 600), "b": bytes(2, 600), "c": bytes(3, 600)])
        let new = try ModelPack(["a": bytes(4, 600), "b": bytes(5, 600), "c": bytes(6, 600)])
        var difference = PackDifference(from: old.index, to: new.index)
        let (one, two) = (SHA256.hash([1]), SHA256.hash([2]))
        difference.compareStamps(["Contents/a": one, "Contents/b": one], ["Contents/a": one, "Contents/b": two])
        #expect(difference.files.filter(\.hasOnlyOtherStamps).map(\.path) == ["Contents/a"])
    }
}
