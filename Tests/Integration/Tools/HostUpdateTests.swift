// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Crypto
import DeviceSupport
import HTTP
import Kit
import System
import TestSupport
import Testing

/// What a real host makes for updates, also when it is killed over it (G1, E3).
@Suite(.serialized) struct HostUpdateTests {
    private static let name = "Isles"

    /// Two versions of a pack: of many files a few change a little, one is renamed and one is new.
    private func versions(_ bench: Bench, size: Int, using generator: inout SeededGenerator) throws -> [SamplePack] {
        var files = SamplePack.randomFiles(Self.name, count: 24, size: size, using: &generator)
        let first = try SamplePack.make(Self.name, version: 1, files: files, in: bench.scratch)
        let paths = files.keys.sorted()
        for path in paths.prefix(20) {
            guard var bytes = files[path] else { continue }
            for offset in stride(from: 100, to: bytes.count, by: 15_000) { bytes[offset] ^= 0x55 }
            files[path] = bytes
        }
        files["\(Self.name)/renamed.bin"] = files.removeValue(forKey: paths[23])
        files["\(Self.name)/new.bin"] = generator.bytes(3000)
        return [first, try SamplePack.make(Self.name, version: 2, files: files, in: bench.scratch)]
    }

    /// What a device of internal testers is told of the pack, when it is told of so many patches.
    private func entry(_ host: HostBench, patches count: Int) async throws -> DownloadManifestPack.LarderInfo {
        while true {
            let bytes = Array(try await host.manifest("").serialized().utf8)
            let manifest = try DownloadManifest.decode(bytes, source: "host", allowingPlainLoopback: true)
            if let info = manifest[Self.name]?.larder, info.patches.count == count { return info }
            await Task.yield()
        }
    }

    private func fetch(_ file: DownloadManifestPack.LarderInfo.UpdateFile) async throws -> [UInt8] {
        var configuration = HTTPClientConfiguration()
        configuration.allowsPlainLoopback = true
        let client = HTTPClient(configuration)
        let bytes = try await client.data(for: HTTPRequest(url: file.url), limit: 1 << 28).1
        #expect(Int64(bytes.count) == file.size)
        #expect(SHA256.hash(bytes).hex == file.sha256)
        return bytes
    }

    /// Makes the second version of the first as a device does, and compares every file.
    private func expectUpdate(_ packs: [SamplePack], _ info: DownloadManifestPack.LarderInfo, _ bench: Bench)
        async throws
    {
        let patch = try #require(info.patches.first)
        #expect(patch.from == 1)
        #expect(patch.base == packs[0].contents.digest)
        let bytes = try await fetch(patch.file)
        #expect(Int64(bytes.count) < packs[1].archiveSize / 4)
        let files = try PatchedFiles.make(
            index: try await fetch(try #require(info.index)), patch: bytes, base: patch.base,
            old: packs[0].files, in: bench.scratch)
        #expect(files == packs[1].files)
    }

    @Test func aSecondVersionHasIndexAndPatch() async throws {
        var generator = SeededGenerator.forTest()
        let key = try Ed25519PrivateKey()
        try await HostBench.with { host in
            let packs = try versions(host.bench, size: 60_000, using: &generator)
            try await host.publish(packs[0])
            #expect(try await entry(host, patches: 0).index != nil)
            // From now on it signs.
            let file = try host.bench.scratch.write(key.pem(), to: "manifest.pem")
            host.server.process.kill()
            _ = try host.server.process.wait()
            _ = try await host.serveAgain(["--manifest-key", file.string]).line { $0.contains("listening") }
            try await host.publish(packs[1])
            let info = try await entry(host, patches: 1)
            try await expectUpdate(packs, info, host.bench)

            let bytes = Array(try await host.manifest("").serialized().utf8)
            let role = try ManifestKeyRole(keys: [key.publicKey])
            let verifier = ManifestVerifier(
                anchor: ManifestKeySet(version: 1, app: SampleApp.bundleID, root: role, manifest: role),
                platform: .linux, channel: "internalBeta", now: .now)
            #expect(verifier.verify(try SignedManifest(bytes, source: "host"), remembered: nil).refusal == nil)
            let forged = String(decoding: bytes, as: UTF8.self).replacing(
                try #require(info.patches.first).file.sha256, with: String(repeating: "0", count: 64))
            let verdict = verifier.verify(try SignedManifest(Array(forged.utf8), source: "host"), remembered: nil)
            #expect(verdict.refusal?.reason == .signature)
        }
    }

    /// Whether any owner of the workshop has a folder in its own. They come and go while they are looked at.
    private static func isAtWork(in workshop: FilePath) -> Bool {
        let here = FileDescriptor.currentDirectory
        return ((try? here.entries(at: workshop)) ?? []).contains {
            !((try? here.entries(at: workshop.appending($0.name))) ?? []).isEmpty
        }
    }

    @Test func aHostThatIsKilledOverAPatchGoesOn() async throws {
        var generator = SeededGenerator.forTest()
        try await HostBench.with { host in
            let packs = try versions(host.bench, size: 2 << 20, using: &generator)
            try await host.publish(packs[0])
            let workshop = host.data.appending("workshop")
            try FileDescriptor.currentDirectory.makeDirectories(at: workshop)
            async let uploaded: Void = host.publish(packs[1])
            // A folder for each patch, for as long as that is made.
            try await FolderWatch.wait(below: workshop) { Self.isAtWork(in: workshop) }
            host.server.process.kill()
            _ = try host.server.process.wait()
            #expect(Self.isAtWork(in: workshop))
            _ = try await host.serveAgain().line { $0.contains("listening") }
            try await uploaded
            try await expectUpdate(packs, try await entry(host, patches: 1), host.bench)
            // Nothing is left of either attempt.
            try await FolderWatch.wait(below: host.data) {
                !Self.isAtWork(in: workshop)
            }
        }
    }
}
