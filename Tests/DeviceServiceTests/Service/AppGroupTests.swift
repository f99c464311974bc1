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
}
