// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database

/// Something that is to be done after the answer to a request. It is stored in the transaction that makes it necessary, and
/// removed in the one that records what came of it: a host that dies in between does it again.
struct Job: Sendable, Hashable {
    enum Kind: String, Sendable {
        case processVersion
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

    /// The jobs that wait, oldest first. Those of a newer version of the program are left for it.
    /// - Throws: `DatabaseError`
    func jobs() throws -> [Job] {
        try rows(#"SELECT "kind", "subject" FROM "jobs" ORDER BY "sequence""#) { row in
            Job.Kind(rawValue: row.text(0)).map { Job(kind: $0, subject: row.text(1)) }
        }.compactMap { $0 }
    }

    /// - Throws: `DatabaseError`
    func remove(_ job: Job) throws {
        try execute(
            #"DELETE FROM "jobs" WHERE "kind" = ? AND "subject" = ?"#, [.text(job.kind.rawValue), .text(job.subject)])
    }
}
