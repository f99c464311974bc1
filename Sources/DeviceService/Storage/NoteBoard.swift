// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Database
import DeviceProtocol
import Kit

/// The last things that went wrong and were lived with, for `status`. Those that lasted are in the database, too, and the next
/// service tells them again.
final class NoteBoard: Sendable {
    static let tables = [
        """
        CREATE TABLE note (
            number INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER NOT NULL, app TEXT, message TEXT NOT NULL) STRICT
        """
    ]

    static let capacity = 50
    /// Nobody wants to know longer, in seconds.
    static let longest: Int64 = 30 * 86_400

    fileprivate enum Change: Sendable {
        case add(StatusNote)
        case forget(app: String)
    }

    private let notes: Locked<[StatusNote]>
    /// What is still to be put down, in order.
    private let changes: AsyncStream<Change>.Continuation?
    private let writer: Task<Void, Never>?

    /// One that forgets all with its process.
    init() {
        notes = Locked([])
        changes = nil
        writer = nil
    }

    /// One that goes on with what the database has.
    init(_ database: SQLiteDatabase, log: Logger) async throws {
        let oldest = Timestamp.now.seconds - Self.longest
        notes = Locked(try await database.read { try $0.notes(since: oldest) })
        let (stream, changes) = AsyncStream<Change>.makeStream()
        self.changes = changes
        writer = Task {
            for await change in stream {
                do {
                    try await database.write { try $0.apply(change) }
                } catch {
                    // It is told until the service ends.
                    log.warning("A note could not be kept.", ["error": "\(error)"])
                }
            }
        }
    }

    /// - Parameter lasts: whether the next service is to tell it, too: not what it would find out by itself.
    func add(_ message: String, app: String? = nil, lasts: Bool = true) {
        let note = StatusNote(time: Timestamp.now.seconds, app: app, message: message)
        notes.withLock { notes in
            if let last = notes.last, last.app == app, last.message == message { return }
            notes.append(note)
            if notes.count > Self.capacity { notes.removeFirst() }
            if lasts { changes?.yield(.add(note)) }
        }
    }

    /// The app is gone, and with it what there was to say of it.
    func forget(app: String) {
        notes.withLock { notes in
            notes.removeAll { $0.app == app }
            changes?.yield(.forget(app: app))
        }
    }

    var all: [StatusNote] { notes.withLock { $0 } }

    /// Puts down what is not yet.
    func close() async {
        changes?.finish()
        await writer?.value
    }
}

extension Connection {
    fileprivate func notes(since oldest: Int64) throws -> [StatusNote] {
        try rows("SELECT time, app, message FROM note WHERE time >= ? ORDER BY number", [.integer(oldest)]) {
            StatusNote(time: $0.int64(0), app: $0.textIfPresent(1), message: $0.text(2))
        }
    }

    fileprivate func apply(_ change: NoteBoard.Change) throws {
        switch change {
        case .add(let note):
            try execute(
                "INSERT INTO note (time, app, message) VALUES (?, ?, ?)",
                [.integer(note.time), .text(orNull: note.app), .text(note.message)])
            try execute(
                "DELETE FROM note WHERE number <= (SELECT max(number) FROM note) - ?",
                [.integer(Int64(NoteBoard.capacity))])
        case .forget(let app): try execute("DELETE FROM note WHERE app = ?", [.text(app)])
        }
    }
}
