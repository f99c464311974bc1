// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import System
import TestSupport
import Testing

@testable import DeviceService

/// Who shares an app group's folder, and when it goes.
@Suite(.timeLimit(.minutes(5))) struct AppGroupTests {
    @Test(arguments: [
        ("org.example.game", "org.example.editor", true), ("org.example", "org.example.game", true),
        ("org.example.game", "org.examples.game", false), ("org.example.game", "com.example.game", false),
        ("game", "game", false),
    ])
    func domains(app: String, other: String, isShareable: Bool) {
        #expect(AppGroups.isShareable(app, other) == isShareable)
    }

    private func bundle(_ harness: ServiceHarness, _ identifier: String) throws -> String {
        try harness.bundle(version: "\(identifier.utf8.count)") { fixture in
            fixture.identifier = identifier
            fixture.keys = ["BAAppGroupID": "<string>\(ServiceHarness.group)</string>"]
            fixture.hasExtension = false
        }
    }

    @Test func theFolderGoesWithTheLastAppThatNamesIt() async throws {
        try await ServiceHarness.with([]) { harness in
            let connection = try await harness.connect()
            let folder = try #require(harness.paths.groupFolder(ServiceHarness.group))
            let player = try bundle(harness, "com.elsewhere.player")
            let file = folder.appending("save")
            try await harness.install(try bundle(harness, ServiceHarness.app))
            try await harness.install(try bundle(harness, "org.example.editor"))
            let refusal = await #expect(throws: DeviceError.self) {
                try await harness.install(player)
            }
            #expect(refusal?.code == .badBundle && refusal?.details["app"] == "org.example.editor")
            try harness.scratch.write("1", to: "s/groups/\(ServiceHarness.group)/save")
            _ = try await connection.send(UninstallRequest(app: "org.example.editor"))
            #expect(FileDescriptor.currentDirectory.exists(at: file), "the game still has it")
            _ = try await connection.send(UninstallRequest(app: ServiceHarness.app))
            #expect(!FileDescriptor.currentDirectory.exists(at: folder))
            // Nobody's now: the other developer may have it.
            try await harness.install(player)
        }
    }

    /// An app says with each download where it is to lie, whatever its bundle says.
    @Test func anAppDoesNotDownloadIntoAnotherDevelopersGroup() async throws {
        try await ServiceHarness.withUnmanagedApp { harness, connection in
            let player = "com.elsewhere.player"
            try await harness.install(
                try harness.bundle(version: "player") { fixture in
                    (fixture.identifier, fixture.keys, fixture.hasExtension) = (player, [:], false)
                })
            _ = try await connection.send(LaunchRequest(app: player))
            harness.server.serve([1], as: "map")
            func refusal(_ app: String, _ group: String) async -> DeviceError? {
                var download = harness.download("map", url: harness.server.url("map"))
                (download.identifier, download.appGroup) = ("map in \(group)", group)
                do {
                    _ = try await connection.send(ScheduleDownloadRequest(app: app, download: download))
                    return nil
                } catch {
                    return error as? DeviceError
                }
            }
            let refused = await refusal(player, ServiceHarness.group)
            #expect(refused?.downloadProblem == .invalid && refused?.details["app"] == ServiceHarness.app)
            #expect(refused?.message.contains("belongs to \(ServiceHarness.app)") == true)
            #expect(await refusal(ServiceHarness.app, ServiceHarness.group) == nil)
            // What nobody names is had by who downloads into it first, for as long as there is something in it.
            let free = "group.nobody"
            #expect(await refusal(player, free) == nil)
            #expect(await refusal(ServiceHarness.app, free)?.details["app"] == player)
            let game = try managed(harness, ServiceHarness.app, version: "2.0", group: free)
            let error = await #expect(throws: DeviceError.self) { try await harness.install(game) }
            #expect(error?.code == .badBundle && error?.details["app"] == player)
            _ = try await connection.send(UninstallRequest(app: player))
            #expect(await refusal(ServiceHarness.app, free) == nil)
        }
    }

    private func managed(
        _ harness: ServiceHarness, _ identifier: String, version: String = "1.0", group: String = ServiceHarness.group
    ) throws -> String {
        try harness.bundle(version: "\(identifier.utf8.count).\(version)") { fixture in
            fixture.identifier = identifier
            fixture.keys["BAAppGroupID"] = "<string>\(group)</string>"
        }
    }

    @Test func ofTwoDevelopersAppsAtOnceOneHasTheGroup() async throws {
        try await ServiceHarness.with([.essential("E")]) { harness in
            let connection = try await harness.connect()
            harness.server.spoil("E-1", .stall(after: 0))
            let game = try managed(harness, ServiceHarness.app)
            var events = connection.stream(InstallRequest(path: game)).makeAsyncIterator()
            while let event = try await events.next(), event.phase != .downloading {}
            let player = try bundle(harness, "com.elsewhere.player")
            for _ in 0..<2 {
                let refusal = await #expect(throws: DeviceError.self) { try await harness.install(player) }
                #expect(refusal?.code == .badBundle && refusal?.details["app"] == ServiceHarness.app)
                // The claim outlives the service, as the install does.
                await harness.stop()
                try await harness.start()
            }
            _ = try await harness.connect().send(CancelRequest(app: ServiceHarness.app))
            #expect(try await harness.install(player).last?.phase == .complete)
        }
    }

    @Test func anInstallThatIsUndoneLeavesAnothersGroupAlone() async throws {
        try await ServiceHarness.with([.essential("E")]) { harness in
            let connection = try await harness.connect()
            harness.server.spoil("E-1", .stall(after: 0))
            for identifier in [ServiceHarness.app, "org.example.editor"] {
                var events = connection.stream(InstallRequest(path: try managed(harness, identifier)))
                    .makeAsyncIterator()
                while let event = try await events.next(), event.phase != .downloading {}
            }
            try harness.scratch.write("1", to: "s/groups/\(ServiceHarness.group)/save")
            _ = try await connection.send(CancelRequest(app: ServiceHarness.app))
            let folder = try #require(harness.paths.groupFolder(ServiceHarness.group))
            #expect(FileDescriptor.currentDirectory.exists(at: folder), "the editor is being installed")
            _ = try await connection.send(CancelRequest(app: "org.example.editor"))
            #expect(!FileDescriptor.currentDirectory.exists(at: folder))
        }
    }

    @Test(arguments: [true, false]) func anUpdateThatNamesAnotherGroupLeavesTheOldOne(isShared: Bool) async throws {
        try await ServiceHarness.with([]) { harness in
            if isShared { try await harness.install(try managed(harness, "org.example.editor")) }
            try await harness.install(try managed(harness, ServiceHarness.app))
            let (old, new) = (ServiceHarness.group, "group.org.example.new")
            for group in [old, new] { try harness.scratch.write("1", to: "s/groups/\(group)/save") }
            let update = try managed(harness, ServiceHarness.app, version: "2.0", group: new)
            #expect(try await harness.install(update).last?.phase == .complete)
            func isThere(_ group: String) -> Bool {
                harness.paths.groupFolder(group).map { FileDescriptor.currentDirectory.exists(at: $0) } ?? false
            }
            #expect(isThere(old) == isShared)
            #expect(isThere(new))
            let groups = try await harness.connect().send(StorageRequest()).groups ?? []
            let names = groups.map { [$0.group: $0.apps] }
            #expect(
                names
                    == (isShared
                        ? [[old: ["org.example.editor"]], [new: [ServiceHarness.app]]]
                        : [[new: [ServiceHarness.app]]]))
            #expect(groups.allSatisfy { $0.size == 1 && $0.allocatedSize >= 1 })
        }
    }
}
