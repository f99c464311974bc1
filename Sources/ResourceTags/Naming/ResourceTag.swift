// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// The rules for a tag's name.
///
/// Apple publishes none. A tag is part of a folder's name in what Xcode builds, so it holds no slash; it is shown in
/// terminals, so it holds no control character.
package enum ResourceTag {
    /// In bytes of UTF-8.
    package static let maximumLength = 255

    /// What is wrong with `tag`, as the end of a sentence that starts with the tag; nil when it is right.
    package static func problem(with tag: String) -> String? {
        if tag.utf8.isEmpty { return "is empty" }
        if tag.utf8.count > maximumLength { return "is longer than \(maximumLength) bytes" }
        if tag.utf8.contains(UInt8(ascii: "/")) { return "holds a slash" }
        if tag.unicodeScalars.contains(where: { $0.value < 0x20 || (0x7F..<0xA0).contains($0.value) }) {
            return "holds a control character"
        }
        return nil
    }
}
