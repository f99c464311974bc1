// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// A version of an app as people see it, in whole numbers with dots between: 2.0.1. Missing numbers count as 0.
package struct AppVersion: Comparable, Hashable, Sendable, CustomStringConvertible {
    private static let maximumParts = 8

    private let parts: [UInt32]

    /// nil for what is not written so.
    package init?(_ text: String) {
        let words = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...Self.maximumParts).contains(words.count) else { return nil }
        var parts: [UInt32] = []
        for word in words {
            guard word.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
                let number = UInt32(word)
            else { return nil }
            parts.append(number)
        }
        while parts.last == 0, parts.count > 1 { parts.removeLast() }
        self.parts = parts
    }

    package var description: String { parts.map(String.init).joined(separator: ".") }

    package static func < (left: AppVersion, right: AppVersion) -> Bool {
        left.parts.lexicographicallyPrecedes(right.parts)
    }
}
