// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import AppleArchive
import AssetPacks
package import Crypto

/// Digests of files of an archive as they would be without the times in them (`ContentNormalizer`).
package final class StampSurvey: ArchiveSink {
    private let wanted: Set<String>
    private var current: (path: String, bytes: [UInt8])?
    /// By path; only of files of a kind that may hold times.
    package private(set) var digests: [String: Digest] = [:]

    /// - Parameter paths: the files to look at, as in the archive.
    package init(paths: Set<String>) { wanted = paths }

    package func begin(_ entry: EntryHeader) {
        guard wanted.contains(entry.path), entry.dataSize <= UInt64(ContentNormalizer.maximumSize) else { return }
        current = (entry.path, [])
    }

    package func data(_ bytes: UnsafeRawBufferPointer) {
        guard let start = current?.bytes.count else { return }
        current?.bytes.append(contentsOf: bytes)
        // What cannot be of such a kind is let go as soon as its first bytes are there.
        if start < ContentNormalizer.prefixSize, let held = current?.bytes, held.count >= ContentNormalizer.prefixSize,
            !ContentNormalizer.mayConcern(prefix: Array(held.prefix(ContentNormalizer.prefixSize)))
        {
            current = nil
        }
    }

    package func end() {
        guard let (path, bytes) = current.take(), ContentNormalizer.mayConcern(prefix: bytes) else { return }
        digests[path] = SHA256.hash(ContentNormalizer.normalized(bytes) ?? bytes)
    }
}
