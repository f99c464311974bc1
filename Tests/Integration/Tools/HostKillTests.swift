// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import DeviceSupport
import Kit
import System
import TestSupport
import Testing

/// A host that is killed while it processes an upload goes on at its next start, and the upload ends once (E3).
@Suite(.serialized) struct HostKillTests {
    /// When the host is killed.
    enum Moment: CaseIterable {
        /// All parts are there, and the uploader has said so.
        case committed
        /// The parts are being put together.
        case assembling
        /// The archive has its place, and the database may not say so yet.
        case kept
    }

    @Test(arguments: Moment.allCases)
    func processingGoesOnAfterAKill(moment: Moment) async throws {
        var generator = SeededGenerator.forTest()
        let content = generator.bytes(20 << 20)
        try await HostBench.with { host in
            let pack = try SamplePack.make(
                "Kills", version: 1, policy: "onDemand", files: ["data.bin": content], in: host.bench.scratch)
            async let uploaded: Void = {
                try await host.expectSuccess(
                    ["upload", pack.archive.string, "--app", SampleApp.bundleID] + host.credentials)
            }()
            switch moment {
            case .committed: break
            case .assembling: try await wait(below: host.data.appending("uploads")) { $0.hasPrefix(".assembled") }
            case .kept: try await wait(below: host.data.appending("archives")) { $0 == pack.contents.digest }
            }
            if moment == .committed { try await uploaded }
            host.server.process.kill()
            _ = try host.server.process.wait()
            let again = try host.serveAgain()
            _ = try await again.line { $0.contains("listening") }
            try await uploaded

            var packs: [JSONValue] = []
            while packs.isEmpty {
                packs = try await host.manifest("")["assetPacks"]?.arrayValue ?? []
                await Task.yield()
            }
            #expect(packs.map { $0["id"] } == ["Kills"])
            #expect(packs.map { $0["version"] } == [1])
            // What was put together from is gone, whenever the host died.
            try await FolderWatch.wait(below: host.data.appending("uploads")) {
                try FileDescriptor.currentDirectory.entries(at: host.data.appending("uploads")).isEmpty
            }
            // The archive and its index, once each.
            #expect(try names(below: host.data.appending("archives")).filter { $0.count == 64 }.count == 2)
        }
    }

    private func wait(below folder: FilePath, for matches: @escaping @Sendable (String) -> Bool) async throws {
        try await FolderWatch.wait(below: folder) { try names(below: folder).contains(where: matches) }
    }

    private func names(below folder: FilePath) throws -> [String] {
        try FileDescriptor.currentDirectory.entries(at: folder).flatMap { entry in
            let inner = entry.kind == .directory ? (try? names(below: folder.appending(entry.name))) ?? [] : []
            return [entry.name] + inner
        }
    }
}
