// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import CSQLite
import Glibc

/// The yardstick for the service's start: opens a database and reads its schema version.
@main
enum OpenDatabase {
    static func main() {
        guard CommandLine.arguments.count == 2 else { exit(2) }
        var database: OpaquePointer?
        var statement: OpaquePointer?
        guard sqlite3_open_v2(CommandLine.arguments[1], &database, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK,
            sqlite3_prepare_v2(database, "PRAGMA user_version", -1, &statement, nil) == SQLITE_OK,
            sqlite3_step(statement) == SQLITE_ROW
        else { exit(1) }
        sqlite3_finalize(statement)
        sqlite3_close_v2(database)
    }
}
