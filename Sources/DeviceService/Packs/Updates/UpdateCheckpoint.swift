// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import DeviceProtocol
import Kit
import PackUpdates

/// Where an update can go on: the files that are complete, and the one that is being written. It stands in the same two files as the
/// checkpoint of an archive (`StagingCheckpoint`), and neither is taken for the other.
struct UpdateCheckpoint: Codable, Hashable, Sendable {
    /// The kernel's name for the time since the machine was started.
    var boot: String
    /// SHA-256 of the index that says what the files are.
    var index: Digest
    var sink: StagingSink.State
    var tally: PackArrival
    /// How far a patch was applied; nil when none is under way.
    var patch: PatchProgress?
    /// What the server said the archive's bytes are of, for `If-Range`.
    var validator: String?

    struct PatchProgress: Codable, Hashable, Sendable {
        /// SHA-256 of the patch's file, as the manifest lists it.
        var file: Digest
        var position: PatchPosition
    }

    /// The checkpoint to go on from, or nil when there is none that holds.
    static func read(_ staged: StagedPack) -> UpdateCheckpoint? {
        if let checkpoint = try? StagedPack.read(UpdateCheckpoint.self, staged.checkpoint),
            checkpoint.boot == StagingCheckpoint.currentBoot, !checkpoint.boot.isEmpty
        {
            return checkpoint
        }
        return try? StagedPack.read(UpdateCheckpoint.self, staged.durableCheckpoint)
    }
}
