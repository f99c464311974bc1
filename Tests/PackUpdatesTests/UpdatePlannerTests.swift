// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import TestSupport
import Testing

@testable import PackUpdates

@Suite struct UpdatePlannerTests {
    private static let free = UpdateFacts.Costs(request: 0, part: 0)

    private func planner(
        _ target: ModelPack, _ local: [ModelPack], _ ranges: UpdateFacts.Ranges = .single,
        costs: UpdateFacts.Costs = free, patches: [UpdateFacts.Patch] = [], progress: UpdateFacts.Progress = .init()
    ) -> UpdatePlanner {
        var contents = LocalContents(for: target.index)
        for (number, pack) in local.enumerated() { contents.add(pack.index, as: number) }
        return UpdatePlanner(
            target: target.index, local: contents,
            facts: UpdateFacts(ranges: ranges, costs: costs, patches: patches, progress: progress))
    }

    private func bytes(_ seed: UInt64, _ count: Int) -> [UInt8] {
        var generator = SeededGenerator(seed: seed)
        return generator.bytes(count)
    }

    @Test func nothingIsFetchedWhenAllIsThere() throws {
        let old = try ModelPack(["a": bytes(1, 9000), "b": bytes(2, 100)])
        let new = try ModelPack(["x": bytes(1, 9000), "y": bytes(2, 100), "z": bytes(1, 9000)])
        let plan = planner(new, [old], .none).plan()
        #expect(plan.method == .nothing)
        #expect(plan.bytesToFetch == 0 && plan.requests == 0 && plan.bytesToWrite == 0)
        #expect(try new.carryOut(plan, local: [old]) == new.index.contents.indices.map(new.bytes))
    }

    @Test func everythingIsFetchedWholeWhenNothingIsThere() throws {
        let new = try ModelPack(["a": bytes(1, 50_000)])
        let plan = planner(new, []).plan()
        #expect(plan.method == .whole)
        #expect(plan.bytesToFetch == new.index.archive.size && plan.requests == 1)
        #expect(plan.archiveRanges == [0..<new.index.archive.size])
        #expect(plan.bytesToWrite == 50_002)
    }

    @Test func aChangedFileIsRebuiltFromItsOldChunksAndABlock() throws {
        let old = bytes(1, 100_000)
        var changed = old
        changed.replaceSubrange(50_000..<50_001, with: [1, 2, 3])
        let (before, after) = (try ModelPack(["a": old]), try ModelPack(["a": changed]))
        let plan = planner(after, [before]).plan()
        #expect(plan.method == .blocks)
        #expect(plan.blocks.count == 1)
        #expect(plan.bytesToFetch <= 3 * (2048 + 16))
        #expect(plan.bytesToWrite == 100_002)
        #expect(try after.carryOut(plan, local: [before]) == after.index.contents.indices.map(after.bytes))
    }

    @Test func whatIsInFetchedBlocksIsTakenFromThere() throws {
        let old = bytes(1, 9000)
        var changed = old
        for place in stride(from: 0, to: 9000, by: 4096) { changed[place] ^= 1 }
        let (before, after) = (try ModelPack(["a": old]), try ModelPack(["a": changed]))
        let plan = try #require(planner(after, [before]).blocksPlan())
        let number = try #require(after.index.contents.firstIndex { $0.size == 9000 })
        #expect(plan.actions?[number] == .rebuild([.stream(offset: after.index.contents[number].offset, size: 9000)]))
    }

    /// In one file, in two, and where one is there from an attempt before or comes by a patch.
    @Test func whatStandsTwiceIsFetchedOnce() throws {
        let (first, second) = (bytes(1, 60_000), bytes(2, 60_000))
        let new = try ModelPack([
            "a": first + second, "b": second + bytes(3, 5000) + first, "c": bytes(4, 50) + first + first,
        ])
        let (a, b, c) = (try content("a", of: new), try content("b", of: new), try content("c", of: new))
        let plan = try #require(planner(new, []).blocksPlan())
        #expect(plan.bytesToFetch < new.index.archive.size / 2)
        #expect(try new.carryOut(plan, local: []) == new.index.contents.indices.map(new.bytes))
        let done = try #require(planner(new, [], progress: .init(complete: [c])).blocksPlan())
        #expect(done.bytesToFetch < plan.bytesToFetch * 2 / 3)
        #expect(
            try new.carryOut(done, local: [], progress: .init(complete: [c]))
                == new.index.contents.indices.map(new.bytes))
        // A server without ranges gives a whole patch; what it does not give is made of what it gives.
        let patch = UpdateFacts.Patch(
            size: 900, groups: [.init(targets: [c], isUsable: true, range: 0..<900)])
        let patched = try #require(planner(new, [], patches: [patch]).patchPlan(0))
        #expect(patched.bytesToFetch < done.bytesToFetch + 900 + 5000)
        let made = try new.carryOut(patched, local: [])
        #expect(made[a] == new.bytes(of: a) && made[b] == new.bytes(of: b) && made[c] == nil)
        let files = PackDifference(from: try ModelPack([:]).index, to: new.index).files
        #expect(files.reduce(0) { $0 + $1.blockBytes } < new.index.archive.size / 2)
    }

    /// What is there of the pack's manifest is in no file.
    @Test func nothingIsMadeOfThePacksManifest() throws {
        let new = try ModelPack(["a": bytes(1, 20_000)], manifest: bytes(1, 20_000) + [1])
        let plan = try #require(planner(new, [], progress: .init(complete: new.index.manifestContents)).blocksPlan())
        let number = try content("a", of: new)
        #expect(plan.actions?[number] == .rebuild([.stream(offset: new.index.contents[number].offset, size: 20_000)]))
    }

    @Test func aServerWithoutRangesSendsTheWhole() throws {
        let old = try ModelPack(["a": bytes(1, 50_000)])
        let new = try ModelPack(["a": bytes(1, 50_000), "b": bytes(2, 10)])
        let planner = planner(new, [old], .none)
        #expect(planner.blocksPlan() == nil)
        #expect(planner.plan().method == .whole)
    }

    @Test func neighbouringRangesAreOneWhenTheGapCostsLessThanARequest() throws {
        var named: [String: [UInt8]] = [:]
        for number in 0..<20 { named["f\(10 + number)"] = bytes(UInt64(number), 5000) }
        let old = try ModelPack(named)
        for number in stride(from: 0, to: 20, by: 4) { named["f\(10 + number)"] = bytes(UInt64(100 + number), 5000) }
        let new = try ModelPack(named)
        let apart = try #require(planner(new, [old], costs: .init(request: 100, part: 0)).blocksPlan())
        let joined = try #require(planner(new, [old], costs: .init(request: 1 << 20, part: 0)).blocksPlan())
        let several = try #require(planner(new, [old], .several(3), costs: .init(request: 100, part: 10)).blocksPlan())
        #expect(apart.blocks.count == 5 && apart.requests == 5)
        #expect(joined.blocks.count == 1 && joined.requests == 1)
        #expect(several.blocks == apart.blocks && several.requests == 2)
        #expect(several.bytesToFetch == apart.bytesToFetch + 50)
        #expect(joined.bytesToFetch > apart.bytesToFetch)
    }

    @Test func anUnknownPatchIsTakenWhenItIsSmaller() throws {
        let old = try ModelPack(["a": bytes(1, 50_000), "b": bytes(3, 50_000)])
        let new = try ModelPack(["a": bytes(2, 50_000), "b": bytes(3, 50_000)])
        let small = UpdateFacts.Patch(size: 900, groups: nil)
        let large = UpdateFacts.Patch(size: 60_000, groups: nil)
        let plan = planner(new, [old], .none, patches: [large, small]).plan()
        #expect(plan.method == .patch)
        #expect(plan.patch == .init(number: 1, groups: [], ranges: [0..<900]))
        #expect(plan.bytesToFetch == 900 && plan.blocks.isEmpty)
        #expect(planner(new, [old], .none, patches: [large]).plan().method == .whole)
    }

    @Test func groupsAreTakenWhereTheyCostLessThanBlocks() throws {
        let old = try ModelPack(["a": bytes(1, 40_000), "b": bytes(2, 40_000), "c": bytes(3, 40_000)])
        let new = try ModelPack(["a": bytes(4, 40_000), "b": bytes(5, 40_000), "c": bytes(6, 40_000)])
        let (a, b, c) = (try content("a", of: new), try content("b", of: new), try content("c", of: new))
        let patch = UpdateFacts.Patch(
            size: 100_000,
            groups: [
                .init(targets: [a], isUsable: true, range: 100..<600),
                .init(targets: [b], isUsable: true, range: 600..<90_000),
                .init(targets: [c], isUsable: false, range: 90_000..<90_100),
                .init(targets: [999], isUsable: true, range: 90_100..<90_101),
            ])
        let plan = planner(new, [old], patches: [patch]).plan()
        #expect(plan.method == .patchAndBlocks)
        #expect(plan.patch == .init(number: 0, groups: [0], ranges: [100..<600]))
        let made = try new.carryOut(plan, local: [old])
        #expect(made[a] == nil)
        #expect(made[b] == new.bytes(of: b) && made[c] == new.bytes(of: c))
        #expect(plan.actions?[a] == .patch(group: 0))
        // Without ranges the whole patch would come, and what it cannot give would not.
        #expect(planner(new, [old], .none, patches: [patch]).plan().method == .whole)
    }

    private func content(_ path: String, of pack: ModelPack) throws -> Int {
        for entry in pack.index.entries where entry.path == "Contents/\(path)" {
            if case .file(let content, _, _) = entry.kind { return content }
        }
        throw AllMissing()
    }

    /// A group from which another starts costs more than its blocks, and less than theirs both.
    @Test func aGroupComesWithTheOneThatItStartsFrom() throws {
        let new = try ModelPack(["a": bytes(4, 4000), "b": bytes(5, 40_000), "c": bytes(6, 4000)])
        let (a, b, c) = (try content("a", of: new), try content("b", of: new), try content("c", of: new))
        func patch(second: Range<Int64>) -> UpdateFacts.Patch {
            UpdateFacts.Patch(
                size: 60_000,
                groups: [
                    .init(targets: [a], isUsable: true, range: 100..<9000),
                    .init(targets: [b], isUsable: true, needs: [a], range: second),
                    .init(targets: [c], isUsable: true, range: 50_000..<50_100),
                ])
        }
        let plan = planner(new, [], patches: [patch(second: 9000..<9100)]).plan()
        #expect(plan.patch?.groups == [0, 1, 2])
        #expect(plan.actions?[a] == .patch(group: 0) && plan.actions?[b] == .patch(group: 1))
        // Where both together cost more than their blocks, neither comes.
        #expect(planner(new, [], patches: [patch(second: 9000..<50_000)]).plan().patch?.groups == [2])
        // Without what it starts from, the other is of no use.
        let alone = UpdateFacts.Patch(
            size: 60_000,
            groups: [
                .init(targets: [a], isUsable: false, range: 100..<110),
                .init(targets: [b], isUsable: true, needs: [a], range: 110..<120),
                .init(targets: [c], isUsable: true, range: 120..<130),
            ])
        #expect(planner(new, [], patches: [alone]).plan().patch?.groups == [2])
        // It is there, or will be linked.
        let done = planner(new, [], patches: [alone], progress: .init(complete: [a])).plan()
        #expect(done.patch?.groups == [1, 2])
        let old = try ModelPack(["x": bytes(4, 4000)])
        #expect(planner(new, [old], patches: [alone]).plan().patch?.groups == [1, 2])
    }

    /// A table that is made to be a chain costs no more to plan than its groups: each by itself has all behind it.
    @Test func aLongChainOfGroupsIsPlannedAtOnce() throws {
        let count = 60_000
        let files = (0..<count).map { number in
            ("f\(number)", withUnsafeBytes(of: Int32(number).littleEndian) { Array($0) })
        }
        let new = try ModelPack(Dictionary(uniqueKeysWithValues: files), headerSize: 1)
        let targets = new.index.contents.indices.filter { new.index.contents[$0].size == 4 }
        let groups = targets.indices.map { number in
            UpdateFacts.Patch.Group(
                targets: [targets[number]], isUsable: true, needs: number == 0 ? [] : [targets[number - 1]],
                range: Int64(number)..<Int64(number + 1))
        }
        let plan = planner(new, [], patches: [.init(size: Int64(count), groups: groups)]).plan()
        #expect(plan.patch?.groups.count == targets.count)
    }

    /// Nor does one in which each group starts from all that come before.
    @Test(.timeLimit(.minutes(1))) func groupsThatStartFromAllBeforeArePlannedAtOnce() throws {
        let count = 1500
        let files = (0..<count).map { number in
            ("f\(number)", withUnsafeBytes(of: Int32(number).littleEndian) { Array($0) })
        }
        let new = try ModelPack(Dictionary(uniqueKeysWithValues: files), headerSize: 1)
        let targets = new.index.contents.indices.filter { new.index.contents[$0].size == 4 }
        let groups = targets.indices.map { number in
            UpdateFacts.Patch.Group(
                targets: [targets[number]], isUsable: true,
                needs: Array(targets[..<number]) + Array(targets[..<number]),
                range: Int64(number)..<Int64(number + 1))
        }
        let plan = planner(new, [], patches: [.init(size: Int64(count), groups: groups)]).plan()
        #expect(plan.patch?.groups.count == targets.count)
    }

    /// Whatever the groups start from, each of a plan has what it needs: there, or given by an earlier one.
    @Test func plansUseNoGroupWithoutItsBases() throws {
        var generator = SeededGenerator.forTest()
        for _ in 0..<200 {
            var named: [String: [UInt8]] = [:]
            for number in 0..<12 {
                named["f\(10 + number)"] = generator.bytes(Int.random(in: 1...9000, using: &generator))
            }
            let new = try ModelPack(named, blockSize: [512, 4096].randomElement(using: &generator) ?? 512)
            let numbers = new.index.contents.indices.shuffled(using: &generator)
            var groups: [UpdateFacts.Patch.Group] = []
            var start: Int64 = 100
            for number in numbers {
                let size = Int64.random(in: 1...9000, using: &generator)
                let needs = (0..<Int.random(in: 0...2, using: &generator)).compactMap { _ in
                    numbers.randomElement(using: &generator)
                }
                groups.append(
                    .init(
                        targets: [number], isUsable: Int.random(in: 0...9, using: &generator) > 0, needs: needs,
                        range: start..<start + size))
                start += size
            }
            var progress = UpdateFacts.Progress()
            for number in numbers where Int.random(in: 0...5, using: &generator) == 0 {
                progress.complete.insert(number)
            }
            let planner = planner(
                new, [], patches: [.init(size: start, groups: groups)], progress: progress)
            for plan in [planner.patchPlan(0), planner.plan()].compactMap(\.self) {
                var there = progress.complete
                for number in plan.patch?.groups ?? [] {
                    let group = groups[number]
                    #expect(group.isUsable && there.isSuperset(of: group.needs), "seed \(generator.seed)")
                    there.formUnion(groups[number].targets)
                }
            }
        }
    }

    private struct AllMissing: Error {}

    /// Whatever is there and whatever is wanted: every content is made, from ranges that are in order and in bounds, and it
    /// costs no more than the whole.
    @Test func everyPlanMakesEveryContent() throws {
        var generator = SeededGenerator.forTest()
        for _ in 0..<150 {
            var pool = (0..<6).map { _ in generator.bytes(Int.random(in: 0...30_000, using: &generator)) }
            func version(_ generator: inout SeededGenerator) throws -> ModelPack {
                var named: [String: [UInt8]] = [:]
                for number in 0..<Int.random(in: 1...8, using: &generator) {
                    var content = pool[Int.random(in: 0..<pool.count, using: &generator)]
                    for _ in 0..<Int.random(in: 0...2, using: &generator) where !content.isEmpty {
                        let place = Int.random(in: 0..<content.count, using: &generator)
                        content.insert(
                            contentsOf: generator.bytes(Int.random(in: 1...50, using: &generator)), at: place)
                    }
                    if Bool.random(using: &generator) {
                        content += pool[Int.random(in: 0..<pool.count, using: &generator)]
                    }
                    pool.append(content)
                    named["f\(number)"] = content
                }
                return try ModelPack(named, blockSize: [512, 4096, 50_000].randomElement(using: &generator) ?? 512)
            }
            let local = [try version(&generator), try version(&generator)]
            let target = try version(&generator)
            let ranges: UpdateFacts.Ranges = [.none, .single, .several(4)].randomElement(using: &generator) ?? .single
            let costs = UpdateFacts.Costs(request: Int64.random(in: 0...8000, using: &generator), part: 80)
            // What an attempt before may have made.
            var progress = UpdateFacts.Progress()
            for (number, content) in target.index.contents.enumerated() {
                switch Int.random(in: 0...3, using: &generator) {
                case 0: progress.complete.insert(number)
                case 1: progress.begun[number] = Int64.random(in: 0...content.size, using: &generator)
                default: break
                }
            }
            let planner = planner(target, local, ranges, costs: costs, progress: progress)
            for plan in [planner.plan(), planner.blocksPlan()].compactMap(\.self) {
                #expect(
                    try target.carryOut(plan, local: local, progress: progress)
                        == target.index.contents.indices.map(target.bytes))
                #expect(zip(plan.blocks, plan.blocks.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound })
                #expect(plan.blocks.allSatisfy { !$0.isEmpty && $0.upperBound <= target.index.archive.blockCount })
                #expect(
                    zip(plan.archiveRanges, plan.archiveRanges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound }
                )
                #expect(
                    plan.archiveRanges.allSatisfy { 0 <= $0.lowerBound && $0.upperBound <= target.index.archive.size })
            }
            #expect(planner.cost(planner.plan()) <= planner.cost(planner.whole))
        }
    }
}
