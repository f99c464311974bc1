// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

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
}
