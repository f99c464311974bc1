// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// What goes to make room (C10): facts in, a decision out. It touches nothing.
enum PurgePlan {
    struct Candidate: Hashable, Sendable {
        var key: TransferKey
        /// What deleting it frees, in bytes.
        var allocated: Int64
        var preservation: Preservation
        /// When it was last written, read or handed over.
        var lastUse: Timestamp
        /// Somebody is being told of it, or reads it.
        var isInUse: Bool
    }

    /// Bytes that are not free: those one would like to be, and those without which it cannot be. Negative numbers are to
    /// spare.
    struct Missing: Hashable, Sendable {
        var wanted: Int64
        var needed: Int64

        init(wanted: Int64, needed: Int64) {
            self.wanted = wanted
            self.needed = min(needed, wanted)
        }
    }

    enum Decision: Hashable, Sendable {
        /// There is room.
        case goOn
        /// These make room.
        case purge([Candidate])
        /// All that may go would not make room, so nothing goes.
        case refuse
    }

    /// Whether there is room, or can be made.
    static func decide(_ missing: Missing, _ candidates: [Candidate]) -> Decision {
        if missing.wanted <= 0 { return .goOn }
        if let all = chosen(candidates, toFree: missing.wanted) { return .purge(all) }
        if missing.needed <= 0 { return .goOn }
        return chosen(candidates, toFree: missing.needed).map { .purge($0) } ?? .refuse
    }

    private static func chosen(_ candidates: [Candidate], toFree bytes: Int64) -> [Candidate]? {
        let chosen = choose(candidates, toFree: bytes)
        let freed = chosen.reduce(Int64(0)) { $0.addingClamped($1.allocated) }
        return freed >= bytes ? chosen : nil
    }

    /// What goes, in order, until `bytes` are free or there is no more: the least preserved first, then what was not used for
    /// longest.
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
