// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Glibc

/// State behind a lock that threads may wait on: every change wakes those who wait, and they look again.
///
/// For owned threads only; a task that must wait belongs on a continuation.
// Safe: `state` is touched only between pthread_mutex_lock and unlock.
package final class Monitor<State>: @unchecked Sendable {
    private var state: State
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    package init(_ state: sending State) {
        self.state = state
        mutex = .allocate(capacity: 1)
        condition = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Reads or changes the state; wakes every waiting thread afterwards.
    package func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer { unlockAndWake() }
        return try body(&state)
    }

    /// As `withLock`; wakes the waiting threads only when the changed state `concerns` them.
    package func withLock<Result>(
        wakingIf concerns: (State) -> Bool, _ body: (inout State) throws -> Result
    ) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer { if concerns(state) { unlockAndWake() } else { pthread_mutex_unlock(mutex) } }
        return try body(&state)
    }

    /// In this order those who are woken find the lock free.
    private func unlockAndWake() {
        pthread_mutex_unlock(mutex)
        pthread_cond_broadcast(condition)
    }

    /// Reads the state and wakes nobody.
    package func peek<Result>(_ body: (State) throws -> Result) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(state)
    }

    /// Blocks the thread until `body` returns a value. `body` runs under the lock and may change the state when it does.
    package func wait<Result>(_ body: (inout State) throws -> Result?) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer { unlockAndWake() }
        while true {
            if let result = try body(&state) { return result }
            pthread_cond_wait(condition, mutex)
        }
    }

    /// As `wait(_:)`, for no longer than `limit`; nil when the time ran out.
    package func wait<Result>(atMost limit: Duration, _ body: (inout State) throws -> Result?) rethrows -> Result? {
        var deadline = timespec()
        clock_gettime(CLOCK_MONOTONIC, &deadline)
        let (seconds, attoseconds) = limit.components
        deadline.tv_sec += Int(clamping: max(0, min(seconds, 1 << 40)))
        deadline.tv_nsec += Int(max(0, attoseconds) / 1_000_000_000)
        if deadline.tv_nsec >= 1_000_000_000 {
            deadline.tv_nsec -= 1_000_000_000
            deadline.tv_sec += 1
        }
        pthread_mutex_lock(mutex)
        defer { unlockAndWake() }
        while true {
            if let result = try body(&state) { return result }
            if pthread_cond_timedwait(condition, mutex, &deadline) == ETIMEDOUT { return try body(&state) }
        }
    }
}
