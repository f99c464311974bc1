// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Database
import DeviceProtocol
import Kit
import TestSupport
import Testing

@testable import DeviceService

/// Notes of what went wrong, kept over restarts.
@Suite(.timeLimit(.minutes(5))) struct NoteBoardTests {
    private func open(_ scratch: Scratch) async throws -> (NoteBoard, SQLiteDatabase) {
        let database = try await SQLiteDatabase(path: scratch("notes.sqlite"), migrations: Schema.migrations)
        return (try await NoteBoard(database, log: .silent), database)
    }

    private func close(_ board: NoteBoard, _ database: SQLiteDatabase) async {
        await board.close()
        await database.close()
    }

    @Test func theLastOnesAreKeptInOrder() async throws {
        try await Scratch.with { scratch in
            var (board, database) = try await open(scratch)
            for number in 0..<(NoteBoard.capacity + 20) { board.add("note \(number)", app: "a") }
            // What is there still, and not what is said again in the same breath.
            board.add("note \(NoteBoard.capacity + 19)", app: "a")
            board.add("known by the next one itself", lasts: false)
            let lasting = board.all.dropLast()
            #expect(lasting.count == NoteBoard.capacity - 1)
            await close(board, database)
            (board, database) = try await open(scratch)
            #expect(board.all.suffix(lasting.count) == lasting)
            #expect(board.all.count == NoteBoard.capacity)
            await close(board, database)
        }
    }

    @Test func oldOnesAreNotTold() async throws {
        try await Scratch.with { scratch in
            var (board, database) = try await open(scratch)
            board.add("old")
            board.add("new")
            await board.close()
            try await database.write {
                try $0.execute(
                    "UPDATE note SET time = time - ? WHERE message = 'old'", [.integer(NoteBoard.longest + 1)])
            }
            await database.close()
            (board, database) = try await open(scratch)
            #expect(board.all.map(\.message) == ["new"])
            await close(board, database)
        }
    }
}
