// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import PackNamespace
import Testing

@testable import DeviceService

/// How a pack is listed that is local, under way, or both.
@Suite struct PackListingTests {
    private func listing(
        local: UInt64?, underWay: Int, _ state: TransferStatus.State = .downloading, expected: Int64 = 10,
        isRepair: Bool = false
    ) -> PackListing {
        let local = local.map {
            LocalPack(
                NamespacePack(
                    id: "levels", version: $0, directory: "packs/levels/\($0)", downloadSize: 10, installedSize: 20,
                    allocatedSize: 4096, fileCount: 1))
        }
        let transfer = TransferStatus(
            app: "app", pack: "levels", version: underWay, kind: .onDemand, state: state, downloaded: 10,
            expected: expected,
            bytesPerSecond: 0, isRepair: isRepair)
        return PackListing(
            id: "levels", local: local, transfer: transfer, offered: nil, note: nil, isManifestKnown: false)
    }

    @Test func whatIsCommittedIsLocalThoughItsEndIsStillBeingRecorded() {
        #expect(listing(local: 4, underWay: 4).state == .local)
    }

    @Test func anUpdateIsUnderWayThoughTheVersionBeforeIsLocal() {
        #expect(listing(local: 3, underWay: 4).state == .downloading)
        #expect(listing(local: nil, underWay: 4).state == .downloading)
    }

    @Test func anUpdateThatFailedLeavesWhatIsLocal() {
        #expect(listing(local: 3, underWay: 4, .failed).state == .local)
        #expect(listing(local: nil, underWay: 4, .failed).state == .failed)
    }

    /// What is fetched once more is under way, though its version is local.
    @Test func aRepairIsUnderWay() {
        #expect(listing(local: 4, underWay: 4, isRepair: true).state == .downloading)
        #expect(listing(local: 4, underWay: 4, .failed, isRepair: true).state == .local)
    }

    /// How far an update is depends on what it moves, not on the archive.
    @Test func theDownloadIsWhatWillCome() {
        let update = listing(local: 3, underWay: 4, expected: 40)
        #expect(update.downloaded == 10 && update.downloadSize == 40)
        #expect(listing(local: 4, underWay: 4, expected: 40).downloadSize == 10)
    }
}
