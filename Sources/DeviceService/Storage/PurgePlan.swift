// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// Which finished files go to make room (C10): facts in, a list out. It touches nothing.
enum PurgePlan {
    struct Candidate: Hashable, Sendable {
        var key: TransferKey
        /// What deleting it frees, in bytes.
        var allocated: Int64
        /// Higher is kept longer.
        var preservation: Int
        /// When it was last written or read, in seconds since 1970.
        var lastUse: Int64
        /// Somebody is being told of it, or reads it.
        var isInUse: Bool
    }

    /// What goes, in order, until `bytes` are free: the lowest priority first, then what was not used for longest.
    static func choose(_ candidates: [Candidate], toFree bytes: Int64) -> [Candidate] {
        var missing = bytes
        let order = candidates.filter { !$0.isInUse && $0.allocated > 0 }.sorted {
            ($0.preservation, $0.lastUse, $0.key) < ($1.preservation, $1.lastUse, $1.key)
        }
        return Array(
            order.prefix { candidate in
                defer { missing -= min(missing, candidate.allocated) }
                return missing > 0
            })
    }

    /// Bytes to free so that the watermark is free: a twentieth of the file system, at most 1 GiB.
    static func shortage(_ space: FileSystemSpace) -> Int64 {
        max(0, min(1 << 30, space.total / 20) - space.available)
    }
}
