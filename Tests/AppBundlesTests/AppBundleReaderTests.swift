// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Crypto
import Kit
import System
import TestSupport
import Testing

@testable import AppBundles

struct AppBundleReaderTests {
    private func read(_ change: (inout AppFixture) -> Void) throws -> AppBundleReader.Result {
        let folder = try TemporaryDirectory(prefix: "larder-bundle")
        var fixture = AppFixture()
        fixture.keys = AppFixture.managedKeys(manifestURL: "https://localhost/manifest")
        change(&fixture)
        return try AppBundleReader.read(try fixture.write(in: folder.path))
    }

    private func errors(_ change: (inout AppFixture) -> Void) throws -> [BundleFinding] {
        let result = try read(change)
        let errors = result.findings.filter { $0.severity == .error }
        #expect((result.bundle == nil) == !errors.isEmpty)
        return errors
    }

    @Test func aRightBundleHasNoFindings() throws {
        let result = try read { _ in }
        #expect(result.findings == [])
        let bundle = try #require(result.bundle)
        #expect(bundle.identifier == "org.example.game")
        #expect(bundle.executable.lastComponent?.string == "Game")
        #expect(bundle.downloader?.relativeExecutable == "Extensions/Downloader.appex/Downloader")
        let keys = bundle.backgroundAssets
        #expect(keys.mode == .managed)
        #expect(keys.maxInstallSize == 10_000_000_000)
        #expect(keys.restrictions?.essentialDownloadAllowance == 10_000_000_000)
        #expect(keys.restrictions?.domainAllowList?.map(\.description) == ["127.0.0.1", "localhost"])
    }

    @Test func anAppWithoutPacksNeedsNothingMore() throws {
        let result = try read {
            $0.keys = [:]
            $0.hasExtension = false
        }
        #expect(result.findings == [])
        #expect(result.bundle?.backgroundAssets.mode == BackgroundAssetsKeys.Mode.none)
    }

    @Test func storeHostingLeavesTheOtherKeysOut() throws {
        let result = try read {
            $0.keys = [
                "BAAppGroupID": "<string>group.a</string>", "BAHasManagedAssetPacks": "<true/>",
                "BAUsesAppleHosting": "<true/>",
            ]
        }
        #expect(result.findings == [])
        #expect(result.bundle?.backgroundAssets.mode == .managedHosted)
        let mixed = try read { $0.keys["BAUsesAppleHosting"] = "<true/>" }
        #expect(mixed.bundle != nil)
        #expect(
            Set(mixed.findings.map(\.subject)) == [
                "BAManifestURL", "BAInitialDownloadRestrictions", "BAMaxInstallSize", "BAEssentialMaxInstallSize",
            ])
    }

    struct Wrong: CustomTestStringConvertible, Sendable {
        var key: String
        var value: String?
        var subject: String
        var testDescription: String { "\(key) = \(value ?? "missing")" }
        init(_ key: String, _ value: String?, subject: String? = nil) {
            self.key = key
            self.value = value
            self.subject = subject ?? key
        }
    }

    @Test(arguments: [
        Wrong("CFBundleIdentifier", nil), Wrong("CFBundleIdentifier", "<string>../x</string>"),
        Wrong("CFBundleIdentifier", "<string>a..b</string>"), Wrong("CFBundleExecutable", nil),
        Wrong("CFBundleExecutable", "<string>../../bin/sh</string>"),
        Wrong("CFBundleExecutable", "<string>None</string>"),
        Wrong("CFBundleExecutable", "<string>Info.plist</string>"), Wrong("BAAppGroupID", nil),
        Wrong("BAAppGroupID", "<integer>5</integer>"), Wrong("BAHasManagedAssetPacks", "<string>yes</string>"),
        Wrong("BAManifestURL", nil), Wrong("BAManifestURL", "<string>http://localhost/manifest</string>"),
        Wrong("BAManifestURL", "<string>localhost/manifest</string>"),
        Wrong("BAMaxInstallSize", "<integer>-1</integer>"),
        Wrong("BAMaxInstallSize", "<integer>18446744073709551615</integer>"),
        Wrong("BAEssentialMaxInstallSize", "<string>5</string>"), Wrong("BAInitialDownloadRestrictions", nil),
        Wrong("BAInitialDownloadRestrictions", "<array/>"),
        Wrong("BAInitialDownloadRestrictions", "<dict/>", subject: "BAInitialDownloadRestrictions.BADownloadAllowance"),
    ])
    func wrongKeysAreNamed(_ wrong: Wrong) throws {
        let found = try errors { $0.keys[wrong.key] = .some(wrong.value) }
        #expect(found.contains { $0.subject == wrong.subject && !$0.advice.isEmpty }, "\(found)")
    }

    private static let key = "ed25519:V43Vdg7r-Pl2_tcwkRu_gRtWitozCRlv7d2tnYpPg9A"
    private static let otherKey = "ed25519:xCE-BZcibZaWJjkjamK3sSjF65m1D8WLrkluDSfnxKM"

    private static func manifestKeys(_ members: String) -> String { "<dict>\(members)</dict>" }

    private static func keys(_ name: String, _ keys: [String]) -> String {
        "<key>\(name)</key><array>" + keys.map { "<string>\($0)</string>" }.joined() + "</array>"
    }

    @Test func keysForManifestsAreRead() throws {
        #expect(try read { _ in }.bundle?.backgroundAssets.manifestKeys == nil)
        let simple = try read {
            $0.keys["LarderManifestKeys"] = Self.manifestKeys(Self.keys("Keys", [Self.key]))
        }
        #expect(simple.findings == [])
        let pinned = try #require(simple.bundle?.backgroundAssets.manifestKeys)
        #expect(pinned.manifest.keys.map(\.text) == [Self.key])
        #expect(pinned.manifest.threshold == 1)
        #expect(pinned.root == pinned.manifest)
        #expect(pinned.version == 1)
        #expect(pinned.generationFrom == nil)
        let whole = try read {
            $0.keys["LarderManifestKeys"] = Self.manifestKeys(
                Self.keys("Keys", [Self.key, Self.otherKey]) + Self.keys("RootKeys", [Self.otherKey])
                    + "<key>Threshold</key><integer>2</integer><key>Version</key><integer>4</integer>"
                    + "<key>GenerationFrom</key><integer>90</integer>")
        }
        #expect(whole.findings == [])
        let keySet = try #require(whole.bundle?.backgroundAssets.manifestKeys).keySet(app: "org.example.game")
        #expect(keySet.manifest.threshold == 2)
        #expect(keySet.root.keys.map(\.text) == [Self.otherKey])
        #expect(keySet.version == 4)
        #expect(keySet.generationFrom == 90)
    }

    /// Keys that do not count would be no keys: the bundle is not taken.
    @Test(arguments: [
        Wrong("LarderManifestKeys", "<string>\(key)</string>"), Wrong("LarderManifestKey", manifestKeys("")),
        Wrong("LarderManifestKeys", manifestKeys(""), subject: "LarderManifestKeys.Keys"),
        Wrong("LarderManifestKeys", manifestKeys(keys("Keys", [])), subject: "LarderManifestKeys.Keys"),
        Wrong("LarderManifestKeys", manifestKeys(keys("Keys", ["ed25519:AAAA"])), subject: "LarderManifestKeys.Keys"),
        Wrong("LarderManifestKeys", manifestKeys(keys("Keys", [key, key])), subject: "LarderManifestKeys.Keys"),
        Wrong(
            "LarderManifestKeys", manifestKeys(keys("Keys", [key]) + "<key>Threshold</key><integer>2</integer>"),
            subject: "LarderManifestKeys.Keys"),
        Wrong(
            "LarderManifestKeys", manifestKeys(keys("Keys", [key]) + "<key>Threshold</key><integer>0</integer>"),
            subject: "LarderManifestKeys.Threshold"),
        Wrong(
            "LarderManifestKeys", manifestKeys(keys("Keys", [key]) + "<key>Treshold</key><integer>1</integer>"),
            subject: "LarderManifestKeys.Treshold"),
        Wrong(
            "LarderManifestKeys", manifestKeys(keys("Keys", [key]) + "<key>RootThreshold</key><integer>1</integer>"),
            subject: "LarderManifestKeys.RootThreshold"),
    ])
    func wrongKeysForManifestsAreNamed(_ wrong: Wrong) throws {
        let found = try errors { $0.keys[wrong.key] = .some(wrong.value) }
        #expect(found.contains { $0.subject == wrong.subject && !$0.advice.isEmpty }, "\(found)")
    }

    @Test func theManifestsHostMustBeAllowed() throws {
        let found = try errors {
            $0.keys = AppFixture.managedKeys(manifestURL: "https://cdn.example.com/m", domains: ["*.example.org"])
        }
        #expect(found.map(\.subject) == ["BAInitialDownloadRestrictions.BADownloadDomainAllowList"])
    }

    @Test func domainsAreHostNames() throws {
        let found = try errors {
            $0.keys = AppFixture.managedKeys(manifestURL: "https://localhost/m", domains: ["localhost", "https://a.b"])
        }
        #expect(found.count == 1)
        #expect(found.first?.message.contains("https://a.b") == true)
    }

    @Test(arguments: [
        Wrong("CFBundleIdentifier", "<string>org.other.downloader</string>"),
        Wrong("CFBundleVersion", "<string>2.0</string>"), Wrong("CFBundleExecutable", nil),
        Wrong("EXAppExtensionAttributes", nil), Wrong("EXAppExtensionAttributes", "<string>x</string>"),
        Wrong(
            "EXAppExtensionAttributes", "<dict/>", subject: "EXAppExtensionAttributes.EXExtensionPointIdentifier"),
        Wrong(
            "EXAppExtensionAttributes",
            "<dict><key>EXExtensionPointIdentifier</key><string>com.apple.background-assets.content-request</string></dict>",
            subject: "EXAppExtensionAttributes.EXExtensionPointIdentifier"),
    ])
    func wrongExtensionKeysAreNamed(_ wrong: Wrong) throws {
        let found = try errors { $0.extensionKeys[wrong.key] = .some(wrong.value) }
        #expect(found.contains { $0.subject == "Extensions/Downloader.appex: \(wrong.subject)" }, "\(found)")
    }

    @Test func theExtensionBelongsInExtensions() throws {
        let found = try errors { $0.extensionFolder = "PlugIns" }
        #expect(found.contains { $0.subject == "PlugIns/Downloader.appex" && $0.advice.contains("Extensions") })
    }

    @Test func packsNeedAnExtension() throws {
        let found = try errors { $0.hasExtension = false }
        #expect(found.map(\.subject) == ["Extensions"])
    }

    @Test func extensionsOfOtherPointsAreNoneOfOurs() throws {
        let result = try read {
            $0.keys = [:]
            $0.extensionKeys["EXAppExtensionAttributes"] =
                "<dict><key>EXExtensionPointIdentifier</key><string>com.apple.widgetkit-extension</string></dict>"
        }
        #expect(result.bundle != nil)
        #expect(result.bundle?.downloader == nil)
    }

    @Test func theErrorListsEverythingAtOnce() throws {
        let folder = try TemporaryDirectory(prefix: "larder-bundle")
        var fixture = AppFixture()
        fixture.keys = ["BAHasManagedAssetPacks": "<true/>"]
        fixture.hasExtension = false
        let path = try fixture.write(in: folder.path)
        let error = #expect(throws: BundleError.self) { try AppBundleReader.bundle(at: path) }
        for key in ["BAAppGroupID", "BAManifestURL", "BAInitialDownloadRestrictions", "Extensions"] {
            #expect(error?.message.contains(key) == true)
        }
    }

    @Test func foldersThatAreNoBundlesAreNamed() throws {
        let folder = try TemporaryDirectory(prefix: "larder-bundle")
        #expect(throws: BundleError.self) { try AppBundleReader.read(folder.path) }
        #expect(throws: BundleError.self) { try AppBundleReader.read(folder.path.appending("None.app")) }
    }
}
