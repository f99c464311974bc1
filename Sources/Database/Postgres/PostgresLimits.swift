// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// How much one program takes of a server, and how long it waits for it.
package struct PostgresLimits: Sendable, Hashable {
    /// Connections at once.
    package var connections = 8
    /// How long a transaction waits for one of them.
    package var turn = Duration.seconds(10)
    package var connect = Duration.seconds(10)
    /// How long the server may work on a statement.
    package var statement = Duration.seconds(30)
    /// How long it may take to say that it gave up.
    package var grace = Duration.seconds(5)

    package init() {}
}
