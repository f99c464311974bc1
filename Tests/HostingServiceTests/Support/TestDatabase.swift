// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Database
import Kit
import TestSupport
import Testing

/// What a host of a test keeps its records in.
enum TestDatabase: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case sqlite, postgres

    /// For tests that do not say it: `LARDER_TEST_DATABASE`, or SQLite.
    static var usual: TestDatabase {
        Environment.current["LARDER_TEST_DATABASE"].flatMap(TestDatabase.init(rawValue:)) ?? .sqlite
    }

    /// Runs `body` when not too many hosts stand on the server already: each takes up to eight connections, and those who look
    /// after it as many, of a thousand that the server has.
    func withRoom<Result>(_ body: () async throws -> Result) async throws -> Result {
        guard self == .postgres else { return try await body() }
        await Self.room.enter()
        do {
            let result = try await body()
            await Self.room.leave()
            return result
        } catch {
            await Self.room.leave()
            throw error
        }
    }

    private static let room = Room(places: 24)

    /// Lets in so many at once, in the order in which they come.
    private actor Room {
        private var places: Int
        private var waiting: [CheckedContinuation<Void, Never>] = []

        init(places: Int) { self.places = places }

        func enter() async {
            guard places == 0 else {
                places -= 1
                return
            }
            await withCheckedContinuation { waiting.append($0) }
        }

        func leave() {
            if waiting.isEmpty { places += 1 } else { waiting.removeFirst().resume() }
        }
    }

    var testDescription: String { rawValue }

    /// Where a host finds tables of its own; nil for a file in its data folder.
    func newAddress() async throws -> PostgresAddress? {
        guard self == .postgres else { return nil }
        let url = try await PostgresServer.shared().newSchema()
        let address: PostgresAddress = try #require(PostgresAddress(url))
        return address
    }
}
