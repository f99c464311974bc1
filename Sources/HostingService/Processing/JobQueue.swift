// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// What a host knows about the jobs of a kind, and what it does about them.
struct JobQueue: Sendable, Hashable {
    struct Entry: Sendable, Hashable {
        let subject: String
        let attempts: Int
        /// Seconds since 1970.
        let due: Int64
    }

    /// Of those that nobody has the one that is due first.
    var first: Entry?
    /// In how many seconds the first claim of another host ends; nil when there is none.
    var nextLease: Int64?

    enum Step: Hashable {
        case take(Entry)
        /// For so many seconds, unless somebody says that there is a job.
        case rest(Int64)
        case restUntilAsked
    }

    /// - Parameter now: seconds since 1970.
    func step(now: Int64) -> Step {
        if let first, first.due <= now { return .take(first) }
        let waits = [first.map { $0.due - now }, nextLease.map { max(1, $0) }].compactMap { $0 }
        return waits.min().map { .rest($0) } ?? .restUntilAsked
    }
}
