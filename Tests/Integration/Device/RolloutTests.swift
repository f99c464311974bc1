// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import DeviceSupport
import Kit
import System
import TestSupport
import Testing

/// Versions go to some devices first, by the real programs (G3).
@Suite(.serialized) struct RolloutTests {
    private static let devices = (0..<60).map { "simulated-device-\($0)" }

    /// Uploads another version of the essential pack.
    private func publish(_ number: Int, _ host: HostBench) async throws {
        try await host.publish(pack(number, host))
    }

    private func content(_ number: Int) -> [UInt8] { Array("version \(number)".utf8) }

    private func pack(_ number: Int, _ host: HostBench) throws -> SamplePack {
        // The bench has a first one already; the host gives numbers of its own.
        try SamplePack.make(
            "First", version: 10 + number, policy: "essential", files: ["first.txt": content(number)],
            in: host.bench.scratch)
    }

    /// Starts a rollout of the newest version; its identifier.
    private func start(_ host: HostBench, _ percentage: Int, _ more: String...) async throws -> String {
        let rollout = try await host.json(
            [
                "rollout", "start", "First", "--app", SampleApp.bundleID, "--channel", "internalBeta", "--percentage",
                "\(percentage)",
            ] + more)
        return try #require(rollout["id"]?.stringValue)
    }

    private func entry(_ host: HostBench, _ arguments: String) async throws -> JSONValue? {
        try await host.manifest(arguments)["assetPacks"]?.arrayValue?.first { $0["id"] == "First" }
    }

    private func devices(_ host: HostBench, with version: Int64, _ more: String = "") async throws -> Set<String> {
        var found: Set<String> = []
        for device in Self.devices
        where try await entry(host, "&device=\(device)\(more)")?["version"]?.integerValue == version {
            found.insert(device)
        }
        return found
    }

    @Test func simulatedDevicesGetTheirShareAndKeepIt() async throws {
        try await HostBench.with { host in
            try await publish(1, host)
            try await publish(2, host)
            let rollout = try await start(host, 30)
            let some = try await devices(host, with: 2)
            #expect((5...35).contains(some.count), "\(some.count) of 60 are 30 percent")
            #expect(try await devices(host, with: 1).count == 60 - some.count)
            try await host.expectSuccess(["rollout", "set", rollout, "--percentage", "70"] + host.credentials)
            let more = try await devices(host, with: 2)
            #expect(some.isSubset(of: more) && more.count > some.count)
            #expect((25...56).contains(more.count), "\(more.count) of 60 are 70 percent")
            try await host.expectSuccess(["rollout", "halt", rollout] + host.credentials)
            #expect(try await devices(host, with: 2).isEmpty)
            #expect(try await devices(host, with: 2, "&taken=\(rollout)").count == 60)
            try await host.expectSuccess(["rollout", "rollback", rollout] + host.credentials)
            #expect(try await devices(host, with: 1, "&taken=\(rollout)").count == 60)

            // Pinned, whatever the rollout says.
            try await host.expectSuccess(["rollout", "resume", rollout] + host.credentials)
            try await host.expectSuccess(["rollout", "complete", rollout] + host.credentials)
            try await host.expectSuccess(
                [
                    "rollout", "pin", "First", "--app", SampleApp.bundleID, "--number", "2", "--minimum-app-version",
                    "2.0",
                ] + host.credentials)
            #expect(try await entry(host, "&appVersion=1.9")?["version"] == 1)
            #expect(try await entry(host, "&appVersion=2.0")?["version"] == 2)
        }
    }

    @Test func aDeviceTakesPartReportsAndStopsARolloutThatFails() async throws {
        try await HostBench.with { host in
            let (bench, id) = (host.bench, SampleApp.bundleID)
            try await publish(1, host)
            try await host.publish(host.app(version: "1.0"), version: "1.0")
            try await host.expectSuccess(["settings", "set", "updateReports", "on"])
            try await host.expectSuccess(
                ["install", id, "--from", host.url, "--channel", "internalBeta", "--token", host.token])
            let app = try await bench.device.launch()
            #expect(try await app.ask("read first.txt") == "ok " + summary(content(1)))

            // The device is among all devices, and says that it came well.
            try await publish(2, host)
            let good = try await start(host, 99, "--failure-threshold", "10", "--minimum-reports", "1")
            try await host.expectSuccess(["rollout", "set", good, "--percentage", "100"] + host.credentials)
            #expect(try await app.ask("ensureLatest First") == "ok First")
            #expect(try await app.ask("read first.txt") == "ok " + summary(content(2)))
            #expect(try await reports(host, good) { $0.successes == 1 }.state == "ACTIVE")
            try await host.expectSuccess(["rollout", "halt", good] + host.credentials)
            _ = try await app.ask("check")
            #expect(try await app.ask("read first.txt") == "ok " + summary(content(2)), "who has it keeps it")

            // Rolled back: the device goes back.
            try await host.expectSuccess(["rollout", "rollback", good] + host.credentials)
            #expect(try await app.ask("ensureLatest First") == "ok First")
            #expect(try await app.ask("read first.txt") == "ok " + summary(content(1)))

            // A version whose archive is broken on the host's disk.
            try await publish(3, host)
            let bad = try await start(host, 100, "--failure-threshold", "10", "--minimum-reports", "1")
            try breakArchive(of: try #require(try await entry(host, "&device=\(Self.devices[0])")), host)
            #expect(try await !app.ask("ensureLatest First").hasPrefix("ok"))
            let halted = try await reports(host, bad) { $0.failures == 1 }
            #expect(halted.state == "HALTED" && halted.detail == "FAILURE_THRESHOLD_EXCEEDED")
            #expect(try await devices(host, with: 3).isEmpty, "nobody else gets it")
            _ = try await app.ask("check")
            #expect(try await app.ask("read first.txt") == "ok " + summary(content(1)))
        }
    }

    /// Flips a byte in the stored archive.
    private func breakArchive(of entry: JSONValue, _ host: HostBench) throws {
        let digest = try #require(entry["larder"]?["digest"]?["value"]?.stringValue)
        let path = host.data.appending("archives").appending(String(digest.prefix(2))).appending(digest)
        var bytes = try File.read(path, limit: 16 << 20)
        bytes[bytes.count / 2] ^= 0xFF
        try AtomicFile.write(bytes, to: path, durable: false, permissions: .filePrivate)
    }

    private struct Reports {
        var successes: Int64
        var failures: Int64
        var state: String?
        var detail: String?
    }

    /// Asks until the rollout is as wanted; the service reports by itself.
    private func reports(
        _ host: HostBench, _ rollout: String, until isWanted: (Reports) -> Bool
    ) async throws -> Reports {
        let deadline = ContinuousClock.now + .seconds(60)
        while true {
            let output = try await host.expectSuccess(["rollout", "list", "--all", "--json"] + host.credentials)
            let lines = try output.outputText.split(separator: "\n").map { try JSONParser.parse(String($0)).value }
            let attributes = try #require(lines.first { $0["id"]?.stringValue == rollout }?["attributes"])
            let found = Reports(
                successes: attributes["successes"]?.integerValue ?? 0,
                failures: attributes["failures"]?.integerValue ?? 0, state: attributes["state"]?.stringValue,
                detail: attributes["stateDetails"]?["errors"]?.arrayValue?.first?["code"]?.stringValue)
            if isWanted(found) || ContinuousClock.now > deadline {
                #expect(isWanted(found), "\(found)")
                return found
            }
        }
    }
}
