// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import CLinux
internal import Glibc
package import System

/// What is known of the terminal a person sits at.
package enum Terminal {
    package static func isTerminal(_ descriptor: FileDescriptor) -> Bool { isatty(descriptor.rawValue) == 1 }

    /// Columns of standard error's or standard output's terminal; `COLUMNS` or 80 when there is none.
    package static func width(_ environment: [String: String] = Environment.current) -> Int {
        for number: CInt in [2, 1] {
            let columns = clinux_window_columns(number)
            if columns > 0 { return Int(columns) }
        }
        return environment["COLUMNS"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } ?? 80
    }

    /// Whether output to `descriptor` may be coloured: a terminal that can, and no `NO_COLOR`.
    package static func usesColour(
        _ descriptor: FileDescriptor, _ environment: [String: String] = Environment.current
    ) -> Bool {
        guard environment["NO_COLOR"]?.isEmpty ?? true, environment["TERM"] != "dumb" else { return false }
        return isTerminal(descriptor)
    }
}
