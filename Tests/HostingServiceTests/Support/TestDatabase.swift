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

    var testDescription: String { rawValue }

    /// Where a host finds tables of its own; nil for a file in its data folder.
    func newAddress() async throws -> PostgresAddress? {
        guard self == .postgres else { return nil }
        let url = try await PostgresServer.shared().newSchema()
        let address: PostgresAddress = try #require(PostgresAddress(url))
        return address
    }
}
