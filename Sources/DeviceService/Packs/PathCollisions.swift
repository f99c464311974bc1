// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Paths that more than one local pack of an app holds (A5).
package struct PathCollisions: Hashable, Sendable {
    package struct Collision: Hashable, Sendable {
        package var path: String
        /// The pack whose file readers see.
        package var winner: String
        package var losers: [String]

        package init(path: String, winner: String, losers: [String]) {
            self.path = path
            self.winner = winner
            self.losers = losers
        }
    }

    package var count: Int
    /// The first of them.
    package var listed: [Collision]

    package init(count: Int, listed: [Collision]) {
        self.count = count
        self.listed = listed
    }
}
