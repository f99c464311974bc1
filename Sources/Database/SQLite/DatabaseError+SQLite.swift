// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import CSQLite
import Kit
import System

extension DatabaseError {
    init(result: CInt, _ raw: OpaquePointer, path: FilePath, doing: String) {
        let said = String(cString: sqlite3_errmsg(raw))
        // The shared index of the write-ahead log is made at a fixed size; what fails then is nearly always the room for it.
        if result == noRoomForIndex {
            self.init(.noSpace, "There is no space left for the database \(path). Free some and try again.")
            return
        }
        switch result & 0xFF {
        case SQLITE_CORRUPT, SQLITE_NOTADB:
            self.init(
                .corrupt,
                "The database \(path) is damaged (\(said)). Move it away and start again: apps and packs on the disk are kept, "
                    + "but have to be installed anew.")
        case SQLITE_FULL:
            self.init(.noSpace, "There is no space left for the database \(path). Free some and try again.")
        case SQLITE_BUSY, SQLITE_LOCKED:
            self.init(.busy, "Another program is using the database \(path). Close it and try again.")
        case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH:
            self.init(.cannotOpen, "The database \(path) cannot be opened (\(said)). Check the folder's permissions.")
        case SQLITE_READONLY:
            self.init(.readOnly, "The database \(path) cannot be written (\(said)). Check the folder's permissions.")
        case SQLITE_CONSTRAINT:
            self.init(.constraint, "A row does not fit its table in \(path) (\(said)).")
        default:
            self.init(.failed, "The database \(path) failed to \(doing): \(said) (SQLite code \(result)).")
        }
    }
}

// SQLITE_IOERR_SHMSIZE, which Swift does not see.
private let noRoomForIndex = SQLITE_IOERR | 19 << 8
