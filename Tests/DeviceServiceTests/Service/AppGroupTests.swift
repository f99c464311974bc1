// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import System
import TestSupport
import Testing

@testable import DeviceService

/// Who shares an app group's folder, and when it goes.
@Suite struct AppGroupTests {
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
