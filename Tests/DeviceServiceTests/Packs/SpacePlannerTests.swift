// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import Testing

@testable import DeviceService

@Suite struct SpacePlannerTests {
    private func planner(available: Int64, reserved: Int64 = 0) -> SpacePlanner {
        SpacePlanner(
            space: FileSystemSpace(available: available, total: 1_000_000_000, blockSize: 4096), reserved: reserved)
    }

    @Test func countsFilesInBlocksAndKeepsAReserve() {
        let plan = planner(available: 500_000_000).plan(
            [.init(downloadSize: 100_000_000, installedSize: 200_000_000, fileCount: 1000)], alsoWriting: 5_000_000)
        #expect(plan.toFetch == 100_000_000)
        #expect(plan.toWrite == 205_000_000 + 1000 * 2048)
        #expect(plan.peak == plan.toWrite + SpacePlanner.fixedOverhead + 1000 * SpacePlanner.overheadPerFile)
        #expect(plan.peak - 205_000_000 < 64 << 20)
        #expect(plan.free == 490_000_000)
        #expect(plan.fits)
    }

    @Test func whatIsStagedNeedNotBeFetchedAgain() {
        let plan = planner(available: 500_000_000).plan([
            .init(downloadSize: 100, installedSize: 300, fileCount: 0, fetched: 40, written: 120)
        ])
        #expect(plan.toFetch == 60)
        #expect(plan.toWrite == 180)
    }

    /// Of an update those files count that are written; the others only take lines and names.
    @Test func anUpdateNeedsRoomForWhatChanged() {
        var pack = SpacePlanner.Pack(downloadSize: 100_000_000, installedSize: 200_000_000, fileCount: 1000)
        #expect(!planner(available: 50_000_000).plan([pack]).fits)
        pack.update = SpacePlanner.Update(toFetch: 3_000_000, toWrite: 20_000_000, changedFiles: 10)
        let plan = planner(available: 50_000_000).plan([pack])
        #expect(plan.toFetch == 3_000_000)
        #expect(plan.toWrite == 20_000_000 + 10 * 2048)
        #expect(plan.peak == plan.toWrite + SpacePlanner.fixedOverhead + 1000 * SpacePlanner.overheadPerFile)
        #expect(plan.fits)
        pack.update = SpacePlanner.Update(toFetch: .min, toWrite: .max, changedFiles: .max)
        #expect(planner(available: .max).plan([pack, pack]).peak == .max)
    }

    @Test func transfersUnderWayAreCounted() {
        let pack = SpacePlanner.Pack(downloadSize: 50_000_000, installedSize: 90_000_000)
        #expect(planner(available: 110_000_000).plan([pack]).fits)
        #expect(!planner(available: 110_000_000, reserved: 50_000_000).plan([pack]).fits)
    }

    @Test func withoutAnInstalledSizeTwiceTheArchiveIsAssumed() {
        #expect(planner(available: 0).plan([.init(downloadSize: 70)]).toWrite == 140)
    }

    @Test func nothingToDoNeedsNothing() {
        #expect(planner(available: 0).plan([]) == SpacePlan(toFetch: 0, toWrite: 0, peak: 0, free: 0))
    }

    @Test func absurdFiguresDoNotTrap() {
        let absurd = SpacePlanner.Pack(
            downloadSize: .max, installedSize: .max, fileCount: .max, fetched: .min, written: .min)
        let plan = planner(available: .max, reserved: .max).plan([absurd, absurd], alsoWriting: .max)
        #expect(plan.peak == .max)
        #expect(!plan.fits)
    }
}
