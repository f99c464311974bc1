// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Synchronization

/// State behind a lock, shareable between threads and tasks. The lock is not recursive; `withLock` never suspends.
package final class Locked<State>: Sendable {
    private let mutex: Mutex<State>

    package init(_ state: sending State) { mutex = Mutex(state) }

    package func withLock<Result, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock(body)
    }

    /// As `withLock`; nil, without waiting, while another thread has the lock.
    package func withLockIfAvailable<Result, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
        try mutex.withLockIfAvailable(body)
    }
}
