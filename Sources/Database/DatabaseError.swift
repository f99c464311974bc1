// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit

/// What goes wrong with the database.
package typealias DatabaseError = RoomError<DatabaseErrorCode>

/// What goes wrong, by kind.
package struct DatabaseErrorCode: ErrorCode {
    package let name: String

    package static let cannotOpen = Self(name: "database.cannotOpen")
    /// The file is damaged, or no database at all.
    package static let corrupt = Self(name: "database.corrupt")
    /// A newer program wrote the file.
    package static let newer = Self(name: "database.newer")
    package static let noSpace = Self(name: "database.noSpace")
    package static let busy = Self(name: "database.busy")
    package static let readOnly = Self(name: "database.readOnly")
    /// A row breaks a rule of its table.
    package static let constraint = Self(name: "database.constraint")
    /// It went together with another transaction that was there first, too often.
    package static let conflict = Self(name: "database.conflict")
    /// The connection broke, or nothing came in time; whether the last transaction counts is not known.
    package static let lost = Self(name: "database.lost")
    package static let closed = Self(name: "database.closed")
    package static let failed = Self(name: "database.failed")
}
