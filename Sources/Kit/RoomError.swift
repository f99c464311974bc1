// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// A room's error with nothing but a code, a message and a cause. A room declares its codes and a name for the whole:
/// `typealias StoreError = RoomError<StoreErrorCode>`.
package struct RoomError<Kind: ErrorCode>: LarderError, Equatable {
    package typealias Code = Kind

    package let code: Code
    package let message: String
    package let cause: (any Error)?

    package init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    package var codeName: String { code.name }
    package var exitCode: ExitCode { code.exitCode }

    /// Code and message tell errors apart; a cause cannot be compared.
    package static func == (left: Self, right: Self) -> Bool {
        left.code == right.code && left.message == right.message
    }
}

/// The kinds of failure of one room: a struct of the name alone and a static constant for each, so that the list can grow.
package protocol ErrorCode: Hashable, Sendable {
    /// Dotted, as `LarderError.codeName`.
    var name: String { get }
    /// As `LarderError.exitCode`.
    var exitCode: ExitCode { get }
}

extension ErrorCode {
    package var exitCode: ExitCode { ExitCode(codeName: name) }
}
