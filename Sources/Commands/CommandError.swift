// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// A command that could not do what it was asked for, for a reason of its own.
package struct CommandError: LarderError {
    package let codeName: String
    package let message: String
    package let cause: (any Error)?

    /// - Parameter codeName: a dotted name; `ExitCode(codeName:)` makes the exit code of it.
    package init(_ codeName: String, _ message: String, cause: (any Error)? = nil) {
        self.codeName = codeName
        self.message = message
        self.cause = cause
    }
}
