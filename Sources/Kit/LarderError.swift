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

    package var description: String { message.with(cause: cause) }
}

extension Error {
    /// What it says, for the middle of a sentence, or its end: the full stop is the sentence's own.
    package var clause: String { "\(self)".clause }
}

extension String {
    /// The text without the full stop at its end, to be a part of a sentence.
    package var clause: String { hasSuffix(".") && !hasSuffix("..") ? String(dropLast()) : self }

    /// A message and its cause. A message that says it itself does not say it twice.
    package func with(cause: (any Error)?) -> String {
        guard let cause, !mentions(cause.clause) else { return self }
        return "\(self) (\(cause.clause))"
    }
}
