// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Crypto
import DeviceSupport
import HostingModel
import Kit
import PackUpdates
import TestSupport
import Testing

@testable import Database
@testable import HostingService

/// A pack of one large file among internal testers, that changes a little from version to version.
struct UpdatedPack {
    let staged: StagedPack
    /// The content of each version that was published, by its number.
    private(set) var contents: [Int: [UInt8]] = [:]
    private(set) var versions: [Int: String] = [:]
    private(set) var archives: [Int: [UInt8]] = [:]
    /// Small files beside the large one, none of which changes.
    private(set) var others: [String: [UInt8]] = [:]
    private var generator = SeededGenerator.forTest()

    var fixture: HostFixture { staged.fixture }

    /// - Parameter others: how many small files there are beside the large one.
    init(_ fixture: HostFixture, others count: Int = 0) async throws {
        staged = try await StagedPack(fixture)
        for number in 0..<count { others["\(number)"] = generator.bytes(20) }
    }

    /// Uploads the next version, and waits until it is live.
    mutating func publish(size: Int = 600_000) async throws {
        let number = contents.count + 1
        var content = contents[number - 1] ?? generator.bytes(size)
        // All over the file, so that blocks save little.
        for offset in stride(from: number, to: content.count, by: 20_000) { content[offset] ^= UInt8(number) }
        contents[number] = content
        let archive = try fixture.archive(content: content, more: others)
        archives[number] = archive
        let version = try await fixture.publisher.publish(archive, to: staged.pack)
        #expect(version["attributes"]?["state"] == "COMPLETE")
        versions[number] = try #require(version["id"]?.stringValue)
    }

    /// What a device is told of the pack, when it is told of so many patches.
    func entry(patches count: Int) async throws -> DownloadManifestPack.LarderInfo {
        try await eventually {
            let info = try await entry()
            return info.patches.count == count ? info : nil
        }
    }

    func entry() async throws -> DownloadManifestPack.LarderInfo {
        let manifest = try DownloadManifest.decode(
            try await staged.ask("").body, source: "host", allowingPlainLoopback: true)
        return try #require(manifest["Coast"]?.larder)
    }

    /// Fetches what a device is told of, and holds it against that.
    func fetch(_ file: DownloadManifestPack.LarderInfo.UpdateFile) async throws -> [UInt8] {
        let bytes = try await fixture.publisher.fetch(file.url).body
        #expect(Int64(bytes.count) == file.size)
        #expect(SHA256.hash(bytes).hex == file.sha256)
        return bytes
    }

    /// Makes a version of another one as a device does, and compares.
    /// - Parameter target: nil for the newest.
    func expectPatchGives(
        _ info: DownloadManifestPack.LarderInfo, from number: Int, to target: Int? = nil
    ) async throws {
        let patch = try #require(info.patches.first { $0.from == number })
        let old = try #require(archives[number])
        #expect(patch.base == TreeDigest.hash(old).hex)
        let index = try await fetch(try #require(info.index))
        #expect(info.index?.front == PackIndex.front(of: index))
        let bytes = try await fetch(patch.file)
        let files = try PatchedFiles.make(
            index: index, patch: bytes, base: patch.base, old: ["data.bin": contents[number] ?? []], in: fixture.scratch
        )
        #expect(files == ["data.bin": contents[target ?? contents.count]])
        #expect(bytes.count < old.count / 4)
    }

    /// Waits until there is nothing to do any more; what became of the files of a version, by their bases' numbers.
    func states(_ number: Int) async throws -> [Int64?: UpdateFile.State] {
        let store = try await fixture.configuration.openDatabase()
        let id = try #require(versions[number])
        let files = try await eventually {
            try await store.read { store in
                try store.first(#"SELECT COUNT(*) FROM "jobs""#) { $0.int64(0) } == 0
                    ? try store.updateFiles(of: [id])[id] ?? [] : nil
            }
        }
        await store.close()
        return Dictionary(files.map { ($0.base?.number, $0.state) }) { $1 }
    }
}
