// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Database
import Kit
import TestSupport
import Testing

@testable import DeviceService

@Suite(.timeLimit(.minutes(5))) struct ResourceTablesTests {
    private func with(_ body: (ResourceTables) async throws -> Void) async throws {
        try await Scratch.with { scratch in
            try await body(
                ResourceTables(
                    database: SQLiteDatabase(path: scratch("database"), migrations: Schema.migrations, isAlone: true)))
        }
    }

    private func time(_ nanoseconds: Int32) -> Timestamp { Timestamp(seconds: 1_800_000_000, nanoseconds: nanoseconds) }

    /// Uses that ended one after the other are told side by side.
    @Test func theLatestUseCountsInWhateverOrderTheyAreTold() async throws {
        try await with { tables in
            try await tables.noteUse("app", ["a"], at: time(7))
            try await tables.noteUse("app", ["a", "b"], at: time(5))
            let packs = try await tables.packs("app")
            #expect(packs.mapValues(\.lastUse) == ["a": time(7), "b": time(5)])
        }
    }

    @Test func aUseBringsBackWhatWasPurged() async throws {
        try await with { tables in
            try await tables.notePurge("app", "a")
            #expect(try await tables.packs("app") == ["a": .init(lastUse: nil, wasPurged: true)])
            try await tables.noteUse("app", ["a"], at: time(1))
            #expect(try await tables.packs("app") == ["a": .init(lastUse: time(1), wasPurged: false)])
        }
    }
}
