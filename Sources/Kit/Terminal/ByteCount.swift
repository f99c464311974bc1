// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Sizes, rates and times as a person reads them.
package enum ByteCount {
    /// In decimal units with one decimal from kB on: `812 bytes`, `12.3 MB`.
    package static func formatted(_ bytes: Int64) -> String {
        let sign = bytes < 0 ? "-" : ""
        let magnitude = bytes.magnitude
        guard magnitude >= 1000 else { return "\(bytes) \(magnitude == 1 ? "byte" : "bytes")" }
        var unit: UInt64 = 1000
        let names = ["kB", "MB", "GB", "TB", "PB", "EB"]
        for (index, name) in names.enumerated() {
            // The next unit is taken as soon as rounding would show 1000.0 of this one.
            let tenths = (magnitude / (unit / 100) + 5) / 10
            if tenths < 10_000 || index == names.count - 1 { return "\(sign)\(tenths / 10).\(tenths % 10) \(name)" }
            unit *= 1000
        }
        return "\(bytes) bytes"
    }

    /// A rate: `3.4 MB/s`.
    package static func formatted(perSecond bytes: Double) -> String {
        guard bytes.isFinite, bytes >= 0 else { return "-" }
        return formatted(Int64(min(bytes, 1e18))) + "/s"
    }
}

extension Duration {
    /// As a person reads it: `0.4 s`, `12 s`, `3 min 20 s`, `2 h 05 min`.
    package var formatted: String {
        let seconds = components.seconds
        if seconds < 0 { return "0 s" }
        if seconds < 10 {
            let tenths = seconds * 10 + components.attoseconds / 100_000_000_000_000_000
            return "\(tenths / 10).\(tenths % 10) s"
        }
        if seconds < 60 { return "\(seconds) s" }
        func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
        if seconds < 3600 { return "\(seconds / 60) min \(two(seconds % 60)) s" }
        return "\(seconds / 3600) h \(two(seconds / 60 % 60)) min"
    }

    /// In seconds, with the fraction.
    package var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
