// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Crypto
import Kit
import System

/// Where a download can go on: at the end of a block, with everything before it in the staging folder.
///
/// There are two files of it. `checkpoint` is written at block ends without waiting for the disk: what it counts is in
/// the kernel's memory at least, so it holds while the machine runs (the boot id tells), whatever becomes of the process.
/// `checkpoint.durable` is written every 64 MiB after the whole file system was flushed, and holds after a power cut.
struct StagingCheckpoint: Codable, Hashable, Sendable {
    /// The kernel's name for the time since the machine was started.
    var boot: String
    var archive: ArchiveCheckpoint
    var sink: StagingSink.State
    /// What the server said the archive's bytes are of: an ETag or a date, for `If-Range`.
    var validator: String?

    /// The whole spans whose digests are kept.
    var leafCount: Int { Int(clamping: archive.archiveOffset / UInt64(TreeDigest.spanSize)) }
    /// Where to fetch from: the start of the span that the archive's offset is in, because its digest needs all of it.
    var fetchOffset: Int64 { Int64(leafCount) * Int64(TreeDigest.spanSize) }

    static let currentBoot: String = {
        let bytes = try? File.read("/proc/sys/kernel/random/boot_id", limit: 256)
        return String(decoding: (bytes ?? []).prefix { $0 > 0x20 }, as: UTF8.self)
    }()

    /// The checkpoint to go on from, or nil when there is none that holds.
    static func read(_ staged: StagedPack) -> StagingCheckpoint? {
        if let checkpoint = try? StagedPack.read(StagingCheckpoint.self, staged.checkpoint),
            checkpoint.boot == currentBoot, !currentBoot.isEmpty
        {
            return checkpoint
        }
        return try? StagedPack.read(StagingCheckpoint.self, staged.durableCheckpoint)
    }
}
