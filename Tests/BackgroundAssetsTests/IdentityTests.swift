// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System
import TestSupport
import Testing

@testable import BackgroundAssets

/// How an app finds itself, and what it is told when its set-up is wrong (B7).
@Suite(.timeLimit(.minutes(5))) struct IdentityTests {
    private static let home = ["LARDER_HOME": "/somewhere"]

    @Test func launchedByTheService() throws {
        let app = try AppIdentity(
            environment: [
                "LARDER_BUNDLE_ID": "org.example.Game", "LARDER_APP_ROOT": "/state/apps/x",
                "LARDER_HOME": "/home/larder",
                "LARDER_SOCKET": "/run/other/larderd.sock",
            ], executable: nil)
        #expect(app.bundleID == "org.example.Game" && app.root == "/state/apps/x")
        #expect(app.socket == "/run/other/larderd.sock")
        let less = try AppIdentity(
            environment: ["LARDER_BUNDLE_ID": "org.example.Game", "LARDER_HOME": "/home/larder"], executable: nil)
        #expect(less.root == "/home/larder/state/apps/org.example.Game")
        #expect(less.socket == "/home/larder/run/larderd.sock")
    }

    private func plist(_ keys: [String: String]) -> String {
        AppFixture.plist(keys.mapValues { $0 })
    }

    @Test func startedFromItsBundle() throws {
        try Scratch.with { scratch in
            try scratch.write(
                plist([
                    "CFBundleIdentifier": "<string>org.example.Game</string>",
                    "BAAppGroupID": "<string>group.org.example</string>", "BAHasManagedAssetPacks": "<true/>",
                ]), to: "Game.app/Info.plist")
            for executable in ["Game.app/Game", "Game.app/Extensions/D.appex/D"] {
                let app = try AppIdentity(environment: Self.home, executable: scratch(executable))
                #expect(app.bundleID == "org.example.Game")
                #expect(app.root == "/somewhere/state/apps/org.example.Game")
            }
        }
    }

    struct Wrong: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var plist: String?
        var bundle = "Game.app"
        let says: String
    }

    @Test(arguments: [
        Wrong(testDescription: "no bundle", bundle: "bin", says: "Name.app"),
        Wrong(testDescription: "no Info.plist", says: "Info.plist"),
        Wrong(testDescription: "no property list", plist: "hello", says: "Info.plist"),
        Wrong(testDescription: "an array", plist: "<plist><array/></plist>", says: "Info.plist"),
        Wrong(testDescription: "no keys", plist: "<plist><dict/></plist>", says: "CFBundleIdentifier"),
        Wrong(
            testDescription: "a path for an id",
            plist:
                "<plist><dict><key>CFBundleIdentifier</key><string>../x</string><key>BAAppGroupID</key><string>g</string><key>BAHasManagedAssetPacks</key><true/></dict></plist>",
            says: "bundle identifier"),
        Wrong(
            testDescription: "no group",
            plist: "<plist><dict><key>CFBundleIdentifier</key><string>a.b</string></dict></plist>", says: "BAAppGroupID"
        ),
        Wrong(
            testDescription: "not managed",
            plist:
                "<plist><dict><key>CFBundleIdentifier</key><string>a.b</string><key>BAAppGroupID</key><string>g</string></dict></plist>",
            says: "BAHasManagedAssetPacks"),
    ])
    func wrongSetUpIsAnErrorThatSaysWhatToPutWhere(_ wrong: Wrong) throws {
        try Scratch.with { scratch in
            try scratch.makeDirectory(wrong.bundle)
            if let plist = wrong.plist { try scratch.write(plist, to: "\(wrong.bundle)/Info.plist") }
            let error = #expect(throws: BackgroundAssetsError.self) {
                try AppIdentity(environment: Self.home, executable: scratch("\(wrong.bundle)/Game"))
            }
            #expect(error?.code == .notConfigured)
            #expect(error?.message.contains(wrong.says) == true, "\(error?.message ?? "no error")")
        }
    }

    @Test(arguments: ["../up", ".hidden", "a/b", "a b", "ü", String(repeating: "a", count: 300)])
    func environmentCannotNameAnotherFolder(bundleID: String) {
        let error = #expect(throws: BackgroundAssetsError.self) {
            try AppIdentity(environment: ["LARDER_BUNDLE_ID": bundleID, "LARDER_HOME": "/h"], executable: nil)
        }
        #expect(error?.code == .notConfigured)
    }

    @Test func aCauseIsSaidOnce() {
        let reason = BackgroundAssetsError(.notInstalled, "It is not here.")
        #expect(
            BackgroundAssetsError(.unreadable, "The list cannot be read: \(reason)", cause: reason).description
                == "The list cannot be read: It is not here.")
        #expect(
            BackgroundAssetsError(.unreadable, "The list cannot be read.", cause: reason).description
                == "The list cannot be read. (It is not here)")
    }

    @Test func wrongSetUpIsThrownByEveryCallAndCrashesNone() async throws {
        let reason = BackgroundAssetsError(.notConfigured, "not an app")
        let manager = AssetPackManager(identity: .failure(reason)) { _ in throw reason }
        func expectReason(_ body: () async throws -> Void) async {
            let error = await #expect(throws: BackgroundAssetsError.self) { try await body() }
            #expect(error?.code == .notConfigured)
        }
        let pack = AssetPack(id: "A", version: 1, downloadSize: 1)
        await expectReason { _ = try manager.contents(at: "a") }
        await expectReason { _ = try manager.descriptor(for: "a") }
        await expectReason { _ = try manager.url(for: "a") }
        await expectReason { _ = try await manager.manifest }
        await expectReason { try await manager.ensureLocalAvailability(of: pack) }
        await expectReason { try await manager.ensureLocalAvailability(of: [pack]) }
        await expectReason { _ = try await manager.status(relativeTo: pack) }
        await expectReason { try await manager.checkForUpdates() }
        await expectReason { try await manager.remove(assetPackWithID: "A") }
        #expect(!manager.assetPackIsAvailableLocally(withID: "A"))
        #expect(await manager.localStatus(ofAssetPackWithID: "A") == [])
        var count = 0
        for await case .failed in manager.statusUpdates(forAssetPackWithID: "A") { count += 1 }
        #expect(count == 1)
    }
}
