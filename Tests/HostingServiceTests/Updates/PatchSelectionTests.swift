// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HostingModel
import HostingService
import Testing

/// From which versions patches are made, and which archives are kept for that: a pure decision.
@Suite struct PatchSelectionTests {
    private func version(
        _ number: Int64, live: Set<Channel> = [], former: Set<Channel> = [], withdrawn: Set<Channel> = [],
        digest: String? = nil, gone: Bool = false
    ) -> PatchSelection.Version {
        .init(
            id: "v\(number)", number: number, digest: gone ? nil : digest ?? "d\(number)", live: live, former: former,
            withdrawn: withdrawn)
    }

    private func bases(_ selection: PatchSelection, _ number: Int64) -> [Int64] {
        selection.bases(of: "v\(number)").map(\.number)
    }

    @Test func theLastVersionsOfEachChannelAreBases() {
        let selection = PatchSelection(
            [
                version(1, former: [.internalBeta, .appStore]), version(2, former: [.internalBeta, .appStore]),
                version(3, live: [.appStore], former: [.internalBeta]),
                version(4, live: [.externalBeta], former: [.internalBeta]), version(5, former: [.internalBeta]),
                version(6, former: [.internalBeta]), version(7, live: [.internalBeta]),
            ], count: 2)
        #expect(bases(selection, 7) == [6, 5, 4, 3, 2])
        // Where it is live, those before it count; elsewhere the live one does, too.
        #expect(bases(selection, 3) == [7, 6, 4, 2, 1])
        #expect(selection.kept == ["v7", "v6", "v4", "v3", "v2"])
    }

    @Test func theLiveVersionComesFirstThoughItIsOlder() {
        let selection = PatchSelection(
            [
                version(1, live: [.appStore]), version(2, former: [.appStore]), version(3, former: [.appStore]),
                version(4, live: [.internalBeta]),
            ], count: 1)
        #expect(bases(selection, 4) == [1])
        // Who has what was taken back gets a patch, too.
        #expect(bases(selection, 1) == [4, 3])
        #expect(selection.kept == ["v1", "v4"])
    }

    /// After a rollout was rolled back, devices go back to the latest version that was not.
    @Test func whatDevicesGoBackToIsATarget() {
        let versions = [
            version(1, former: [.appStore]), version(2, former: [.appStore], gone: true),
            version(3, former: [.appStore], withdrawn: [.appStore]),
            version(4, live: [.appStore, .internalBeta], withdrawn: [.appStore]),
        ]
        let selection = PatchSelection(versions, count: 1)
        #expect(versions.filter { selection.isTarget($0.id) }.map(\.number) == [1, 4])
        #expect(bases(selection, 1) == [4])
        // Where nothing was taken back, nobody goes back.
        let elsewhere = PatchSelection(
            [version(1, former: [.appStore]), version(2, live: [.appStore], withdrawn: [.internalBeta])], count: 1)
        #expect(!elsewhere.isTarget("v1"))
    }

    /// Most devices have what was offered last, not what was taken back.
    @Test func whatWasTakenBackIsTheLastBase() {
        let selection = PatchSelection(
            [
                version(1, former: [.appStore]), version(2, former: [.appStore], withdrawn: [.appStore]),
                version(3, live: [.appStore]),
            ], count: 1)
        #expect(bases(selection, 3) == [1])
    }

    @Test func ofVersionsWithOneArchiveTheLatestIsTaken() {
        let selection = PatchSelection(
            [
                version(1, former: [.internalBeta], digest: "same"), version(2, former: [.internalBeta]),
                version(3, former: [.internalBeta], digest: "same"), version(4, former: [.internalBeta], digest: "d5"),
                version(5, live: [.internalBeta]),
            ], count: 4)
        #expect(bases(selection, 5) == [3, 2], "nothing leads from an archive to itself")
    }

    @Test func versionsWithoutArchiveAreBasesStillAndNoTargets() {
        // A patch that was made before its base was removed serves the devices that have it.
        let selection = PatchSelection(
            [version(1, former: [.appStore], gone: true), version(2, live: [.appStore])], count: 3)
        #expect(bases(selection, 2) == [1])
        #expect(selection.isTarget("v2"))
        #expect(!selection.isTarget("v1"))
        #expect(!PatchSelection([version(1, live: [.appStore], gone: true)], count: 3).isTarget("v1"))
        #expect(!selection.isTarget("v3"))
        #expect(selection.bases(of: "v3").isEmpty)
    }

    @Test(arguments: [0, -1])
    func noneMeansNone(count: Int) {
        let selection = PatchSelection(
            [version(1, former: [.appStore]), version(2, live: [.appStore])], count: count)
        #expect(bases(selection, 2).isEmpty)
        #expect(selection.kept.isEmpty)
    }

    @Test func whatNeverWasInAChannelIsNoBase() {
        let selection = PatchSelection(
            [version(1), version(2, live: [.internalBeta]), version(3)], count: 3)
        #expect(bases(selection, 2).isEmpty)
        #expect(bases(selection, 3) == [2])
        #expect(!selection.isTarget("v3"))
    }
}
