// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import DeviceSupport
import HTTP
import Kit
import System
import TestSupport
import Testing

/// Updates that move only what changed, by larderd from larder-host (G1, G4, E4).
@Suite(.serialized) struct HostedUpdateTests {
    /// Versions of a pack, each made of the one before.
    private func versions(_ bench: Bench, _ generator: inout SeededGenerator) throws -> [SamplePack] {
        var files = PackSeries.files(using: &generator)
        var versions: [SamplePack] = []
        for version in 1...7 {
            versions.append(
                try SamplePack.make(
                    PackSeries.id, version: version, policy: "essential", files: files, blockSize: 64 << 10,
                    in: bench.scratch))
            // The last ones change in few places.
            files = PackSeries.changed(files, each: version < 4 ? 1 : 8, using: &generator)
        }
        return versions
    }

    /// Publishes, and waits until devices are told of patches from these versions.
    private func publish(_ pack: SamplePack, from bases: [Int], _ host: HostBench) async throws -> [Int: Int64] {
        try await host.publish(pack)
        return try await eventually {
            let entries = try await host.manifest("")["assetPacks"]?.arrayValue ?? []
            let info = entries.first { $0["id"]?.stringValue == PackSeries.id }?["larder"]
            var patches: [Int: Int64] = [:]
            for patch in info?["patches"]?.arrayValue ?? [] {
                patches[Int(patch["from"]?.integerValue ?? -1)] = patch["size"]?.integerValue ?? 0
            }
            return patches.keys.sorted() == bases && info?["index"] != nil ? patches : nil
        }
    }

    /// Bytes of archives, indexes and patches that the host says it has sent.
    private func sent(_ host: HostBench) async throws -> Int64 {
        var configuration = HTTPClientConfiguration()
        configuration.allowsPlainLoopback = true
        let text = try await HTTPClient(configuration).data(
            for: HTTPRequest(url: "\(host.url)/metrics"), limit: 1 << 20
        ).1
        let line = String(decoding: text, as: UTF8.self).split(separator: "\n").first {
            $0.hasPrefix("larder_host_sent_bytes_total{area=\"archives\"}")
        }
        return try #require(line?.split(separator: " ").last.flatMap { Int64($0) })
    }

    /// Has the app ask for the newest version, which is `pack`, and looks whether it has it.
    /// - Returns: how it came, and the bytes that the host sent for it.
    private func update(
        to pack: SamplePack, _ app: RunningProgram, _ host: HostBench
    ) async throws -> (how: PackArrival, moved: Int64) {
        let before = try await sent(host)
        #expect(try await app.ask("check").contains(PackSeries.id))
        #expect(try await app.ask("ensureLatest \(PackSeries.id)") == "ok \(PackSeries.id)")
        try await expect(pack, app, host.bench)
        let output = try await host.expectSuccess(["packs", SampleApp.bundleID, "--json"])
        let packs = try output.outputText.split(separator: "\n").map {
            try JSONCoder.decode(PackListing.self, from: Array($0.utf8))
        }
        let listed = try #require(packs.first { $0.id == PackSeries.id })
        #expect(listed.localVersion == pack.version)
        return (try #require(listed.arrival), try await sent(host) - before)
    }

    @Test func aDeviceMovesWhatAPatchTakes() async throws {
        var generator = SeededGenerator.forTest()
        try await HostBench.with(["--limit", "patches-from=2"]) { host in
            let (bench, id) = (host.bench, SampleApp.bundleID)
            let packs = try versions(bench, &generator)
            _ = try await publish(packs[0], from: [], host)
            try await host.publish(host.app(version: "1.0"), version: "1.0")
            try await host.expectSuccess(
                ["install", id, "--from", host.url, "--channel", "internalBeta", "--token", host.token])
            let app = try await bench.device.launch()
            try await expect(packs[0], app, bench)

            // One version on, and another after two that were never here: each by the patch from its own.
            var last = 1
            for (version, bases) in [(2, [1]), (3, [1, 2]), (4, [2, 3])] {
                let patches = try await publish(packs[version - 1], from: bases, host)
                if version == 3 { continue }
                let (how, moved) = try await update(to: packs[version - 1], app, host)
                let size = try #require(patches[last])
                #expect(!how.isWhole && how.notes == [] && how.patched > 0, "\(how)")
                #expect(how.moved >= size && how.moved < size + 20_000, "\(how), a patch of \(size)")
                #expect(how.moved < packs[version - 1].archiveSize / 4, "\(how)")
                #expect(moved == how.moved)
                last = version
            }

            // Too many versions were passed over for a patch: blocks, of which there are fewer than in the archive.
            for version in 5...7 {
                _ = try await publish(packs[version - 1], from: [version - 2, version - 1], host)
            }
            let (how, moved) = try await update(to: packs[6], app, host)
            #expect(!how.isWhole && how.patched == 0 && how.linked > 0, "\(how)")
            let all = packs[6].archiveSize
            #expect(how.moved <= moved && moved < all * 3 / 4, "\(how), \(moved) of \(all)")
        }
    }

    /// `larder update` brings the packs, too, of an app whose build is the channel's, and waits for them.
    @Test func anUpdateOfPacksAloneIsWaitedFor() async throws {
        var generator = SeededGenerator.forTest()
        try await HostBench.with { host in
            let (bench, id) = (host.bench, SampleApp.bundleID)
            let packs = try versions(bench, &generator)
            _ = try await publish(packs[0], from: [], host)
            try await host.publish(host.app(version: "1.0"), version: "1.0")
            try await host.expectSuccess(
                ["install", id, "--from", host.url, "--channel", "internalBeta", "--token", host.token])
            let app = try await bench.device.launch()
            #expect(try await host.expectSuccess(["update"]).outputText.contains("\(id) is up to date."))
            // Slow enough for the command to find it under way.
            try await host.expectSuccess(["settings", "set", "bandwidth", "60kB"])
            _ = try await publish(packs[1], from: [1], host)
            let updated = try await host.expectSuccess(["update", id])
            #expect(updated.outputText.contains("Updated packs of \(id) in "), "\(updated.outputText)")
            #expect(updated.outputText.contains("Isles 1 -> 2 ("), "\(updated.outputText)")
            #expect(!updated.outputText.contains("up to date"))
            try await expect(packs[1], app, bench)
            #expect(try await host.expectSuccess(["update"]).outputText.contains("\(id) is up to date."))
        }
    }

    private func expect(_ pack: SamplePack, _ app: RunningProgram, _ bench: Bench) async throws {
        try await bench.expectWhole(pack, through: app)
        let isSame = try bench.files(in: try await bench.folder(of: pack, through: app)) == pack.files
        #expect(isSame, "version \(pack.version) is not as it should be")
    }
}
