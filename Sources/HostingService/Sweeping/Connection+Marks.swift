// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Crypto
internal import Database
internal import HostingModel
internal import Kit

/// Notes about archives that nobody needs, made by one sweep and acted upon by a later one.
extension Connection {
    /// - Throws: `DatabaseError`
    func archiveMarks() throws -> [String: SweepPlan.Mark] {
        let rows = try rows(
            #"SELECT "digest", "since", "going" FROM "archiveMarks""#, [],
            { ($0.text(0), SweepPlan.Mark(since: $0.int64(1), isGoing: $0.int64(2) != 0)) })
        return Dictionary(rows) { $1 }
    }

    /// - Throws: `DatabaseError`
    func archiveMark(_ digest: String) throws -> SweepPlan.Mark? {
        try first(
            #"SELECT "since", "going" FROM "archiveMarks" WHERE "digest" = ?"#, [.text(digest)],
            { SweepPlan.Mark(since: $0.int64(0), isGoing: $0.int64(1) != 0) })
    }

    /// - Throws: `DatabaseError`
    func mark(_ digest: String, _ mark: SweepPlan.Mark) throws {
        try unmark(digest)
        try execute(
            #"INSERT INTO "archiveMarks" ("digest", "since", "going") VALUES (?, ?, ?)"#,
            [.text(digest), .integer(mark.since), .integer(mark.isGoing ? 1 : 0)])
    }

    /// - Throws: `DatabaseError`
    func unmark(_ digest: String) throws {
        try execute(#"DELETE FROM "archiveMarks" WHERE "digest" = ?"#, [.text(digest)])
    }

    /// Has an archive's grace begin anew, because it is about to be needed.
    /// - Returns: false while it is being removed: it must be kept once more afterwards.
    /// - Throws: `DatabaseError`
    func reserveArchive(_ digest: String) throws -> Bool {
        guard let mark = try archiveMark(digest) else { return true }
        guard !mark.isGoing else { return false }
        try unmark(digest)
        return true
    }

    /// Begins the removal of an archive, unless somebody needs it by now.
    /// - Returns: whether it may be removed.
    /// - Throws: `DatabaseError`
    func beginRemoval(of digest: String, now: Int64, grace: Int64) throws -> Bool {
        guard let mark = try archiveMark(digest), mark.isGoing || now - mark.since >= grace,
            try !ArchiveNeeds(in: self).digests.contains(digest)
        else { return false }
        try self.mark(digest, SweepPlan.Mark(since: mark.since, isGoing: true))
        // What is gone is told by nothing any more.
        for var version in try records(
            .backgroundAssetVersions, where: ["state": .text(VersionState.complete.rawValue)])
        where VersionContent.digest(of: version)?.hex == digest {
            version["content"] = VersionContent.withoutArchive(version)
            try update(version)
        }
        try forgetUpdateFile(digest)
        return true
    }
}
