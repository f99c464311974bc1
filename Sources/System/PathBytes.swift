// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Glibc

/// Paths as the kernel takes them: bytes, of which a slash ends a name whatever follows. To a `String` a slash and an accent behind it
/// are one character, and names are equal that the file system tells apart; so nothing that decides about paths compares characters.
extension StringProtocol {
    /// The names between the slashes, without empty ones.
    package var pathNames: [Substring] { Substring(self).namesBetweenSlashes }

    /// Whether the path leads to something below where it starts, each of its names a file's or a folder's: it is relative, and
    /// has no empty name, no `.`, no `..`, and no NUL.
    package var isPlainPath: Bool { Substring(self).isPlain }

    /// What follows `prefix`; nil when the path's bytes do not begin with those of it.
    package func removing(pathPrefix prefix: String) -> String? { Substring(self).removing(prefix) }

    /// Whether both are the same to a file system.
    package func isSamePath(as other: some StringProtocol) -> Bool {
        let isSame = utf8.withContiguousStorageIfAvailable { own in
            other.utf8.withContiguousStorageIfAvailable { other in
                guard own.count == other.count else { return false }
                guard let left = own.baseAddress, let right = other.baseAddress else { return true }
                return memcmp(left, right, own.count) == 0
            }
        }
        return (isSame ?? nil) ?? utf8.elementsEqual(other.utf8)
    }
}

// One type, so that what goes through all bytes is compiled for it.
extension Substring {
    fileprivate var namesBetweenSlashes: [Substring] {
        utf8.split(separator: UInt8(ascii: "/")).map { Substring($0) }
    }

    fileprivate var isPlain: Bool {
        var length = 0
        var dots = 0
        for byte in utf8 {
            if byte == 0 { return false }
            if byte == UInt8(ascii: "/") {
                if length == dots, length <= 2 { return false }
                (length, dots) = (0, 0)
            } else {
                length += 1
                if byte == UInt8(ascii: ".") { dots += 1 }
            }
        }
        return length > 2 || length != dots
    }

    fileprivate func removing(_ prefix: String) -> String? {
        guard utf8.starts(with: prefix.utf8) else { return nil }
        return String(self[utf8.index(startIndex, offsetBy: prefix.utf8.count)...])
    }
}
