// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Texts inside URLs.
package enum PercentEncoding {
    /// Everything but letters, digits and `-._~` as `%XX`.
    /// - Parameter kept: other ASCII characters that stay as they are.
    package static func encode(_ text: some StringProtocol, keeping kept: String = "") -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            case _ where kept.utf8.contains(byte): result.unicodeScalars.append(Unicode.Scalar(byte))
            default: result += "%" + Hexadecimal.encode([byte]).uppercased()
            }
        }
        return result
    }
}
