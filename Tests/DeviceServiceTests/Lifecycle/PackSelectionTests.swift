// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import AssetPacks
import DeviceProtocol
import Languages
import Testing

@testable import DeviceService

struct PackSelectionTests {
    private func pack(
        _ id: String, _ policy: DownloadPolicy, size: Int64 = 100, installed: Int64? = nil, version: Int = 1,
        host: String = "cdn.example.com"
    ) -> DownloadManifestPack {
        DownloadManifestPack(
            id: id, url: "https://\(host)/\(id)", version: version, downloadSize: size, downloadPolicy: policy,
            larder: installed.map {
                DownloadManifestPack.LarderInfo(
                    digest: .init(value: String(repeating: "0", count: 64)), installedSize: $0, fileCount: 1)
            })
    }

    private func facts(_ manifest: [DownloadManifestPack]) -> PackSelection.Facts {
        PackSelection.Facts(
            manifest: manifest, manifestSize: 0, event: .firstInstallation, keys: BackgroundAssetsKeys(),
            wasLaunched: false, isOverridden: false, local: [:],
            language: LanguageRule(manifest, chosen: nil, preferred: [], primary: nil))
    }

    @Test func ofLocalisedPacksOnlyThoseOfTheLanguageCome() throws {
        let events: Set<InstallationEventType> = [.firstInstallation, .subsequentUpdate]
        let manifest = [("all", nil), ("de", "de"), ("en", "en-US"), ("on", "de")].map { id, language in
            var pack = pack(id, id == "on" ? .onDemand : .essential(events))
            pack.language = language
            return pack
        }
        var facts = facts(manifest)
        #expect(PackSelection.select(facts).map(\.name) == ["all"])
        facts.language = LanguageRule(manifest, chosen: nil, preferred: [try LanguageTag("de-AT")], primary: nil)
        #expect(PackSelection.select(facts).map(\.name) == ["all", "de"])
        facts.language = LanguageRule(manifest, chosen: nil, preferred: [], primary: try LanguageTag("en"))
        #expect(PackSelection.select(facts).map(\.name) == ["all", "en"])
        // What is local is kept current, whatever its language.
        facts.local = ["on": 0]
        #expect(PackSelection.select(facts).map(\.name) == ["all", "en", "on"])
    }

    @Test func thePoliciesAndEventsDecide() {
        let manifest = [
            pack("later", .prefetch([.firstInstallation])), pack("never", .onDemand),
            pack("now", .essential([.firstInstallation, .subsequentUpdate])),
            pack("update", .essential([.subsequentUpdate])),
        ]
        var facts = facts(manifest)
        #expect(PackSelection.select(facts).map(\.name) == ["now", "later"])
        #expect(PackSelection.select(facts).map(\.role) == [.essential, .prefetch])
        facts.event = .subsequentUpdate
        #expect(PackSelection.select(facts).map(\.name) == ["now", "update"])
    }

    @Test func localPacksAreLeftAloneUntilTheirVersionDiffers() {
        let manifest = [
            pack("same", .essential([.subsequentUpdate]), version: 3), pack("back", .onDemand, version: 2),
            pack("absent", .onDemand),
        ]
        var facts = facts(manifest)
        facts.event = .subsequentUpdate
        facts.local = ["same": 3, "back": 5]
        let selected = PackSelection.select(facts)
        #expect(selected.map(\.name) == ["back"])
        #expect(selected.first?.role == .update)
    }

    @Test func allowancesHoldPacksBackUntilTheFirstLaunch() {
        var facts = facts([
            pack("big", .essential([.firstInstallation]), size: 90),
            pack("small", .essential([.firstInstallation]), size: 10),
            pack("later", .prefetch([.firstInstallation]), size: 50),
        ])
        facts.keys.restrictions = DownloadRestrictions()
        facts.keys.restrictions?.essentialDownloadAllowance = 60
        facts.keys.restrictions?.downloadAllowance = 50
        facts.manifestSize = 5
        let states = PackSelection.select(facts)
        #expect(states.map(\.state) == [.deferred, .pending, .pending])
        #expect(states[0].error?.code == .restricted)
        #expect(states[0].error?.details["left"] == "55")
        facts.wasLaunched = true
        #expect(PackSelection.select(facts).allSatisfy { $0.state == .pending })
    }

    @Test func installSizesCountUnpackedBytes() {
        var facts = facts([pack("p", .prefetch([.firstInstallation]), size: 10, installed: 1000)])
        facts.keys.maxInstallSize = 999
        #expect(PackSelection.select(facts).first?.error?.details["key"] == "BAMaxInstallSize")
        facts.keys.maxInstallSize = 1000
        #expect(PackSelection.select(facts).first?.state == .pending)
    }

    @Test func hugeSizesDoNotOverflow() {
        var facts = facts([
            pack("a", .prefetch([.firstInstallation]), size: .max),
            pack("b", .prefetch([.firstInstallation]), size: .max),
        ])
        facts.keys.restrictions = DownloadRestrictions()
        facts.keys.restrictions?.downloadAllowance = .max
        #expect(PackSelection.select(facts).map(\.state) == [.pending, .deferred])
    }

    @Test func hostsMustBeAllowedUnlessADeveloperSaysOtherwise() {
        var facts = facts([pack("p", .prefetch([.firstInstallation]), host: "evil.example")])
        facts.keys.restrictions = DownloadRestrictions()
        facts.keys.restrictions?.domainAllowList = [DomainPattern("*.example.com")].compactMap { $0 }
        #expect(PackSelection.select(facts).first?.error?.code == .domainNotAllowed)
        facts.isOverridden = true
        #expect(PackSelection.select(facts).first?.state == .pending)
    }

    @Test func theServiceThatHostsTheAppNeedNotBeAllowed() {
        var facts = facts([
            pack("p", .prefetch([.firstInstallation]), host: "packs.example.org"),
            pack("q", .prefetch([.firstInstallation]), host: "cdn.packs.example.org"),
        ])
        facts.keys.restrictions = DownloadRestrictions()
        facts.keys.restrictions?.domainAllowList = []
        facts.store = "packs.example.org"
        #expect(PackSelection.select(facts).map(\.state) == [.pending, .deferred])
    }
}
