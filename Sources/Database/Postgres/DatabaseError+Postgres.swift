// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

extension DatabaseError {
    /// An error that the server told.
    /// - Parameters:
    ///   - state: the five characters of its kind.
    ///   - said: the server's words.
    init(state: String, said: String, _ database: PostgresAddress, doing: String) {
        switch state {
        case "40001", "40P01":
            self.init(.conflict, "The \(database) had too many changes at once (\(said)). Try again.")
        case "57P01", "57P02", "57P03", "57P05", "25P03":
            self.init(.lost, "The \(database) ended the connection (\(said)). Try again.")
        case "25006":
            self.init(
                .readOnly, "The \(database) takes no changes (\(said)). Name the server that does, or let it take them."
            )
        case "57014", "55P03":
            self.init(
                .busy, "The \(database) took too long for \"\(doing)\" (\(said)). Try again when it is less busy.")
        case "53300":
            self.init(
                .busy,
                "The \(database) has as many connections as it may have (\(said)). Raise its max_connections: each host takes up "
                    + "to \(PostgresLimits().connections).")
        case "53100":
            self.init(.noSpace, "There is no space left for the \(database) (\(said)). Free some and try again.")
        case "XX001", "XX002":
            self.init(.corrupt, "The \(database) is damaged (\(said)). Restore it from a backup.")
        case "42501":
            self.init(.readOnly, "The \(database) may not be changed by this user (\(said)). Grant the right.")
        case _ where state.hasPrefix("23"):
            self.init(.constraint, "A row does not fit its table in the \(database) (\(said)).")
        case _ where state.hasPrefix("08"):
            self.init(.lost, "The connection to the \(database) broke (\(said)). Try again.")
        default:
            self.init(.failed, "The \(database) failed to run \"\(doing)\": \(said) (PostgreSQL code \(state)).")
        }
    }

    static func unreachable(_ database: PostgresAddress, _ said: String) -> DatabaseError {
        DatabaseError(
            .cannotOpen,
            "The \(database) cannot be opened (\(said)). See to it that the server runs, that it is reached from here, and that "
                + "database, user and password are right.")
    }

    static func broken(_ database: PostgresAddress, _ said: String) -> DatabaseError {
        DatabaseError(.lost, "The connection to the \(database) broke (\(said)). Try again.")
    }
}
