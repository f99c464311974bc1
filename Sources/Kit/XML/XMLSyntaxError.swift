// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Why bytes are no XML, or not the XML that is wanted, and where.
package struct XMLSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
    package let message: String
    /// From 1.
    package let line: Int

    package var description: String { "\(message) (line \(line))." }
}
