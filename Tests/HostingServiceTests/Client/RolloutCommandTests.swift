// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HostingModel
import Kit
import TestSupport
import Testing

/// The publisher's commands for how far a version goes.
@Suite(.timeLimit(.minutes(5))) struct RolloutCommandTests {
    @Test func aRolloutIsStartedWidenedHaltedAndTakenBack() async throws {
        try await HostFixture.with { fixture in
            let pack = try await StagedPack(fixture)
            try await pack.publish(1)
            try await pack.publish(2)
            let named = ["Coast", "--app", HostFixture.bundleID]
            let started = try await fixture.run(
                ["rollout", "start"] + named + [
                    "--channel", "internalBeta", "--percentage", "0", "--failure-threshold", "5", "--json",
                ])
            #expect(started.code == .success, "\(started)")
            let rollout = try #require(try JSONParser.parse(Array(started.output.utf8)).value["id"]?.stringValue)
            #expect(try await pack.attributes(rollout)["failureThreshold"] == 5)
            #expect(try await pack.offered("") == 1)

            let widened = try await fixture.run(["rollout", "set", rollout, "--percentage", "100"])
            #expect(widened.output.contains("100 %"), "\(widened)")
            #expect(try await pack.offered("") == 2)
            let list = try await fixture.run(["rollout", "list", "--app", HostFixture.bundleID])
            #expect(list.output.contains(rollout) && list.output.contains("Coast 2"), "\(list)")
            #expect(try await fixture.run(["rollout", "set", rollout, "--percentage", "10"]).code == .success)
            for (word, state, devices) in [
                ("halt", "HALTED", "10 %"), ("resume", "ACTIVE", "10 %"), ("rollback", "ROLLED_BACK", "none"),
                ("resume", "ACTIVE", "10 %"), ("complete", "COMPLETE", "all"),
            ] {
                let output = try await fixture.run(["rollout", word, rollout])
                #expect(output.code == .success && output.output.contains(state), "\(output)")
                #expect(output.output.contains("Devices: \(devices)\n"), "\(output)")
                let line = try await fixture.run(["rollout", "list", "--all"]).output.split(separator: "\n").first {
                    $0.contains(rollout)
                }
                #expect(try #require(line).contains(" \(devices) "), "\(line ?? "")")
            }
            #expect(try await fixture.run(["rollout", "halt", rollout]).code != .success)
            #expect(try await !fixture.run(["rollout", "list"]).output.contains(rollout))
            #expect(try await fixture.run(["rollout", "list", "--all"]).output.contains(rollout))
        }
    }

    @Test func aVersionIsPinnedAndUnpinned() async throws {
        try await HostFixture.with { fixture in
            let pack = try await StagedPack(fixture)
            try await pack.publish(1)
            try await pack.publish(2)
            let named = ["Coast", "--app", HostFixture.bundleID, "--number", "2"]
            for least in ["2.0", "3.0"] {
                let pinned = try await fixture.run(["rollout", "pin"] + named + ["--minimum-app-version", least])
                #expect(pinned.code == .success, "\(pinned)")
            }
            #expect(try await pack.offered("&appVersion=2.0") == 1)
            #expect(try await pack.offered("&appVersion=3.0") == 2)
            // What is refused changes nothing: the version does not go to all for a slip of the pen.
            for wrong in [
                ["--minimum-app-version", "x"], ["--minimum-app-version", "3", "--maximum-app-version", "2"],
            ] {
                #expect(try await fixture.run(["rollout", "pin"] + named + wrong).code != .success)
                #expect(try await pack.offered("&appVersion=2.0") == 1, "\(wrong)")
            }
            // The new range takes the place of the old one, with both of its ends.
            #expect(
                try await fixture.run(["rollout", "pin"] + named + ["--maximum-app-version", "2.5"]).code == .success)
            #expect(try await pack.offered("&appVersion=2.0") == 2)
            #expect(try await pack.offered("&appVersion=3.0") == 1)
            #expect(try await fixture.run(["rollout", "unpin"] + named).code == .success)
            #expect(try await pack.offered("&appVersion=2.0") == 2)
        }
    }

    @Test func whatIsMissingIsSaid() async throws {
        try await HostFixture.with { fixture in
            let pack = try await StagedPack(fixture)
            try await pack.publish(1)
            let named = ["Coast", "--app", HostFixture.bundleID]
            #expect(try await fixture.run(["rollout", "start"] + named + ["--percentage", "5"]).code == .usage)
            #expect(try await fixture.run(["rollout", "start"] + named + ["--channel", "appStore"]).code == .usage)
            #expect(try await fixture.run(["rollout", "pin"] + named).code == .usage)
            #expect(try await fixture.run(["rollout", "set", "x"]).code == .usage)
            let missing = try await fixture.run(["rollout", "unpin"] + named + ["--number", "9"])
            #expect(missing.code == .notFound && missing.errors.contains("no version 9"), "\(missing)")
        }
    }
}
