// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// A `Content-Range` field of the unit `bytes` (RFC 9110, 14.4).
package struct ContentRange: Equatable {
    /// First and last byte; nil in the answer to a range that cannot be satisfied.
    package let bounds: ClosedRange<Int64>?
    /// The whole resource's length in bytes; nil when unknown.
    package let total: Int64?

    /// nil for anything but a well-formed field.
    package init?(_ field: String) {
        let words = field.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count == 2, HTTPHeaders.same(words[0], "bytes") else { return nil }
        let halves = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        if halves[1] == "*" {
            total = nil
        } else {
            guard let length = ContentRange.number(halves[1]) else { return nil }
            total = length
        }
        if halves[0] == "*" {
            guard total != nil else { return nil }
            bounds = nil
            return
        }
        let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = ContentRange.number(ends[0]), let last = ContentRange.number(ends[1]),
            first <= last, last < .max, total.map({ last < $0 }) ?? true
        else { return nil }
        bounds = first...last
    }

    /// Decimal digits and nothing else, as the grammar wants them: no sign, no space.
    static func number(_ digits: some StringProtocol) -> Int64? {
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return Int64(digits)
    }
}
