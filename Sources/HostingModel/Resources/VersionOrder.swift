// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Texts that sort as the versions do that they stand for: 1.9 before 1.10.
package enum VersionOrder {
    private static let digits = 12

    /// Each run of digits is filled up with zeros at its front.
    package static func key(_ version: String) -> String {
        var key = ""
        var run = ""
        func end() {
            let number = run.drop { $0 == "0" }
            if !run.isEmpty { key += String(repeating: "0", count: max(0, digits - number.count)) + number }
            run = ""
        }
        for character in version.unicodeScalars {
            if ("0"..."9").contains(character) {
                run.unicodeScalars.append(character)
            } else {
                end()
                key.unicodeScalars.append(character)
            }
        }
        end()
        return key
    }
}
