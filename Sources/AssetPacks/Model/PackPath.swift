// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import System

/// A path below the source root or below a pack's `Contents`: relative, without `.` and `..`; the empty path is the root.
package struct PackPath: Hashable, Sendable {
    package let string: String

    package static let root = PackPath(unchecked: "")

    /// The longest path that fits an archive's entry together with `Contents/` (AA 1.6).
    package static let maximumLength = 1023 - "Contents/".utf8.count

    package var components: [Substring] { string.pathNames }
    package var isRoot: Bool { string.utf8.isEmpty }

    package var name: Substring { string[(lastSlash.map { string.utf8.index(after: $0) } ?? string.startIndex)...] }
    package var parent: PackPath { PackPath(unchecked: String(string[..<(lastSlash ?? string.startIndex)])) }

    private var lastSlash: String.Index? { string.utf8.lastIndex(of: UInt8(ascii: "/")) }

    /// Whether both have the same bytes.
    package static func == (left: PackPath, right: PackPath) -> Bool { left.string.isSamePath(as: right.string) }

    private init(unchecked string: String) { self.string = string }

    /// The path of `name`, which holds no slash, below this one.
    package func appending(_ name: some StringProtocol) -> PackPath {
        PackPath(unchecked: isRoot ? String(name) : "\(string)/\(name)")
    }

    package func appending(_ other: PackPath) -> PackPath { other.isRoot ? self : appending(other.string) }

    /// `./` in front, doubled and trailing slashes fall away.
    /// - Throws: `Problem`
    package init(_ text: String) throws(Problem) {
        if text.utf8.isEmpty { throw .empty }
        if text.utf8.first == UInt8(ascii: "/") {
            throw .absolute
        }
        if text.utf8.contains(0) { throw Problem("holds a NUL character") }
        var components: [Substring] = []
        for component in text.pathNames where component != "." {
            if component == ".." { throw .parent }
            if component.utf8.count > 255 { throw Problem("has a name of more than 255 bytes") }
            components.append(component)
        }
        string = components.joined(separator: "/")
        if string.utf8.count > Self.maximumLength { throw Problem("is longer than \(Self.maximumLength) bytes") }
    }

    /// Why a text is no path, as the end of a sentence that starts with the text.
    package struct Problem: Error, Hashable {
        package let reason: String

        static let empty = Problem("is empty")
        static let absolute = Problem("is an absolute path, where only relative ones may be")
        static let parent = Problem("leaves its folder through \"..\"")
        /// Where only something in the folder may be named.
        package static let wholeFolder = Problem("is the whole folder, where something in it must stand")

        init(_ reason: String) { self.reason = reason }
    }
}

extension PackPath: Comparable {
    /// The order of entries in an archive: that of the bytes of the whole path. A folder comes before what it holds.
    package static func < (left: PackPath, right: PackPath) -> Bool {
        left.string.utf8.lexicographicallyPrecedes(right.string.utf8)
    }
}

extension PackPath: CustomStringConvertible {
    package var description: String { isRoot ? "." : string }
}
