// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Kit

/// The credentials that are good now. A file of them may be written anew while a host runs, and is looked at now and then; the
/// environment stays as it was at the start.
package final class S3CredentialSource: Sendable {
    private struct State {
        var credentials: S3Credentials
        var read: ContinuousClock.Instant
    }

    private let state: Locked<State>
    /// How the credentials are read anew; nil for those that stay. Blocks.
    private let load: (@Sendable () throws -> S3Credentials)?
    /// How old what was read may be.
    private let freshness: Duration

    /// Credentials that stay.
    package init(_ credentials: S3Credentials) {
        state = Locked(State(credentials: credentials, read: .now))
        load = nil
        freshness = .zero
    }

    /// Those that the environment names, directly or by a file. Blocks.
    /// - Parameter freshness: how long a file is not looked at again.
    /// - Throws: `ObjectStorageError` when there are none.
    package init(environment: [String: String], freshness: Duration = .seconds(10)) throws(ObjectStorageError) {
        state = Locked(State(credentials: try S3Credentials.load(environment: environment), read: .now))
        load = { try S3Credentials.load(environment: environment) }
        self.freshness = freshness
    }

    package var current: S3Credentials { state.withLock { $0.credentials } }

    /// Looks at the file when that was long ago. One that cannot be read just now, or is not whole, changes nothing.
    package func refresh() async {
        guard let load else { return }
        let isOld = state.withLock { state in
            guard state.read.duration(to: .now) >= freshness else { return false }
            // Nobody else need look.
            state.read = .now
            return true
        }
        guard isOld, let credentials = try? await offload({ try load() }) else { return }
        state.withLock { $0.credentials = credentials }
    }
}
