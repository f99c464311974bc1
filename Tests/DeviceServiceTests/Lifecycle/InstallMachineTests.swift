// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import AssetPacks
import DeviceProtocol
import Kit
import TestSupport
import Testing

@testable import DeviceService

struct InstallMachineTests {
    private static func pack(_ id: String, size: Int64 = 100) -> DownloadManifestPack {
        DownloadManifestPack(
            id: id, url: "https://localhost/\(id)", version: 1, downloadSize: size,
            downloadPolicy: .essential([.firstInstallation]))
    }

    private static func machine(kind: InstallPlan.Kind = .install, archive: String? = nil) -> InstallMachine {
        InstallMachine(
            InstallPlan(
                kind: kind, app: "org.example.game", displayName: "Game", version: "1", source: "/Game.app",
                archive: archive, bundle: 1, baseSize: 1000, isManaged: true, essentialAllowance: 5000))
    }

    private static func simulated(_ event: InstallPlan.Kind = .install) -> InstallMachine {
        var plan = machine(kind: .update).plan
        (plan.event, plan.isSimulated) = (event, true)
        return InstallMachine(plan)
    }

    private static let packs = [
        PlannedItem(pack("E"), .essential), PlannedItem(pack("P"), .prefetch), PlannedItem(pack("U"), .update),
    ]

    private static let enough = SpacePlan(toFetch: 1, toWrite: 1, peak: 1, free: 2)

    /// A machine that downloads its essential pack.
    private func downloading(_ packs: [PlannedItem] = packs) -> InstallMachine {
        var machine = Self.machine()
        _ = machine.handle(.chosen(packs))
        _ = machine.handle(.answered(declined: [], trouble: nil))
        _ = machine.handle(.planned(Self.enough))
        _ = machine.handle(.copiedAll)
        return machine
    }

    @Test func aHostedBuildComesFirstAndCountsInTheOneProgress() throws {
        let build = try HostedBuild.decode(
            Array(
                """
                {"id": "b", "bundleID": "org.example.game", "displayName": "Game", "version": "1", "build": "3",
                 "folder": "Game.app", "installedSize": 1000, "mode": "managedHosted",
                 "archive": {"url": "https://localhost/a", "size": 400, "digest": "\(String(repeating: "ab", count: 32))"}}
                """.utf8), source: "test")
        var plan = Self.machine(archive: "/1.aar").plan
        plan.hosted = HostedInstall(origin: AppOrigin(host: "https://localhost", channel: "appStore"), build: build)
        var machine = InstallMachine(plan)
        #expect(machine.entry == [.downloadApp])
        #expect(machine.event().total == 400 + 1000 + 5000)
        #expect(machine.handle(.fetched(bytes: 150)) == [])
        #expect(machine.event().completed == 150)
        #expect(machine.event().phase == .downloading)
        // What came stays through a pause, and through a death of the service.
        #expect(machine.handle(.pause) == [.endStep])
        #expect(machine.event().phase == .paused)
        #expect(machine.handle(.resume) == [.downloadApp])
        machine.restart()
        #expect(machine.entry == [.downloadApp])
        #expect(machine.handle(.fetchedAll) == [.unpackApp])
        #expect(machine.event().completed == 400)
        #expect(machine.handle(.unpacked) == [.choosePacks])
        #expect(machine.event().completed == 1400)

        let same = machine.plan
        #expect(machine.repetition(by: same) == .follow)
        var other = same
        other.hosted?.build.id = "c"
        #expect(machine.repetition(by: other) == .refuse)
        machine = InstallMachine(plan)
        let error = DeviceError(.manifestUnavailable, "gone")
        #expect(machine.handle(.failed(error)) == [.rollBack])
    }

    @Test func anArchiveIsUnpackedFirstAndOnce() {
        var machine = Self.machine(archive: "/Game.aar")
        #expect(machine.entry == [.unpackApp])
        #expect(machine.handle(.copied(bytes: 300)) == [])
        #expect(machine.event().completed == 300)
        #expect(machine.event().phase == .copyingApp)
        // Killed meanwhile: from the start.
        machine.restart()
        #expect(machine.event().completed == 0)
        #expect(machine.entry == [.unpackApp])
        // A pause that comes first holds what follows.
        #expect(machine.handle(.pause) == [])
        #expect(machine.handle(.unpacked) == [])
        #expect(machine.handle(.resume) == [.choosePacks])
        #expect(machine.event().completed == 1000)
        // What is unpacked stays so through a restart.
        _ = machine.handle(.chosen([]))
        #expect(machine.handle(.planned(Self.enough)) == [.copyApp])
        machine.restart()
        #expect(machine.entry == [.copyApp])
        #expect(machine.event().completed == 1000)
        #expect(machine.handle(.copiedAll) == [.commit])
    }

    @Test func aRepetitionIsFollowedUnlessTheBundleIsAnother() {
        var plan = Self.machine().plan
        plan.sourceChange = Timestamp(seconds: 1_800_000_000, nanoseconds: 5)
        var machine = InstallMachine(plan)
        var others = [plan, plan, plan]
        others[0].version = "2"
        others[1].baseSize += 1
        others[2].sourceChange?.nanoseconds = 6
        var unknown = plan
        unknown.sourceChange = nil
        #expect(InstallMachine(unknown).repetition(by: unknown) == .refuse)
        for other in others { #expect(machine.repetition(by: other) == .refuse) }
        #expect(machine.repetition(by: plan) == .follow)
        #expect(machine.handle(.superseded) == [])
        _ = machine.handle(.chosen(Self.packs))
        _ = machine.handle(.answered(declined: [], trouble: nil))
        _ = machine.handle(.planned(Self.enough))
        _ = machine.handle(.copiedAll)
        _ = machine.handle(.item(.pack("E"), .finished))
        _ = machine.handle(.committed)
        #expect(machine.state == .prefetching)
        #expect(machine.repetition(by: plan) == .follow)
        for other in others { #expect(machine.repetition(by: other) == .supersede) }
        #expect(machine.handle(.pause) == [.pauseItems])
        #expect(machine.handle(.superseded) == [.resumeItems])
        #expect(machine.state == .complete)
        #expect(machine.repetition(by: plan) == .wait)
        var undone = InstallMachine(plan)
        _ = undone.handle(.cancel)
        #expect(undone.repetition(by: plan) == .refuse)
    }

    @Test func anInstallGoesThroughItsStates() {
        var machine = Self.machine()
        #expect(machine.entry == [.choosePacks])
        #expect(machine.handle(.chosen(Self.packs)) == [.askExtension(Self.packs.prefix(2).compactMap(\.pack))])
        #expect(
            machine.handle(.answered(declined: [], trouble: nil)) == [.planSpace([Self.packs[0], Self.packs[1]])])
        #expect(machine.handle(.planned(Self.enough)) == [.copyApp])
        #expect(machine.handle(.copied(bytes: 500)) == [])
        #expect(machine.event().completed == 500)
        #expect(machine.handle(.copiedAll) == [.request([Self.packs[0]])])
        #expect(machine.handle(.item(.pack("E"), .progress(downloaded: 40))) == [])
        #expect(machine.event().completed == 1040)
        #expect(!machine.state.isLaunchable)
        #expect(machine.handle(.item(.pack("E"), .finished)) == [.commit])
        #expect(machine.handle(.committed) == [.request([Self.packs[1], Self.packs[2]])])
        #expect(machine.event().phase == .launchable)
        #expect(machine.handle(.item(.pack("P"), .finished)) == [])
        #expect(machine.handle(.item(.pack("U"), .finished)) == [])
        #expect(machine.event().phase == .complete)
        #expect(machine.event().completed == machine.event().total)
    }

    @Test func aSimulatedInstallLeavesTheBaseAppAlone() {
        var machine = Self.simulated()
        #expect(machine.plan.isFirstInstall)
        #expect(machine.repetition(by: machine.plan) == .refuse)
        #expect(machine.entry == [.choosePacks])
        _ = machine.handle(.chosen(Self.packs))
        _ = machine.handle(.answered(declined: [], trouble: nil))
        #expect(machine.handle(.planned(Self.enough)) == [.request([Self.packs[0]])])
        #expect(machine.handle(.item(.pack("E"), .finished)) == [.request([Self.packs[1], Self.packs[2]])])
        #expect(machine.repetition(by: machine.plan) == .supersede)
        _ = machine.handle(.item(.pack("P"), .finished))
        _ = machine.handle(.item(.pack("U"), .finished))
        #expect(machine.state == .complete)
        #expect(!Self.simulated(.update).plan.isFirstInstall)
    }

    @Test func whatIsHeldBackComesBackIntoTheInstall() {
        var machine = downloading()
        #expect(machine.handle(.item(.pack("E"), .held(.lowPower))) == [.commit])
        _ = machine.handle(.committed)
        _ = machine.handle(.item(.pack("E"), .progress(downloaded: 10)))
        _ = machine.handle(.item(.pack("P"), .finished))
        #expect(machine.handle(.item(.pack("U"), .finished)) == [] && machine.state == .prefetching)
        #expect(machine.handle(.item(.pack("E"), .finished)) == [] && machine.state == .complete)
    }

    @Test func aDownloadThatFailedIsItsExtensionsBusiness() {
        var machine = Self.machine()
        let key = PlannedItem.Key.download(7)
        let download = PlannedItem(.download(number: 7, identifier: "E", size: 100), .essential)
        let refused = PlannedItem(.refused(identifier: "E", size: 9), .essential, .deferred)
        // One identifier may stand for both.
        #expect(machine.handle(.chosen([refused, download], trouble: "Late.")) == [.planSpace([download])])
        _ = machine.handle(.planned(Self.enough))
        #expect(machine.handle(.copiedAll) == [.request([download])])
        #expect(machine.handle(.item(key, .failed(DeviceError(.failed, "Gone.")))) == [.commit])
        #expect(machine.handle(.committed) == [] && machine.state == .complete)
        let event = machine.event()
        #expect(event.packs.map(\.state) == [.declined, .failed] && event.packs.map(\.id) == ["E", "E"])
        #expect(event.packs.map(\.essentialError) == [nil, nil] && event.warnings == ["Late."])
    }

    /// The copy and the download of an update go on side by side; the base takes its place when both are done.
    @Test func anUpdatesPacksComeWhileItsBaseIsCopied() {
        var machine = Self.machine(kind: .update)
        _ = machine.handle(.chosen(Self.packs))
        _ = machine.handle(.answered(declined: [], trouble: nil))
        let both: [InstallMachine.Action] = [.copyApp, .request([Self.packs[0]])]
        #expect(machine.handle(.planned(Self.enough)) == both)
        // Killed meanwhile: both anew.
        var restarted = machine
        restarted.restart()
        #expect(restarted.entry == both)
        #expect(machine.handle(.pause) == [.pauseItems])
        #expect(machine.handle(.resume) == [.resumeItems] + both)
        var slow = machine
        #expect(machine.handle(.item(.pack("E"), .finished)) == [])
        #expect(machine.state == .copyingApp)
        #expect(machine.handle(.copiedAll) == [.commit])
        #expect(slow.handle(.copiedAll) == [])
        #expect(slow.handle(.item(.pack("E"), .finished)) == [.commit])
        // A copy that fails takes the downloads along.
        #expect(restarted.handle(.failed(DeviceError(.noSpace, "Full."))) == [.rollBack])
    }

    @Test func theAllowanceStandsForUnknownSizes() {
        var machine = Self.machine()
        #expect(machine.event().total == 6000)
        _ = machine.handle(.chosen(Self.packs))
        #expect(machine.event().total == 1100)
    }

    @Test func anAppWithoutPacksNeedsNoExtensionAndNoDownload() {
        var machine = Self.machine()
        #expect(machine.handle(.chosen([])) == [.planSpace([])])
        #expect(machine.handle(.planned(Self.enough)) == [.copyApp])
        #expect(machine.handle(.copiedAll) == [.commit])
        #expect(machine.handle(.committed) == [])
        #expect(machine.state == .complete)
    }

    @Test func tooLittleSpaceIsRefusedWithFiguresBeforeTheFirstByte() {
        var machine = Self.machine()
        _ = machine.handle(.chosen(Self.packs))
        _ = machine.handle(.answered(declined: [], trouble: nil))
        let full = SpacePlan(toFetch: 10, toWrite: 20, peak: 30, free: 5)
        #expect(machine.handle(.planned(full)) == [.rollBack])
        #expect(machine.event().phase == .undoing)
        #expect(machine.handle(.rolledBack) == [])
        let event = machine.event()
        #expect(event.phase == .failed)
        #expect(event.error?.code == .noSpace)
        #expect(event.error?.details["peak"] == "30")
    }

    @Test func aFailedEssentialPackIsOfferedAgainAsPrefetch() {
        var machine = downloading()
        let error = DeviceError(.failed, "The server is gone.")
        #expect(machine.handle(.item(.pack("E"), .failed(error))) == [.commit])
        let actions = machine.handle(.committed)
        guard case .request(let packs)? = actions.first else { return #expect(Bool(false), "\(actions)") }
        #expect(packs.map(\.name) == ["E", "P"] || packs.map(\.name) == ["E", "P", "U"])
        #expect(packs.first?.role == .prefetch)
        #expect(machine.event().phase == .launchable)
        #expect(machine.event().notes == ["The server is gone."])
        #expect(machine.event().packs.map(\.essentialError) == [error, nil, nil])
        _ = machine.handle(.item(.pack("P"), .finished))
        _ = machine.handle(.item(.pack("U"), .finished))
        #expect(machine.handle(.item(.pack("E"), .failed(error))) == [])
        #expect(machine.state == .complete)
        #expect(machine.event().packs.first?.state == .failed)
    }

    @Test func aPackFromAHostThatIsNotAllowedYetIsDeferred() {
        var machine = downloading()
        let error = DeviceError(.domainNotAllowed, "Another host.")
        #expect(machine.handle(.item(.pack("E"), .failed(error))) == [.commit])
        #expect(machine.plan.items?.first?.state == .deferred)
        _ = machine.handle(.committed)
        #expect(machine.event().packs.first?.essentialError == nil)
        #expect(machine.event().packs.first?.state == .declined)
    }

    @Test func declinedPacksAreLeftOut() {
        var machine = Self.machine()
        _ = machine.handle(.chosen(Self.packs))
        #expect(
            machine.handle(.answered(declined: ["E"], trouble: "It crashed.")) == [.planSpace([Self.packs[1]])])
        _ = machine.handle(.planned(Self.enough))
        #expect(machine.handle(.copiedAll) == [.commit])
        #expect(machine.event().warnings == ["It crashed."] && machine.event().notes == [])
        #expect(machine.event().packs.first?.state == .declined)
        #expect(machine.event().total == 1000)
    }

    @Test func pausesHoldTheNextStepAgainAndAgain() {
        var machine = downloading()
        for _ in 0..<3 {
            #expect(machine.handle(.pause) == [.pauseItems])
            #expect(machine.handle(.pause) == [])
            #expect(machine.event().phase == .paused)
            #expect(machine.entry == [])
            #expect(machine.handle(.resume) == [.resumeItems, .request([Self.packs[0]])])
            #expect(machine.handle(.resume) == [])
        }
        _ = machine.handle(.pause)
        #expect(machine.handle(.item(.pack("E"), .finished)) == [])
        #expect(machine.state == .downloading)
        #expect(machine.handle(.resume) == [.resumeItems, .commit])
    }

    @Test func aPauseWhilePlanningBeginsThePlanningAnew() {
        var machine = Self.machine()
        _ = machine.handle(.chosen(Self.packs))
        #expect(machine.handle(.pause) == [])
        #expect(machine.handle(.answered(declined: [], trouble: nil)) == [])
        #expect(machine.handle(.resume) == [.choosePacks])
        #expect(machine.state == .fetchingManifest)
    }

    @Test func cancellingUndoesWhatIsNotInstalledYet() {
        var machine = downloading()
        #expect(machine.handle(.cancel) == [.rollBack])
        #expect(machine.handle(.cancel) == [])
        #expect(machine.handle(.item(.pack("E"), .finished)) == [])
        #expect(machine.handle(.failed(DeviceError(.failed, "late"))) == [])
        #expect(machine.handle(.rolledBack) == [])
        #expect(machine.event().phase == .cancelled)
        #expect(machine.event().error == nil)
    }

    @Test func cancellingAnInstalledAppStopsThePrefetchOnly() {
        var machine = downloading()
        _ = machine.handle(.item(.pack("E"), .finished))
        _ = machine.handle(.committed)
        #expect(machine.handle(.cancel) == [.cancelItems([.pack("P"), .pack("U")])])
        #expect(machine.state == .complete)
    }

    @Test func factsOfOtherStatesChangeNothing() {
        var machine = Self.machine()
        let before = machine
        for fact: InstallMachine.Fact in [
            .answered(declined: ["E"], trouble: nil), .planned(Self.enough), .copied(bytes: 5), .copiedAll, .committed,
            .rolledBack, .resume, .item(.pack("E"), .finished),
        ] {
            #expect(machine.handle(fact) == [])
        }
        #expect(machine == before)
    }

    /// Random facts, with a restart in between now and then: no sequence leaves a machine that waits for nothing.
    @Test func everyUnfinishedMachineKnowsWhatComesNext() {
        var random = SeededGenerator.forTest()
        for _ in 0..<3000 {
            let machines = [Self.machine(), Self.machine(kind: .update), Self.simulated()]
            var machine = machines[Int.random(in: 0..<3, using: &random)]
            for _ in 0..<30 {
                let error = DeviceError(.failed, "x")
                let facts: [InstallMachine.Fact] = [
                    .chosen(Self.packs), .chosen([]), .answered(declined: ["P"], trouble: nil), .planned(Self.enough),
                    .copiedAll, .item(.pack("E"), .finished), .item(.pack("E"), .failed(error)),
                    .item(.pack("P"), .finished),
                    .item(.pack("U"), .failed(error)), .committed, .failed(error), .pause, .resume, .cancel,
                    .rolledBack,
                ]
                _ = machine.handle(facts[Int.random(in: 0..<facts.count, using: &random)])
                if Int.random(in: 0..<10, using: &random) == 0 { machine.restart() }
                if machine.state.isFinal { break }
                if machine.isPaused {
                    var resumed = machine
                    #expect(!resumed.handle(.resume).isEmpty || resumed.state.isFinal, "\(machine)")
                } else {
                    #expect(!machine.entry.isEmpty, "\(machine)")
                }
            }
        }
    }
}
