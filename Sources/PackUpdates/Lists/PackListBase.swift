// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Crypto
internal import System

/// What a list starts from: the files of an earlier version as a device knows them, in the form of a list. Whoever has the files has
/// this, however they came.
package struct PackListBase: Sendable {
    package struct File: Sendable {
        /// Below the pack's contents.
        package let path: String
        /// In bytes.
        package let size: Int64
        package let digest: Digest

        package init(path: String, size: Int64, digest: Digest) {
            self.path = path
            self.size = size
            self.digest = digest
        }
    }

    /// A content, by whatever paths the files have it.
    struct Content: Hashable {
        /// In bytes.
        let size: Int64
        let digest: Digest
    }

    package let bytes: [UInt8]
    /// As they first come in the order of the paths' bytes.
    let contents: [Content]
    /// SHA-256 of `bytes`.
    let digest: Digest

    /// Of a version that is local.
    /// - Parameter files: in any order.
    /// - Returns: nil for more than a list starts from.
    package init?(files: [File]) {
        // Nobody makes a list from more.
        guard files.count <= IndexMemory.limit / IndexMemory.Item.entry.rawValue else { return nil }
        let files = files.map { (path: Array($0.path.utf8), file: $0) }.sorted {
            $0.path.lexicographicallyPrecedes($1.path)
        }
        var numbers: [Digest: Int] = [:]
        var contents: [Content] = []
        var references: [UInt8] = []
        for (_, file) in files {
            let number = numbers[file.digest]
            references.append(number: number.map { contents.count - $0 } ?? 0)
            if number == nil {
                numbers[file.digest] = contents.count
                contents.append(Content(size: file.size, digest: file.digest))
            }
        }
        var bytes: [UInt8] = []
        bytes.append(number: contents.count)
        for content in contents { bytes.append(number: content.size) }
        for content in contents { bytes += content.digest.bytes }
        bytes.append(number: files.count)
        bytes += [UInt8](repeating: PackIndex.KindNumber.file, count: files.count)
        var previous: [UInt8] = []
        let prefix = Array(PackIndex.contentsPrefix.utf8)
        for (path, _) in files {
            guard bytes.count <= PackList.maximumSize else { return nil }
            let path = prefix + path
            bytes.append(path: path, behind: previous)
            previous = path
        }
        bytes += references
        guard bytes.count <= PackList.maximumSize else { return nil }
        self.bytes = bytes
        self.contents = contents
        digest = SHA256.hash(bytes)
    }

    /// Of each content its number.
    var numbers: [Digest: Int] {
        Dictionary(contents.enumerated().map { ($1.digest, $0) }) { first, _ in first }
    }

    /// Of a version that has an index, as devices that have it will make it; nil for more than a list starts from, and for one with
    /// links, which become files there.
    init?(of index: PackIndex) {
        guard !index.hasLinks else { return nil }
        self.init(files: Self.files(of: index))
    }

    /// The files that a device has of a version.
    static func files(of index: PackIndex) -> [File] {
        index.entries.compactMap { entry in
            guard case .file(let content, _, _) = entry.kind,
                let path = entry.path.removing(pathPrefix: PackIndex.contentsPrefix)
            else { return nil }
            return File(
                path: path, size: index.contents[content].size, digest: index.contents[content].digest)
        }
    }
}
