// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

extension PackIndex {
    /// The first thing in which this index is not that of the archive another was made of; nil when they say the same.
    package func difference(from actual: PackIndex) -> String? {
        if archive.size != actual.archive.size {
            return "it is of an archive of \(archive.size) bytes, and this one has \(actual.archive.size)"
        }
        if archive.digest != actual.archive.digest { return "it is of an archive with another digest" }
        if archive != actual.archive { return "its blocks are not those of the archive" }
        let pairs = zip(entries, actual.entries)
        if let pair = pairs.first(where: { $0.0 != $0.1 }) { return "\"\(pair.1.path)\" is not as it says" }
        if entries.count != actual.entries.count {
            return "it lists \(entries.count) entries, not \(actual.entries.count)"
        }
        return self == actual ? nil : "the digests of its contents or chunks are not those of the archive's"
    }
}
