// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import Kit

/// The tags that one asset pack's resources have in common: what is tagged alike is in one pack (BA 6.2).
package struct ResourceTagSet: Hashable, Sendable {
    /// Each once, in order.
    package let tags: [String]

    package init(_ tags: some Sequence<String>) { self.tags = Set(tags).sorted() }

    package func contains(_ tag: String) -> Bool { tags.contains(tag) }

    /// The MD5 digest of the tags with colons between them, in hexadecimal digits.
    package var hash: String { Hexadecimal.encode(MD5.hash(Array(tags.joined(separator: ":").utf8))) }

    /// The pack's identifier in an app.
    package func packID(bundleID: String) -> String { "\(bundleID).asset-pack-\(hash)" }

    /// In bytes.
    package static let directoryNameLimit = 240

    /// The name of the pack's folder as Xcode makes it: bundle id and tags, cut off where the whole would be too long, and
    /// the hash.
    package func directoryName(bundleID: String) -> String {
        let suffix = "-\(hash).assetpack"
        var prefix = "\(bundleID).\(tags.joined(separator: "+"))"
        while !prefix.isEmpty, prefix.utf8.count + suffix.utf8.count > Self.directoryNameLimit { prefix.removeLast() }
        return prefix + suffix
    }
}

extension ResourceTagSet: CustomStringConvertible {
    /// As messages name it: `"cave" and "forest"`.
    package var description: String {
        let quoted = tags.map { "\"\($0)\"" }
        guard let last = quoted.last, quoted.count > 1 else { return quoted.joined() }
        return quoted.dropLast().joined(separator: ", ") + " and " + last
    }
}
