// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Glibc

/// What a program tells its caller when it ends. The numbers are stable and documented in `docs/cli.md`.
package struct ExitCode: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    /// All went well.
    package static let success = ExitCode(rawValue: 0)
    /// Something failed that has no number of its own.
    package static let failure = ExitCode(rawValue: 1)
    /// The command line is wrong.
    package static let usage = ExitCode(rawValue: 2)
    /// An app, pack, file or setting of that name does not exist.
    package static let notFound = ExitCode(rawValue: 3)
    /// An archive, manifest, bundle or other input is broken or breaks a rule.
    package static let badInput = ExitCode(rawValue: 4)
    /// There is not enough room on the disk.
    package static let noSpace = ExitCode(rawValue: 5)
    /// The network or a server failed.
    package static let network = ExitCode(rawValue: 6)
    /// Trust or policy forbids it.
    package static let refused = ExitCode(rawValue: 7)
    /// The device service does not answer.
    package static let serviceUnavailable = ExitCode(rawValue: 8)
    /// The app is installed and may be launched, but an essential pack is missing.
    package static let incomplete = ExitCode(rawValue: 9)
    /// The terminal was closed.
    package static let hungUp = ExitCode(rawValue: 129)
    /// Interrupted by the person at the keyboard.
    package static let interrupted = ExitCode(rawValue: 130)
    /// Ended by SIGTERM.
    package static let terminated = ExitCode(rawValue: 143)

    /// Number and meaning of each, for help and documentation.
    package static let documented: [(code: ExitCode, meaning: String)] = [
        (.success, "All went well."),
        (.failure, "Something failed that has no number of its own."),
        (.usage, "The command line is wrong."),
        (.notFound, "An app, pack, file or setting of that name does not exist."),
        (.badInput, "An archive, manifest, bundle or other input is broken or breaks a rule."),
        (.noSpace, "There is not enough room on the disk."),
        (.network, "The network or a server failed."),
        (.refused, "Trust or policy forbids it."),
        (.serviceUnavailable, "The device service does not answer."),
        (.incomplete, "The app is installed and may be launched, but an essential pack is missing."),
        (.hungUp, "The terminal was closed."),
        (.interrupted, "Interrupted by the person at the keyboard."),
        (.terminated, "Ended by SIGTERM."),
    ]
}

extension ExitCode {
    /// Ends the process with this code, without what libraries do at an exit: other threads may still be using what they would
    /// take down, and one command in thousands would end by a signal.
    package func exitProcess() -> Never {
        fflush(nil)
        _exit(rawValue)
    }
}
