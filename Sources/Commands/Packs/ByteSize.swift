// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// A size in bytes as a person writes it: `4194304`, `4m`, `1MiB`, `512 kB`.
package enum ByteSize {
    private static let units: [String: Int] = [
        "": 1, "b": 1, "k": 1 << 10, "kib": 1 << 10, "m": 1 << 20, "mib": 1 << 20, "g": 1 << 30, "gib": 1 << 30,
        "kb": 1_000, "mb": 1_000_000, "gb": 1_000_000_000,
    ]

    /// Letters alone and `iB` count in 1024, `B` in 1000; nil for anything else, and for what does not fit.
    package static func parse(_ text: String) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit = text.dropFirst(digits.count).drop { $0 == " " }.lowercased()
        guard let number = Int(digits), let factor = units[unit] else { return nil }
        let (size, overflow) = number.multipliedReportingOverflow(by: factor)
        return overflow ? nil : size
    }

    /// The option's value within bounds.
    /// - Throws: `UsageError`
    static func value(_ name: String, _ arguments: ParsedArguments, in range: ClosedRange<Int>) throws -> Int? {
        guard let text = arguments.value(name) else { return nil }
        guard let size = parse(text) else {
            throw UsageError("--\(name) needs a size such as 4m, 1MiB or 65536, not \"\(text)\".")
        }
        guard range.contains(size) else {
            throw UsageError(
                "--\(name) must be from \(binary(range.lowerBound)) to \(binary(range.upperBound)), not \"\(text)\".")
        }
        return size
    }

    private static func binary(_ size: Int) -> String {
        size.isMultiple(of: 1 << 20) ? "\(size >> 20) MiB" : "\(size >> 10) KiB"
    }
}
