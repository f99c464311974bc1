// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Something that is to be done after the answer to a request. It is stored in the transaction that makes it necessary, and
/// removed when all that belongs to it is done: when a host dies in between, it is done again, and what is found done is left.
struct Job: Sendable, Hashable {
    enum Kind: String, Sendable {
        case processVersion
        case processBuild
        /// Index and patches of a version that is live.
        case prepareUpdates
        case deliverWebhook
        case sendLetter
    }

    let kind: Kind
    /// The identifier of what it is about.
    let subject: String
}

/// A job that one host has taken. It has it for itself as long as it says so from time to time; when it is silent for too
/// long, or known to be dead, another takes the job.
struct ClaimedJob: Sendable, Hashable {
    let job: Job
    /// How often it was tried before.
    let attempts: Int
    /// The host's name for itself.
    let owner: String

    var subject: String { job.subject }
}

/// Another host took a job over: what came of it here does not count.
struct ClaimLost: Error {}
