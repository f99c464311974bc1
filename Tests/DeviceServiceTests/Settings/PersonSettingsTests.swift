// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Database
import DeviceProtocol
import Kit
import System
import TestSupport
import Testing

@testable import DeviceService

/// The person's settings, their file, and what they change (C11).
@Suite(.timeLimit(.minutes(5))) struct PersonSettingsTests {
    @Test func defaultsHoldUntilSomethingIsSet() throws {
        try Scratch.with { scratch in
            let file = SettingsFile(scratch.path)
            #expect(file.trouble == nil)
            #expect(
                file.listed.map { "\($0.name) \($0.value) \($0.isSet)" } == [
                    "inAppContent on false", "backgroundRefresh on false", "meteredUse off false",
                    "lowPowerMode auto false",
                    "extensionSandbox required false", "extensionStorage 268435456 false",
                    "bandwidth off false", "bandwidthPerApp off false", "bandwidthPerHost off false",
                    "resourcesInUse off false",
                    "updateReports off false", "languages environment false",
                ])
            for name in PersonSettings.Name.allCases {
                for value in name.values {
                    try file.set(name, app: nil, to: value)
                    let kept = SettingsFile(scratch.path).listed.first { $0.name == name.rawValue }
                    #expect(kept?.value == value, "it is on the disk")
                }
                try file.set(name, app: nil, to: nil)
            }
            #expect(file.current == PersonSettings())
        }
    }

    @Test func bandwidthIsASize() throws {
        try Scratch.with { scratch in
            let file = SettingsFile(scratch.path)
            try file.set(.bandwidth, app: nil, to: "2MiB")
            try file.set(.bandwidthPerHost, app: nil, to: "500 kB")
            #expect(
                SettingsFile(scratch.path).current.bandwidthLimits
                    == BandwidthLimits(total: 2 << 20, perApp: nil, perHost: 500_000))
            try file.set(.bandwidth, app: nil, to: "off")
            #expect(file.current.bandwidth == nil)
            for text in ["0", "-1", "fast", "1000", "99999999999999999999", ""] {
                #expect(throws: DeviceError.self) { try file.set(.bandwidth, app: nil, to: text) }
            }
        }
    }

    @Test func extensionsRoomIsASizeOrUnbounded() throws {
        try Scratch.with { scratch in
            let file = SettingsFile(scratch.path)
            #expect(file.current.extensionStorageLimit == 256 << 20)
            try file.set(.extensionStorage, app: nil, to: "1GiB")
            #expect(SettingsFile(scratch.path).current.extensionStorageLimit == 1 << 30)
            try file.set(.extensionStorage, app: nil, to: "off")
            #expect(SettingsFile(scratch.path).current.extensionStorageLimit == nil)
            for text in ["0", "1000", "much"] {
                #expect(throws: DeviceError.self) { try file.set(.extensionStorage, app: nil, to: text) }
            }
        }
    }

    @Test func appsMayDiffer() throws {
        try Scratch.with { scratch in
            let file = SettingsFile(scratch.path)
            try file.set(.backgroundRefresh, app: "org.a", to: "off")
            #expect(!file.current.allowsBackgroundRefresh("org.a") && file.current.allowsBackgroundRefresh("org.b"))
            #expect(
                file.listed.last == SettingListing(name: "backgroundRefresh", app: "org.a", value: "off", isSet: true))
            try file.set(.backgroundRefresh, app: nil, to: "off")
            try file.set(.backgroundRefresh, app: "org.b", to: "on")
            #expect(!file.current.allowsBackgroundRefresh("org.b"), "off for all is off for each")
            try file.set(.backgroundRefresh, app: "org.a", to: nil)
            try file.set(.backgroundRefresh, app: "org.b", to: nil)
            #expect(file.current.apps == nil)
            #expect(throws: DeviceError.self) { try file.set(.meteredUse, app: "org.a", to: "on") }
            #expect(throws: DeviceError.self) { try file.set(.meteredUse, app: nil, to: "maybe") }
            #expect(throws: DeviceError.self) { try PersonSettings.Name(named: "colour") }
        }
    }

    @Test(arguments: [
        "{", "[]", #"{"lowPowerMode": "sometimes"}"#, #"{"inAppContent": 7}"#, #"{"languages": ["de_AT"]}"#,
    ])
    func aBrokenFileIsSaidAndKept(_ text: String) throws {
        try Scratch.with { scratch in
            let path = try scratch.write(text, to: SettingsFile.name)
            let file = SettingsFile(scratch.path)
            #expect(file.trouble?.contains(path.string) == true)
            #expect(file.current == PersonSettings())
            #expect(throws: DeviceError.self) { try file.set(.meteredUse, app: nil, to: "on") }
            #expect(String(decoding: try File.read(path), as: UTF8.self) == text)
        }
    }

    @Test func contentWaitsForTheFirstLaunchWhenInAppContentIsOff() async throws {
        try await ServiceHarness.with { harness in
            let connection = try await harness.connect()
            let reply = try await connection.send(SettingsSetRequest(name: "inAppContent", app: nil, value: "off"))
            #expect(reply.settings.first?.value == "off")
            let last = try await harness.install(try harness.bundle()).last
            #expect(last?.phase == .complete)
            let before = try await harness.packs()
            #expect(before.values.allSatisfy { $0.state != .local }, "\(before)")
            #expect(before["E"]?.error?.contains("in-app content is off") == true)
            let updates = connection.stream(StatusUpdatesRequest(app: ServiceHarness.app, pack: "E"))
            _ = try await connection.send(LaunchRequest(app: ServiceHarness.app))
            for try await event in updates where event.change == .finished { break }
            #expect(try await harness.packs()["E"]?.state == .local)
        }
    }

    @Test func withoutInAppContentNoExtensionIsAskedBeforeTheFirstLaunch() async throws {
        try await ServiceHarness.with([]) { harness in
            let connection = try await harness.connect()
            _ = try await connection.send(SettingsSetRequest(name: "inAppContent", app: nil, value: "off"))
            let path = try harness.bundle { fixture in
                fixture.keys["BAHasManagedAssetPacks"] = nil
                fixture.keys["BAAppGroupID"] = "<string>\(ServiceHarness.group)</string>"
                fixture.extensionExecutable = "#!/bin/sh\nexit 9\n"
            }
            let last = try await harness.install(path).last
            #expect(last?.phase == .complete && last?.notes == [] && last?.warnings == [])
            _ = try await connection.send(DeveloperModeRequest(isOn: true))
            // Nor by an event that a developer simulates, as the system would send it.
            _ = try await connection.send(SimulateRequest(app: ServiceHarness.app, event: "periodic"))
            #expect(try await connection.send(StatusRequest()).notes == [])
            _ = try await connection.send(LaunchRequest(app: ServiceHarness.app))
            _ = try await connection.send(SimulateRequest(app: ServiceHarness.app, event: "periodic"))
            #expect(try await connection.send(StatusRequest()).notes.first?.message.contains("exit code 9") == true)
            // What the app itself schedules comes.
            harness.server.serve([1, 2, 3], as: "map")
            var ears = DownloadEars(connection)
            try await harness.schedule(harness.download("map"), connection)
            #expect(try await ears.end().change == .finished)
        }
    }

    @Test func aSimulatedEventGivesTheRunTimeOfTheDayBack() async throws {
        try await ServiceHarness.with { harness in
            _ = try await harness.install(try harness.bundle())
            await harness.stop()
            let now = Timestamp.now.seconds
            let database = try await SQLiteDatabase(path: harness.paths.database, migrations: Schema.migrations)
            let usage = UsageStore(database: database)
            try await usage.change(ServiceHarness.app) { $0.budget.spend(.seconds(900), at: now) }
            await database.close()
            try await harness.start()
            let connection = try await harness.connect()
            let update = { (version: String) in
                try harness.offer([.essential("E", version: Int(version.prefix(1)) ?? 0)])
                return try await harness.install(try harness.bundle(version: version)).last?.warnings ?? []
            }
            #expect(try await update("2.0").first?.contains("was not run") == true)
            let simulate = SimulateRequest(app: ServiceHarness.app, event: "periodic")
            await #expect(throws: DeviceError.self, "off unless switched on") {
                do {
                    _ = try await connection.send(simulate)
                } catch let error as DeviceError {
                    #expect(error.code == .developerModeOff)
                    throw error
                }
            }
            #expect(try await connection.send(DeveloperModeRequest(isOn: true)).isOn)
            _ = try await connection.send(simulate)
            #expect(try await update("3.0").contains { $0.contains("was not run") } == false)
        }
    }

    @Test func anAppThatWasClosedForGoodIsNotWokenByAnUpdate() async throws {
        try await ServiceHarness.with { harness in
            _ = try await harness.install(try harness.bundle())
            let connection = try await harness.connect()
            _ = try await connection.send(CloseRequest(app: ServiceHarness.app))
            try harness.offer([.essential("E", version: 2)])
            let crashing = { (fixture: inout AppFixture) in fixture.extensionExecutable = "#!/bin/sh\nexit 9\n" }
            let quiet = try await harness.install(try harness.bundle(version: "2.0", crashing)).last
            #expect(quiet?.notes == [] && quiet?.warnings == [], "its extension was not run")
            _ = try await connection.send(LaunchRequest(app: ServiceHarness.app))
            try harness.offer([.essential("E", version: 3)])
            let woken = try await harness.install(try harness.bundle(version: "3.0", crashing)).last
            #expect(woken?.warnings.first?.contains("exit code 9") == true)
        }
    }
}
