// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Looks again and again until there is something, for what nothing tells of by itself; the test's time limit ends it. Between two
/// looks the machine has time for what is waited for.
/// - Throws: `CancellationError`, and what `look` throws.
package func eventually<Found: Sendable>(
    isolation: isolated (any Actor)? = #isolation, _ look: () async throws -> Found?
) async throws -> Found {
    while true {
        if let found = try await look() { return found }
        try await Task.sleep(for: .milliseconds(2))
    }
}
