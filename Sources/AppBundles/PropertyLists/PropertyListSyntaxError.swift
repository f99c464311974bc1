// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Why bytes are no property list, and where.
struct PropertyListSyntaxError: Error, CustomStringConvertible {
    let message: String
    /// The line, from 1, in the XML form; the offset in bytes in the binary one.
    let place: String

    var description: String { "\(message) (\(place))." }
}
