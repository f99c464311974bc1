// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// Reckons what fetching packs takes, before the first byte. Figures in, figures out.
struct SpacePlanner: Hashable, Sendable {
    /// One pack that is to be fetched.
    struct Pack: Hashable, Sendable {
        var downloadSize: Int64
        /// Bytes of the files, when the manifest says.
        var installedSize: Int64?
        var fileCount: Int?
        /// What is staged already.
        var fetched: Int64 = 0
        var written: Int64 = 0
        /// When only what changed is fetched and written; then what is staged is counted there.
        var update: Update?
    }

    /// What is still to come of an update, in bytes; other files are linked.
    struct Update: Hashable, Sendable {
        var toFetch: Int64
        var toWrite: Int64
        /// How many files are written.
        var changedFiles: Int
    }

    /// What an archive unpacks to when its manifest does not say: real packs give from 1.0 to 3 times their size.
    static let assumedExpansion: Int64 = 2
    /// Namespaces, checkpoints and the database, beside the files.
    static let fixedOverhead: Int64 = 4 << 20
    /// A file's lines in the old and the new namespace and in the journal, and its inode.
    static let overheadPerFile: Int64 = 512

    var space: FileSystemSpace
    /// What transfers under way will still write.
    var reserved: Int64

    /// Kept free for everyone else: a hundredth of the disk, at most 256 MiB.
    var reserve: Int64 { min(space.total / 100, 256 << 20) }

    func plan(_ packs: [Pack], alsoWriting bytes: Int64 = 0) -> SpacePlan {
        var toFetch: Int64 = 0
        var toWrite = max(0, bytes)
        var overhead: Int64 = packs.isEmpty ? 0 : Self.fixedOverhead
        for pack in packs {
            toFetch = toFetch.adding(max(0, pack.update?.toFetch ?? pack.downloadSize.subtracting(pack.fetched)))
            toWrite = toWrite.adding(remaining(pack))
            overhead = overhead.adding(
                Int64(clamping: pack.fileCount ?? 0).multiplied(clampedBy: Self.overheadPerFile))
        }
        let free = space.available.subtracting(reserve).subtracting(max(0, reserved))
        let peak = toWrite.adding(overhead)
        return SpacePlan(
            toFetch: toFetch, toWrite: toWrite, peak: peak, free: max(0, free),
            missing: peak <= max(0, free) ? 0 : peak.subtracting(free))
    }

    /// What a pack will still write: its files in whole blocks, half a block lost for each. Of one that is updated, those that
    /// changed.
    func remaining(_ pack: Pack) -> Int64 {
        let files = Int64(clamping: pack.update?.changedFiles ?? pack.fileCount ?? 0)
        let content =
            pack.update?.toWrite ?? Self.contentSize(pack.installedSize, downloadSize: pack.downloadSize)
        let size = content.adding(files.multiplied(clampedBy: space.blockSize / 2))
        return max(0, pack.update == nil ? size.subtracting(pack.written) : size)
    }

    /// Bytes of an archive's files: as its manifest says, or as many as may be.
    static func contentSize(_ installedSize: Int64?, downloadSize: Int64) -> Int64 {
        installedSize ?? downloadSize.multiplied(clampedBy: assumedExpansion)
    }
}

extension Int64 {
    // Sums that stop at the ends of the range instead of trapping.

    fileprivate func adding(_ other: Int64) -> Int64 {
        let (result, overflow) = addingReportingOverflow(other)
        return overflow ? (other > 0 ? .max : .min) : result
    }

    fileprivate func subtracting(_ other: Int64) -> Int64 {
        let (result, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other > 0 ? .min : .max) : result
    }

    fileprivate func multiplied(clampedBy other: Int64) -> Int64 {
        let (result, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? ((self < 0) == (other < 0) ? .max : .min) : result
    }
}
