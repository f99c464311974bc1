// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import PackNamespace
import System
import TestSupport
import Testing

@testable import DeviceService

/// Localised packs over a real socket and a real server (A7).
@Suite(.timeLimit(.minutes(5))) struct LanguageTests {
    private static let offers: [ServiceHarness.Offer] = [
        .essential("Base"), .essential("German").localized("de"),
        .prefetch("GermanMore", bytes: 30_000).localized("de"),
        .onDemand("GermanExtra", bytes: 20_000).localized("de"), .essential("English", bytes: 50_000).localized("en"),
        .prefetch("French", bytes: 40_000).localized("fr"),
    ]

    private func local(_ harness: ServiceHarness) async throws -> [String] {
        try await harness.packs().values.filter { $0.state == .local }.map(\.id).sorted()
    }

    private func files(_ harness: ServiceHarness) -> AppLanguageFiles {
        AppLanguageFiles(AppRootLayout(root: harness.paths.appRoot(ServiceHarness.app)))
    }

    /// Waits until no change of language is under way; events tell when to look.
    private func settle(_ harness: ServiceHarness, until packs: [String]) async throws {
        let connection = try await harness.connect()
        while try await local(harness) != packs {
            // A round trip each; what is waited for is the service's own work.
            _ = try await connection.send(StatusRequest())
        }
    }

    @Test(.timeLimit(.minutes(5))) func onlyThePersonsLanguageComesAndFollowsTheirChange() async throws {
        try await ServiceHarness.with(Self.offers) { harness in
            let connection = try await harness.connect()
            let set = try await connection.setLanguages(["de-at", "en"])
            #expect(set.languages == ["de-AT", "en"] && set.isSet)
            try await harness.install(try harness.bundle())
            #expect(try await local(harness) == ["Base", "German", "GermanMore"])
            #expect(files(harness).resolved() == "de")
            let manifest = try await connection.send(ManifestRequest(app: ServiceHarness.app, refresh: false))
            #expect(manifest.resolvedLanguage == "de")
            #expect(try await harness.packs()["English"]?.language == "en")

            // The packs of the old language go when those of the new one are there; what the app asked for stays.
            _ = try await connection.send(
                EnsureLocalAvailabilityRequest(app: ServiceHarness.app, packs: ["GermanExtra"]))
            _ = try await connection.setLanguages(["fr-CA"])
            try await settle(harness, until: ["Base", "French", "GermanExtra"])
            #expect(files(harness).resolved() == "fr")
            // Removed, it is asked for no more.
            _ = try await connection.send(RemovePackRequest(app: ServiceHarness.app, pack: "GermanExtra"))

            // A restart in the middle of a change goes on with it.
            harness.server.fail(.reset(after: 100))
            _ = try await connection.setLanguages(["en"])
            await harness.stop()
            try await harness.start()
            try await settle(harness, until: ["Base", "English"])
        }
    }

    @Test func theAppsChoiceWinsAndReconciles() async throws {
        try await ServiceHarness.with(Self.offers) { harness in
            let connection = try await harness.connect()
            _ = try await connection.setLanguages(["de"])
            try await harness.install(try harness.bundle())
            try files(harness).setChosen("fr-CH")
            let reply = try await connection.send(ReconcileLanguagesRequest(app: ServiceHarness.app))
            #expect(reply.successes.map(\.id) == ["French"] && reply.failures.isEmpty)
            #expect(try await local(harness) == ["Base", "French"])
            // The person's languages do not matter to it any more, nor is the server needed.
            _ = try await connection.setLanguages(["en"])
            let requests = harness.server.requests.count
            let again = try await connection.send(ReconcileLanguagesRequest(app: ServiceHarness.app))
            #expect(again.successes.isEmpty && again.failures.isEmpty)
            #expect(harness.server.requests.count == requests)
            #expect(try await local(harness) == ["Base", "French"])

            // A pack that does not come is told, and what is there stays.
            try files(harness).setChosen(nil)
            harness.server.fail(.none, .status(404))
            let failed = try await connection.send(ReconcileLanguagesRequest(app: ServiceHarness.app))
            #expect(failed.failures.map(\.id) == ["English"])
            #expect(try await local(harness) == ["Base", "French"])
            let last = try await connection.send(ReconcileLanguagesRequest(app: ServiceHarness.app))
            #expect(last.successes.map(\.id) == ["English"])
            #expect(try await local(harness) == ["Base", "English"])
        }
    }

    @Test func withoutALanguageForThePersonThePrimaryOneComes() async throws {
        try await ServiceHarness.with(Self.offers) { harness in
            let connection = try await harness.connect()
            _ = try await connection.setLanguages(["ja"])
            try await harness.install(
                try harness.bundle { $0.keys["CFBundleDevelopmentRegion"] = "<string>en_GB</string>" })
            #expect(try await local(harness) == ["Base", "English"])
            let manifest = try await connection.send(ManifestRequest(app: ServiceHarness.app, refresh: true))
            #expect(manifest.primaryLanguage == "en-GB")
        }
    }

    @Test(.timeLimit(.minutes(5))) func theExtensionIsAskedAboutAChange() async throws {
        try await ServiceHarness.with(Self.offers) { harness in
            let connection = try await harness.connect()
            _ = try await connection.setLanguages(["en"])
            let path = try harness.bundle { fixture in
                // Run from where it was installed, which is after the install, it says no. It may start no other program.
                fixture.extensionExecutable = """
                    #!/bin/sh
                    case "$0" in
                    */bundle/*)
                        printf '\\000\\000\\000\\044{"id":1,"result":{"download":false}}' >&3
                        printf '\\000\\000\\000\\044{"id":2,"result":{"download":false}}' >&3
                        ;;
                    *)
                        printf '\\000\\000\\000\\043{"id":1,"result":{"download":true}}' >&3
                        printf '\\000\\000\\000\\043{"id":2,"result":{"download":true}}' >&3
                        ;;
                    esac
                    read line <&3
                    """
            }
            try await harness.install(path)
            #expect(try await local(harness) == ["Base", "English"])
            _ = try await connection.setLanguages(["de"])
            try await settle(harness, until: ["Base"])
            #expect(!harness.server.requests.contains { $0.path.contains("German") })
            // The app itself may still have them.
            let reply = try await connection.send(ReconcileLanguagesRequest(app: ServiceHarness.app))
            #expect(reply.successes.map(\.id).sorted() == ["German", "GermanMore"])
        }
    }

    @Test(.timeLimit(.minutes(5))) func aSimulatedChangeBringsThePacksAndLetsTheOldGo() async throws {
        try await ServiceHarness.with(Self.offers) { harness in
            let connection = try await harness.connect()
            try await connection.setLanguages(["de"])
            try await harness.install(try harness.bundle())
            // Left alone, the change would wait: for a launch, and its transfers for power.
            for (name, value) in [("backgroundRefresh", "off"), ("lowPowerMode", "on")] {
                _ = try await connection.send(SettingsSetRequest(name: name, app: nil, value: value))
            }
            try await connection.setLanguages(["en"])
            #expect(try await local(harness) == ["Base", "German", "GermanMore"])
            _ = try await connection.send(DeveloperModeRequest(isOn: true))
            let reply = try await connection.send(
                SimulateRequest(app: ServiceHarness.app, event: "languageChange"))
            #expect(reply.updating == ["English"] && reply.removed == ["German", "GermanMore"])
            #expect(try await local(harness) == ["Base", "English"])
        }
    }

    @Test func whatTheEnvironmentSaysCountsUntilSomethingIsSet() async throws {
        try await ServiceHarness.with(Self.offers) { harness in
            let connection = try await harness.connect()
            _ = try await connection.send(LanguagesReportRequest(languages: ["fr-FR", "fr"]))
            #expect(
                try await connection.send(LanguagesGetRequest())
                    == LanguagesGetRequest.Reply(languages: ["fr-FR", "fr"], isSet: false))
            // An environment without languages says nothing about the person.
            _ = try await connection.send(LanguagesReportRequest(languages: []))
            #expect(try await connection.send(LanguagesGetRequest()).languages == ["fr-FR", "fr"])
            _ = try await connection.setLanguages(["de"])
            _ = try await connection.send(LanguagesReportRequest(languages: ["en"]))
            #expect(try await connection.send(LanguagesGetRequest()).languages == ["de"])
            let reply = try await connection.setLanguages(nil)
            #expect(reply == LanguagesGetRequest.Reply(languages: ["en"], isSet: false))
            for bad in [["de_AT"], ["?"], []] {
                let error = await #expect(throws: DeviceError.self) {
                    try await connection.setLanguages(bad)
                }
                #expect(error?.code == .badSetting)
            }
        }
    }

    @Test(.timeLimit(.minutes(5))) func withoutInAppContentAChangeWaitsForTheFirstLaunch() async throws {
        try await ServiceHarness.with(Self.offers) { harness in
            let connection = try await harness.connect()
            try await connection.setLanguages(["de"])
            _ = try await connection.send(SettingsSetRequest(name: "inAppContent", app: nil, value: "off"))
            try await harness.install(try harness.bundle())
            try await connection.setLanguages(["en"])
            #expect(files(harness).resolved() == "en", "the app may know")
            await harness.stop()
            try await harness.start()
            let again = try await harness.connect()
            #expect(try await local(harness) == [])
            #expect(try await again.send(StatusRequest()).transfers == [])
            _ = try await again.send(LaunchRequest(app: ServiceHarness.app))
            try await settle(harness, until: ["Base", "English"])
            #expect(!harness.server.requests.contains { $0.path.contains("German") })
        }
    }

    @Test(.timeLimit(.minutes(5))) func withoutBackgroundRefreshAChangeWaitsForALaunch() async throws {
        try await ServiceHarness.with(Self.offers) { harness in
            let connection = try await harness.connect()
            try await connection.setLanguages(["de"])
            try await harness.install(try harness.bundle())
            _ = try await connection.send(LaunchRequest(app: ServiceHarness.app))
            _ = try await connection.send(SettingsSetRequest(name: "backgroundRefresh", app: nil, value: "off"))
            try await connection.setLanguages(["en"])
            #expect(try await connection.send(StatusRequest()).transfers == [])
            _ = try await connection.send(LaunchRequest(app: ServiceHarness.app))
            let app = try await DeviceConnection.connect(
                paths: harness.paths, client: ServiceHarness.app, startIfNeeded: false)
            try await settle(harness, until: ["Base", "English"])
            _ = try await app.send(StatusRequest())
        }
    }

    @Test(.timeLimit(.minutes(5))) func inLowPowerAChangesPacksWaitAndAnotherChangeTakesItsPlace() async throws {
        try await ServiceHarness.with(Self.offers) { harness in
            let connection = try await harness.connect()
            try await connection.setLanguages(["de"])
            try await harness.install(try harness.bundle())
            _ = try await connection.send(SettingsSetRequest(name: "lowPowerMode", app: nil, value: "on"))
            try await connection.setLanguages(["en"])
            while try await harness.packs()["English"]?.state != .waiting {
                _ = try await connection.send(StatusRequest())
            }
            try await connection.setLanguages(["fr"])
            while try await harness.packs()["French"]?.state != .waiting {
                _ = try await connection.send(StatusRequest())
            }
            #expect(try await harness.packs()["English"]?.state == .available, "it is wanted no more")
            #expect(try await local(harness) == ["Base", "German", "GermanMore"])
            _ = try await connection.send(SettingsSetRequest(name: "lowPowerMode", app: nil, value: "off"))
            try await settle(harness, until: ["Base", "French"])
            #expect(!harness.server.requests.contains { $0.path.contains("English") })
        }
    }
}
