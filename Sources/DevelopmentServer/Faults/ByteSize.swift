// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// A number of bytes as a person writes it: `4096`, `64KiB`, `1MiB`, `2MB`, `1k`. Units are read in any case.
struct ByteSize: Hashable {
    let bytes: Int64

    /// nil for what is none, is negative or does not fit.
    init?(_ text: some StringProtocol) {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int64(digits), let factor = ByteSize.factor(text[digits.endIndex...].lowercased()) else {
            return nil
        }
        let (bytes, overflow) = number.multipliedReportingOverflow(by: factor)
        guard !overflow else { return nil }
        self.bytes = bytes
    }

    private static func factor(_ unit: String) -> Int64? {
        switch unit {
        case "", "b": 1
        case "k", "kb": 1000
        case "m", "mb": 1_000_000
        case "g", "gb": 1_000_000_000
        case "kib": 1 << 10
        case "mib": 1 << 20
        case "gib": 1 << 30
        default: nil
        }
    }
}
