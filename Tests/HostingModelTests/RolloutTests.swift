// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import TestSupport
import Testing

@testable import HostingModel

struct RolloutTests {
    private func version(_ text: String) throws -> AppVersion { try #require(AppVersion(text)) }

    @Test func versionsAreComparedByNumbers() throws {
        #expect(try version("2.0") < version("10.0"))
        #expect(try version("2") == version("2.0.0"))
        #expect(try version("2.0.1") > version("2"))
        for text in ["", "2.", ".1", "2.0b", "-1", "1.2.3.4.5.6.7.8.9", "99999999999"] {
            #expect(AppVersion(text) == nil)
        }
    }

    @Test func aDeviceThatIsInStaysInWhileTheShareGrows() {
        var generator = SeededGenerator.forTest()
        let devices = (0..<2000).map { _ in "\(UInt64.random(in: 0...UInt64.max, using: &generator))" }
        var before: Set<String> = []
        for percentage in [0, 1, 10, 50, 99, 100] {
            let rollout = Rollout(id: "r", state: .active, percentage: percentage)
            let admitted = Set(devices.filter { rollout.admits($0, wasGiven: false) })
            #expect(before.isSubset(of: admitted))
            let share = Double(admitted.count) / Double(devices.count) * 100
            #expect(abs(share - Double(percentage)) < 5, "\(percentage) % of all were \(share) %")
            before = admitted
        }
        #expect(before.count == devices.count)
    }

    @Test func anotherRolloutDrawsAnew() {
        let devices = (0..<2000).map { "device-\($0)" }
        func admitted(_ id: String) -> Set<String> {
            Set(devices.filter { Rollout(id: id, state: .active, percentage: 50).admits($0, wasGiven: false) })
        }
        let both = admitted("a").intersection(admitted("b")).count
        #expect((400...600).contains(both), "\(both)")
    }

    @Test func whoIsNobodyComesLast() {
        #expect(!Rollout(id: "r", state: .active, percentage: 99).admits(nil, wasGiven: false))
        #expect(Rollout(id: "r", state: .active, percentage: 100).admits(nil, wasGiven: false))
        #expect(Rollout(id: "r", state: .complete, percentage: 5).admits(nil, wasGiven: false))
    }

    @Test func aHaltKeepsWhatIsThereAndARollBackTakesIt() {
        let halted = Rollout(id: "r", state: .halted, percentage: 100)
        #expect(halted.admits("a", wasGiven: true) && !halted.admits("b", wasGiven: false))
        let gone = Rollout(id: "r", state: .rolledBack, percentage: 100)
        #expect(!gone.admits("a", wasGiven: true) && !gone.admits(nil, wasGiven: false))
    }

    @Test func failuresAboveTheThresholdStopIt() {
        var rollout = Rollout(id: "r", state: .active, percentage: 10, failureThreshold: 5, minimumReports: 20)
        (rollout.successes, rollout.failures) = (10, 9)
        #expect(!rollout.hasFailed, "too few reports")
        (rollout.successes, rollout.failures) = (19, 1)
        #expect(!rollout.hasFailed, "exactly the threshold")
        (rollout.successes, rollout.failures) = (18, 2)
        #expect(rollout.hasFailed)
        rollout.state = .halted
        #expect(!rollout.hasFailed, "it stands already")
        rollout.state = .active
        rollout.failureThreshold = nil
        #expect(!rollout.hasFailed)
    }

    @Test func theStatesOfARolloutAreThese() {
        let legal: [RolloutState: [RolloutState.Event: RolloutState]] = [
            .active: [.halted: .halted, .rolledBack: .rolledBack, .completed: .complete],
            .halted: [.resumed: .active, .rolledBack: .rolledBack, .completed: .complete],
            .rolledBack: [.resumed: .active],
            .complete: [.rolledBack: .rolledBack],
        ]
        for state in RolloutState.allCases {
            for event in RolloutState.Event.allCases { #expect(state.next(event) == legal[state]?[event]) }
        }
    }

    @Test func aDeviceGetsTheNewestThatSuitsIt() throws {
        typealias Candidate = VersionChoice.Candidate
        let three = Candidate(id: "3", number: 3, minimumAppVersion: try version("3.0"))
        let two = Candidate(
            id: "2", number: 2, minimumAppVersion: try version("2.0"), maximumAppVersion: try version("2.9"))
        let one = Candidate(id: "1", number: 1)
        func chosen(_ app: String?) -> Int64? {
            VersionChoice(for: AskingDevice(appVersion: app.flatMap { AppVersion($0) })).choose(
                live: three, earlier: [one, two])?.number
        }
        #expect(chosen("3.1") == 3)
        #expect(chosen("2.9") == 2)
        #expect(chosen("2.9.1") == 1)
        #expect(chosen("1.0") == 1)
        #expect(chosen(nil) == 1)
        // What a live version took the place of by being older is not offered again.
        let choice = VersionChoice(for: AskingDevice(appVersion: try version("1.0")))
        #expect(choice.choose(live: two, earlier: [three]) == nil)
    }

    @Test func whoIsNotReachedYetKeepsTheVersionBefore() {
        typealias Candidate = VersionChoice.Candidate
        let live = Candidate(
            id: "2", number: 2, rollout: Rollout(id: "r", state: .active, percentage: 0))
        let before = Candidate(id: "1", number: 1)
        func chosen(_ device: AskingDevice, _ earlier: [Candidate]) -> Int64? {
            VersionChoice(for: device).choose(live: live, earlier: earlier)?.number
        }
        #expect(chosen(AskingDevice(id: "a"), [before]) == 1)
        #expect(chosen(AskingDevice(id: "a", taken: ["r"]), [before]) == 2)
        #expect(chosen(AskingDevice(id: "a"), []) == nil)
    }

    @Test func whatADeviceSaysIsTakenOnlyWhenItIsSensible() {
        let device = AskingDevice(query: [
            ("platform", "Linux"), ("device", "0123456789abcdef"), ("appVersion", "2.1"), ("taken", "a,b"),
            ("device", "another-0123456789"),
        ])
        #expect(device == AskingDevice(id: "0123456789abcdef", appVersion: AppVersion("2.1"), taken: ["a", "b"]))
        let odd = ["", "short", "0123456789abcde/", String(repeating: "a", count: 65), "0123456789abcde\u{e4}"]
        for text in odd { #expect(AskingDevice(query: [("device", text), ("appVersion", "two")]) == AskingDevice()) }
        let many = (0..<1000).map(String.init).joined(separator: ",")
        #expect(AskingDevice(query: [("taken", many)]).taken.count == 256)
    }

    @Test func countsBeyondAllMeasureDoNotTrap() {
        let rollout = Rollout(
            id: "r", state: .active, percentage: .max, failureThreshold: .max, minimumReports: 0, successes: .max,
            failures: .max)
        #expect(!rollout.hasFailed && rollout.admits("a", wasGiven: false))
        #expect(!Rollout(id: "r", state: .active, percentage: .min).admits("a", wasGiven: false))
    }
}
