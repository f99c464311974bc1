// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import DeviceProtocol
import Kit
import TestSupport
import Testing

@testable import DeviceService

/// A bundle that takes over from an install which was not complete is still that install (C3).
@Suite(.timeLimit(.minutes(5))) struct TakeOverTests {
    private static let app = ServiceHarness.app

    @Test func packsOfTheFirstInstallAreWaitedForAndNewOnesCome() async throws {
        let first = ServiceHarness.Offer.prefetch("P", bytes: 3_000_000).only(.firstInstallation)
        try await ServiceHarness.with([.essential("E"), first]) { harness in
            harness.server.spoil("P-1", .stall(after: 1_000_000))
            try await harness.install(try harness.bundle(), until: .launchable)
            try harness.offer([
                .essential("E"), first, .essential("N").only(.firstInstallation),
                .essential("U").only(.subsequentUpdate),
            ])
            let connection = try await harness.connect()
            var events = connection.stream(
                InstallRequest(path: try harness.bundle(version: "2.0"), until: .complete)
            ).makeAsyncIterator()
            var launchable: InstallEvent?
            while launchable == nil, let event = try await events.next() {
                if event.phase == .launchable { launchable = event }
                if event.phase.isFinal { break }
            }
            #expect(launchable?.packs.map(\.id) == ["N", "P"])
            harness.server.spoil("P-1", nil)
            _ = try await connection.send(PauseRequest(app: Self.app))
            _ = try await connection.send(ResumeRequest(app: Self.app))
            var last: InstallEvent?
            while let event = try await events.next() { last = event }
            #expect(last?.phase == .complete)
            let packs = try await harness.packs()
            #expect(packs["P"]?.state == .local && packs["N"]?.state == .local)
            #expect(packs["U"]?.state == .available, "it is for updates")
            // Now it is complete, and what follows is an update.
            try await harness.install(try harness.bundle(version: "3.0"))
            #expect(try await harness.packs()["U"]?.state == .local)
        }
    }

    @Test func undoingItLeavesTheAppThatIsThere() async throws {
        try await ServiceHarness.with([.prefetch("P", bytes: 3_000_000)]) { harness in
            harness.server.spoil("P-1", .stall(after: 1_000_000))
            try await harness.install(try harness.bundle(), until: .launchable)
            harness.server.spoil("manifest", .status(404))
            let error = await #expect(throws: DeviceError.self) {
                let last = try await harness.install(try harness.bundle(version: "2.0")).last
                throw try #require(last?.error)
            }
            #expect(error?.code == .manifestUnavailable)
            let connection = try await harness.connect()
            #expect(try await connection.send(AppsRequest()).apps.map(\.version) == ["1.0"])
            _ = try await connection.send(LaunchRequest(app: Self.app))
        }
    }

    /// What an extension named counts against the allowances once, and what it names again is waited for.
    @Test func downloadsOfTheFirstInstallAreWaitedFor() async throws {
        try await ProbeDownloaderHarness.with { harness in
            harness.offer(ProbeDownloaderHarness.File(name: "map", bytes: Array(repeating: 3, count: 4000)))
            harness.service.server.spoil("map", .stall(after: 1000))
            let restrictions = """
                <dict><key>BADownloadAllowance</key><integer>5000</integer>
                <key>BAEssentialDownloadAllowance</key><integer>5000</integer>
                <key>BADownloadDomainAllowList</key><array><string>127.0.0.1</string></array></dict>
                """
            let keys = ["BAInitialDownloadRestrictions": restrictions]
            try await harness.service.install(try harness.bundle(keys), until: .launchable)
            let connection = try await harness.service.connect()
            let again = try harness.bundle(keys.merging(["Rebuilt": "<true/>"]) { $1 })
            var events = connection.stream(InstallRequest(path: again, until: .complete)).makeAsyncIterator()
            var launchable: InstallEvent?
            while launchable == nil, let event = try await events.next() {
                if event.phase == .launchable { launchable = event }
            }
            #expect(launchable?.packs.map(\.id) == ["map"])
            #expect(
                harness.journal == [
                    "asked install", "left 5000 \(5000 - manifestSize(harness))", "asked install",
                    "left 1000 \(5000 - manifestSize(harness))",
                ])
            harness.service.server.spoil("map", nil)
            _ = try await connection.send(PauseRequest(app: Self.app))
            _ = try await connection.send(ResumeRequest(app: Self.app))
            var last: InstallEvent?
            while let event = try await events.next() { last = event }
            #expect(last?.phase == .complete && last?.packs.map(\.state) == [.local])
        }
    }

    private func manifestSize(_ harness: ProbeDownloaderHarness) -> Int {
        "map \(harness.service.server.url("map")) 4000\n".utf8.count
    }
}
