// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// In which order packs are packed, and by how many threads each. Pure.
///
/// One thread is enough for a small pack, and many small packs keep every core busy with one each: no pack waits for threads
/// to start. A pack that is a large part of the whole would still run when all others are done, so it has all threads.
struct PackingSchedule: Equatable {
    /// Packed one after the other, by all threads each.
    let alone: [Int]
    /// Packed at the same time, by one thread each; the largest first, so that the last ones end together.
    let together: [Int]

    /// - Parameter sizes: of the packs, in bytes; the schedule has their indices.
    init(sizes: [Int64], threads: Int) {
        let total = sizes.reduce(Int64(0)) { $0.addingReportingOverflow(max(0, $1)).partialValue }
        let share = total / Int64(max(1, 4 * threads))
        let ordered = sizes.indices.sorted { (sizes[$1], $0) < (sizes[$0], $1) }
        let isAlone: (Int) -> Bool = { threads > 1 && sizes[$0] > max(share, Self.smallest) }
        alone = ordered.filter(isAlone)
        together = ordered.filter { !isAlone($0) }
    }

    /// What is smaller is never divided among threads, in bytes.
    private static let smallest: Int64 = 16 << 20
}
