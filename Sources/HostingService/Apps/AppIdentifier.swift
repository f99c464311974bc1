// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Bundle identifiers of apps.
enum AppIdentifier {
    static func isIdentifier(_ text: String) -> Bool {
        (1...155).contains(text.utf8.count) && text.first != "." && text.first != "-"
            && text.unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || $0 == "." || $0 == "-")
            }
    }

    /// What to say of a text that is none.
    static func refusal(of text: String) -> String {
        "\"\(text)\" is no bundle identifier. It has letters, digits, dots and dashes, as com.example.game."
    }
}
