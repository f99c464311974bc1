// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Database
import DeviceProtocol
import Kit
import TestSupport
import Testing

@testable import DeviceService

/// What a hosting service is told of the device, and what it is not.
@Suite(.timeLimit(.minutes(5))) struct HostIdentityTests {
    private func withRegistry(_ body: (AppRegistry) async throws -> Void) async throws {
        try await Scratch.with { scratch in
            let database = try await SQLiteDatabase(path: scratch("state.sqlite"), migrations: Schema.migrations)
            let result: Result<Void, any Error>
            do {
                result = .success(try await body(AppRegistry(database: database)))
            } catch {
                result = .failure(error)
            }
            await database.close()
            try result.get()
        }
    }

    private func pack(_ id: String, version: Int, rollout: String?) -> DownloadManifestPack {
        var info = DownloadManifestPack.LarderInfo(
            digest: .init(value: String(repeating: "0", count: 64)), installedSize: 1, fileCount: 1)
        info.other["rollout"] = rollout.map { .string($0) }
        return DownloadManifestPack(
            id: id, url: "https://packs.example.com/\(id)", version: version, downloadSize: 1,
            downloadPolicy: .onDemand, larder: info)
    }

    @Test func noTwoHostsAndNoTwoAppsAreToldTheSame() async throws {
        try await withRegistry { registry in
            let first = try await registry.identity("org.a", host: "https://one.example")
            #expect(first.utf8.count == 32)
            #expect(try await registry.identity("org.a", host: "https://one.example") == first, "it stays")
            let others = [
                try await registry.identity("org.a", host: "https://two.example"),
                try await registry.identity("org.b", host: "https://one.example"),
            ]
            #expect(Set(others + [first]).count == 3)
            try await registry.beginRemoval("org.a")
            #expect(try await registry.identity("org.a", host: "https://one.example") != first, "it goes with the app")
        }
    }

    @Test func aDeviceSaysWhichRolloutsVersionsItHas() async throws {
        try await withRegistry { registry in
            let local = [
                pack("A", version: 2, rollout: "r-a"), pack("B", version: 2, rollout: "r-b"),
                pack("C", version: 2, rollout: nil), pack("D", version: 2, rollout: "r-d"),
            ]
            try await registry.database.write { connection in
                for pack in local {
                    try connection.recordLocal(
                        PackRequest(app: "org.a", pack: pack, kind: .update, foreground: false))
                }
            }
            #expect(try await registry.takenRollouts("org.a") == ["r-a", "r-b", "r-d"])
            // The first goes on, the second is over, and of the fourth there is another version.
            let manifest = DownloadManifest(assetPacks: [
                pack("A", version: 2, rollout: "r-a"), pack("B", version: 2, rollout: nil),
                pack("D", version: 1, rollout: nil),
            ])
            try await registry.save(manifest: manifest.serialized, source: "https://packs.example.com", app: "org.a")
            #expect(try await registry.takenRollouts("org.a") == ["r-a", "r-d"])
        }
    }

    @Test func whatIsSaidIsEncodedAndBounded() {
        var description = DeviceDescription(id: "abc", appVersion: "2.0 & beta", taken: [])
        #expect(description.arguments == "&device=abc&appVersion=2.0%20%26%20beta")
        description.taken = (0..<200).map { "r\($0)" }
        #expect(description.arguments.components(of: "%2C") == 64)
    }

    @Test func onlyWhatSpeaksOfTheVersionIsReported() {
        let failures: [StoreErrorCode] = [.badArchive, .wrongDigest, .wrongSize, .server]
        let others: [StoreErrorCode] = [
            .noSpace, .network, .untrusted, .domainNotAllowed, .cancelled, .notFound, .system,
        ]
        for code in failures { #expect(RolloutReporter.verdict(.failed(StoreError(code, "x"))) == true) }
        for code in others { #expect(RolloutReporter.verdict(.failed(StoreError(code, "x"))) == nil) }
        for change in [PackEvent.Change.began, .paused] { #expect(RolloutReporter.verdict(change) == nil) }
    }
}

extension String {
    fileprivate func components(of separator: String) -> Int {
        var (count, rest) = (1, self[...])
        while let found = rest.firstRange(of: separator) {
            count += 1
            rest = rest[found.upperBound...]
        }
        return count
    }
}
