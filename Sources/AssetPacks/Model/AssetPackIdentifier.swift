// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// The rules for a pack's identifier.
///
/// Apple publishes none (BA 7). Larder takes 1 to 128 of `A-Z a-z 0-9 . _ -`, not starting with a dot, so that an
/// identifier is always one name in a path and one component of a URL.
package enum AssetPackIdentifier {
    package static let maximumLength = 128

    /// What is wrong with `identifier`, as the end of a sentence that starts with the identifier; nil when it is right.
    package static func problem(with identifier: String) -> String? {
        let bytes = identifier.utf8
        if bytes.isEmpty { return "is empty" }
        if bytes.count > maximumLength { return "is longer than \(maximumLength) characters" }
        if bytes.first == UInt8(ascii: ".") { return "starts with a dot" }
        for scalar in identifier.unicodeScalars where !isAllowed(scalar) {
            return "holds \(quoted(scalar)), but only A-Z, a-z, 0-9, \".\", \"_\" and \"-\" are allowed"
        }
        return nil
    }

    /// App Store Connect refuses underscores (BA 3.2), other hosts do not: worth a warning.
    package static func hasUnderscore(_ identifier: String) -> Bool { identifier.utf8.contains(UInt8(ascii: "_")) }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "A"..."Z", "a"..."z", "0"..."9", ".", "_", "-": true
        default: false
        }
    }

    private static func quoted(_ scalar: Unicode.Scalar) -> String {
        scalar.value < 0x20 || scalar.value == 0x7f
            ? "the control character U+" + String(scalar.value, radix: 16, uppercase: true)
            : "\"\(Character(scalar))\""
    }
}
