// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database

/// Something that is to be done after the answer to a request. It is stored in the transaction that makes it necessary, and
/// removed when all that belongs to it is done: a host that dies in between does it again, and what it finds done it leaves.
struct Job: Sendable, Hashable {
    enum Kind: String, Sendable {
        case processVersion
        case processBuild
        case deliverWebhook
    }

    let kind: Kind
    /// The identifier of what it is about.
    let subject: String
}

extension Connection {
    /// Adds a job; one that is there already is not doubled.
    /// - Throws: `DatabaseError`
    func add(_ job: Job) throws {
        guard try !has(job) else { return }
        try execute(
            #"INSERT INTO "jobs" ("kind", "subject") VALUES (?, ?)"#, [.text(job.kind.rawValue), .text(job.subject)])
    }

    private func has(_ job: Job) throws -> Bool {
        try first(
            #"SELECT 1 FROM "jobs" WHERE "kind" = ? AND "subject" = ?"#,
            [.text(job.kind.rawValue), .text(job.subject)], { $0.bool(0) }) ?? false
    }

    /// The job of a kind that is to be done next, how often it was tried, and when it is due, in seconds since 1970.
    /// - Throws: `DatabaseError`
    func nextJob(_ kind: Job.Kind) throws -> (job: Job, attempts: Int, due: Int64)? {
        try first(
            #"SELECT "subject", "attempts", "due" FROM "jobs" WHERE "kind" = ? ORDER BY "due", "sequence" LIMIT 1"#,
            [.text(kind.rawValue)],
            { (Job(kind: kind, subject: $0.text(0)), Int(clamping: $0.int64(1)), $0.int64(2)) })
    }

    /// Has a job tried again.
    /// - Parameter due: seconds since 1970.
    /// - Throws: `DatabaseError`
    func postpone(_ job: Job, until due: Int64) throws {
        try execute(
            #"UPDATE "jobs" SET "attempts" = "attempts" + 1, "due" = ? WHERE "kind" = ? AND "subject" = ?"#,
            [.integer(due), .text(job.kind.rawValue), .text(job.subject)])
    }

    /// - Throws: `DatabaseError`
    func remove(_ job: Job) throws {
        try execute(
            #"DELETE FROM "jobs" WHERE "kind" = ? AND "subject" = ?"#, [.text(job.kind.rawValue), .text(job.subject)])
    }
}
