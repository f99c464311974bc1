// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database

/// The queue. Ends of claims are told by the database's clock, which is the same for all hosts.
extension Connection {
    /// How long a host has a job after its last word, in seconds.
    static var lease: Int64 { 20 }

    /// Adds a job; one that is there already is not doubled.
    /// - Throws: `DatabaseError`
    func add(_ job: Job) throws {
        let isKnown =
            try first(
                #"SELECT 1 FROM "jobs" WHERE "kind" = ? AND "subject" = ?"#,
                [.text(job.kind.rawValue), .text(job.subject)], { $0.bool(0) }) ?? false
        guard !isKnown else { return }
        try execute(
            #"INSERT INTO "jobs" ("kind", "subject") VALUES (?, ?)"#, [.text(job.kind.rawValue), .text(job.subject)])
    }

    /// - Throws: `DatabaseError`
    func remove(_ job: Job) throws {
        try execute(
            #"DELETE FROM "jobs" WHERE "kind" = ? AND "subject" = ?"#, [.text(job.kind.rawValue), .text(job.subject)])
    }

    // MARK: Claims

    /// What there is to know about the jobs of a kind.
    /// - Throws: `DatabaseError`
    func queue(of kind: Job.Kind) throws -> JobQueue {
        let now = try seconds()
        let kindValue = SQLValue.text(kind.rawValue)
        let first = try first(
            """
            SELECT "subject", "attempts", "due" FROM "jobs"
            WHERE "kind" = ? AND ("owner" IS NULL OR "leaseEnd" <= ?) ORDER BY "due", "sequence" LIMIT 1
            """, [kindValue, .integer(now)],
            { JobQueue.Entry(subject: $0.text(0), attempts: Int(clamping: $0.int64(1)), due: $0.int64(2)) })
        let leaseEnd = try self.first(
            #"SELECT MIN("leaseEnd") FROM "jobs" WHERE "kind" = ? AND "owner" IS NOT NULL AND "leaseEnd" > ?"#,
            [kindValue, .integer(now)], { $0.int64IfPresent(0) })
        return JobQueue(first: first, nextLease: (leaseEnd ?? nil).map { $0 - now })
    }

    /// Takes a job for a host; false when another was there first.
    /// - Throws: `DatabaseError`
    func claim(_ job: Job, for owner: String) throws -> Bool {
        let now = try seconds()
        try execute(
            """
            UPDATE "jobs" SET "owner" = ?, "leaseEnd" = ?
            WHERE "kind" = ? AND "subject" = ? AND ("owner" IS NULL OR "leaseEnd" <= ?)
            """,
            [
                .text(owner), .integer(now + Self.lease), .text(job.kind.rawValue), .text(job.subject), .integer(now),
            ])
        return changes > 0
    }

    /// Whether a host is at work on something.
    /// - Throws: `DatabaseError`
    func hasClaims(of owner: String) throws -> Bool {
        try first(#"SELECT 1 FROM "jobs" WHERE "owner" = ? LIMIT 1"#, [.text(owner)], { $0.bool(0) }) ?? false
    }

    /// Says that a host is at work on what it has taken.
    /// - Throws: `DatabaseError`
    func renewClaims(of owner: String) throws {
        try execute(
            #"UPDATE "jobs" SET "leaseEnd" = ? WHERE "owner" = ?"#,
            [.integer(try seconds() + Self.lease), .text(owner)])
    }

    /// Gives back all that a host has taken.
    /// - Throws: `DatabaseError`
    func releaseClaims(of owner: String) throws {
        try execute(#"UPDATE "jobs" SET "owner" = NULL, "leaseEnd" = 0 WHERE "owner" = ?"#, [.text(owner)])
    }

    /// To stand in the transaction that records what came of a job.
    /// - Throws: `ClaimLost` when another host has it now; `DatabaseError`
    func confirm(_ claim: ClaimedJob) throws {
        let isOwn =
            try first(
                #"SELECT 1 FROM "jobs" WHERE "kind" = ? AND "subject" = ? AND "owner" = ?"#,
                [.text(claim.job.kind.rawValue), .text(claim.subject), .text(claim.owner)], { $0.bool(0) }) ?? false
        guard isOwn else { throw ClaimLost() }
    }

    /// Removes a job when all that belongs to it is done.
    /// - Throws: `ClaimLost` when another host has it now; `DatabaseError`
    func remove(_ claim: ClaimedJob) throws {
        try change(claim, #"DELETE FROM "jobs""#, [])
    }

    /// Has a job tried again.
    /// - Parameters:
    ///   - due: seconds since 1970; nil for when it was due before.
    ///   - counts: whether this was one of the attempts that it has.
    /// - Throws: `ClaimLost` when another host has it now; `DatabaseError`
    func postpone(_ claim: ClaimedJob, until due: Int64?, counts: Bool = true) throws {
        var assignments = #""owner" = NULL, "leaseEnd" = 0"#
        if counts { assignments += #", "attempts" = "attempts" + 1"# }
        if due != nil { assignments += #", "due" = ?"# }
        try change(claim, #"UPDATE "jobs" SET \#(assignments)"#, due.map { [.integer($0)] } ?? [])
    }

    /// Has nobody take a job for a while: the host could not do its own part. That is by the database's clock, too.
    /// - Parameter counts: whether this was one of the attempts that it has.
    /// - Throws: `ClaimLost` when another host has it now; `DatabaseError`
    func rest(_ claim: ClaimedJob, seconds: Int64, counts: Bool = false) throws {
        // Nobody's claim, which ends then.
        let count = counts ? #", "attempts" = "attempts" + 1"# : ""
        try change(
            claim, #"UPDATE "jobs" SET "owner" = '', "leaseEnd" = ?"# + count,
            [.integer(try self.seconds() + seconds)])
    }

    private func change(_ claim: ClaimedJob, _ statement: String, _ values: [SQLValue]) throws {
        try execute(
            statement + #" WHERE "kind" = ? AND "subject" = ? AND "owner" = ?"#,
            values + [.text(claim.job.kind.rawValue), .text(claim.subject), .text(claim.owner)])
        guard changes > 0 else { throw ClaimLost() }
    }
}
