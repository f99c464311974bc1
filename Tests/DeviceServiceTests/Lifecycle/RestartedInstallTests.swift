// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Database
import DeviceProtocol
import Kit
import TestSupport
import Testing

@testable import DeviceService

/// Installs that go on with what a killed service had put down.
@Suite(.timeLimit(.minutes(5))) struct RestartedInstallTests {
    /// The service is killed when a download has ended and was told, and the install's journal does not know yet.
    @Test func aDownloadThatWasToldIsNotWaitedFor() async throws {
        try await ProbeDownloaderHarness.with { harness in
            harness.offer(.init(name: "told", bytes: [1, 2, 3]), .init(name: "coming", bytes: [4, 5]))
            for name in ["told", "coming"] { harness.service.server.spoil(name, .stall(after: 1)) }
            let path = try harness.bundle()
            let events = try await harness.service.install(path, until: .launchable)
            #expect(events.last?.packs.map(\.id).sorted() == ["coming", "told"])
            await harness.service.stop()
            let database = try await SQLiteDatabase(
                path: harness.service.paths.database, migrations: Schema.migrations)
            try await database.write {
                try $0.execute("DELETE FROM download WHERE identifier = ?", [.text("told")])
            }
            await database.close()
            for name in ["told", "coming"] { harness.service.server.spoil(name, nil) }
            try await harness.service.start()
            let connection = try await harness.service.connect()
            let watch = connection.stream(WatchInstallRequest(app: ServiceHarness.app, until: .complete))
            for try await _ in watch {}
            try await harness.waitForLine("finished coming here")
            #expect(try await connection.send(StatusRequest()).installs == [])
        }
    }
    /// The service is killed when the journal knows of the end, and before it is taken away.
    @Test func anInstallThatHadEndedIsOver() async throws {
        try await ServiceHarness.with { harness in
            harness.server.spoil("P-1", .stall(after: 1))
            _ = try await harness.install(try harness.bundle(), until: .launchable)
            await harness.stop()
            let database = try await SQLiteDatabase(path: harness.paths.database, migrations: Schema.migrations)
            let registry = AppRegistry(database: database)
            var ended = try #require(try await registry.journaled(ServiceHarness.app))
            for item in ended.plan.pending().compactMap(\.key) { _ = ended.handle(.item(item, .finished)) }
            try #require(ended.state == .complete)
            try await registry.journal(ended)
            try await database.write { try $0.execute("DELETE FROM transfers") }
            await database.close()
            try await harness.start()
            let connection = try await harness.connect()
            for try await _ in connection.stream(WatchInstallRequest(app: ServiceHarness.app, until: .complete)) {}
            #expect(try await connection.send(StatusRequest()).installs == [])
        }
    }
}
