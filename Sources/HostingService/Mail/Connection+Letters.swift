// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database

/// A letter that waits to be taken by the mail server.
struct Letter: Sendable, Hashable {
    let id: String
    let subject: String
    let text: String
    /// When it was written, in seconds since 1970.
    let seconds: Int64
}

extension Connection {
    /// Stores a letter, which may have words of an archive that was refused, and sees to it that it goes out. Part of the transaction that it tells of.
    /// - Throws: `DatabaseError`
    func add(_ letter: Letter) throws {
        try execute(
            #"INSERT INTO "letters" ("id", "subject", "text", "seconds") VALUES (?, ?, ?, ?)"#,
            [
                .text(letter.id), .text(letter.subject), .text(letter.text.replacing("\0", with: "?")),
                .integer(letter.seconds),
            ])
        try add(Job(kind: .sendLetter, subject: letter.id))
    }

    /// - Throws: `DatabaseError`
    func letter(_ id: String) throws -> Letter? {
        try first(
            #"SELECT "id", "subject", "text", "seconds" FROM "letters" WHERE "id" = ?"#, [.text(id)],
            { Letter(id: $0.text(0), subject: $0.text(1), text: $0.text(2), seconds: $0.int64(3)) })
    }

    /// - Throws: `DatabaseError`
    func removeLetter(_ id: String) throws {
        try execute(#"DELETE FROM "letters" WHERE "id" = ?"#, [.text(id)])
    }
}
