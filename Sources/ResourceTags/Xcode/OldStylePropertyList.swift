// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// A property list in the old style, with braces and semicolons, as Xcode writes its projects.
package enum OldStylePropertyList {
    /// A value that knows its line, for messages that point at it.
    package struct Node: Sendable {
        package indirect enum Content: Sendable {
            case string(String)
            case data([UInt8])
            case array([Node])
            case dictionary([String: Node])
        }

        package let content: Content
        /// From 1.
        package let line: Int

        /// What this is, as a message names it.
        package var kind: String {
            switch content {
            case .string: "a string"
            case .data: "data"
            case .array: "an array"
            case .dictionary: "a dictionary"
            }
        }
    }

    /// Text that is no such list, or breaks a limit.
    package struct Problem: Error, Hashable {
        package let line: Int
        /// The end of a sentence that starts with the place.
        package let reason: String
    }

    /// Larger than any real project, in bytes.
    package static let maximumSize = 64 << 20
    /// Deeper than any real project; bounds what hostile text can cost.
    static let maximumDepth = 64
    static let maximumCount = 4_000_000

    /// - Throws: `Problem`
    package static func parse(_ bytes: [UInt8]) throws -> Node {
        var parser = OldStylePropertyListParser(bytes)
        return try parser.parse()
    }
}
