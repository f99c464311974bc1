// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// The shape of every error that crosses a room's boundary: a code that can grow, a message for a person, and a cause.
///
/// A message says what happened, to which file or pack, and what to do next, in that order.
package protocol LarderError: Error, CustomStringConvertible, Sendable {
    /// A stable, dotted name such as `archive.truncated`; goes over the wire and into JSON output.
    var codeName: String { get }
    var message: String { get }
    var cause: (any Error)? { get }
    /// What a command that ends with this error tells its caller; by the code name unless the error says otherwise.
    var exitCode: ExitCode { get }
}

extension LarderError {
    package var exitCode: ExitCode { ExitCode(codeName: codeName) }

    package var description: String {
        guard let cause else { return message }
        return "\(message) (\(cause))"
    }
}
