// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// What is known of hashes: a table without the care that sets of anything take.
struct HashMarks {
    struct Mark {
        fileprivate var hash: UInt64 = 0
        /// The first content that has it, how many have it, and the latest of them. A mark that nobody holds is free.
        var holder: Int32 = 0
        var holders: Int32 = 0
        var latest: Int32 = 0
        /// The query that last looked for it; 0 for none.
        var query: Int32 = 0
    }

    private var marks = [Mark](repeating: Mark(), count: 1 << 10)
    private var count = 0

    /// Notes that a content has a hash.
    /// - Returns: whether it is the first time.
    mutating func add(_ hash: UInt64, of content: Int32) -> Bool {
        // Half of it stays free.
        if 2 * count >= marks.count { grow() }
        let slot = Self.slot(of: hash, in: marks)
        guard marks[slot].holders > 0 else {
            marks[slot] = Mark(hash: hash, holder: content, holders: 1, latest: content)
            count += 1
            return true
        }
        guard marks[slot].latest != content else { return false }
        marks[slot].latest = content
        marks[slot].holders += 1
        return true
    }

    /// What is known of a hash, once for each query; nil when it is nothing, or was told.
    /// - Parameter query: a number of its own, from 1 on.
    mutating func mark(of hash: UInt64, query: Int32) -> Mark? {
        let slot = Self.slot(of: hash, in: marks)
        guard marks[slot].holders > 0, marks[slot].query != query else { return nil }
        marks[slot].query = query
        return marks[slot]
    }

    private mutating func grow() {
        var larger = [Mark](repeating: Mark(), count: 2 * marks.count)
        for mark in marks where mark.holders > 0 { larger[Self.slot(of: mark.hash, in: larger)] = mark }
        marks = larger
    }

    /// Where a hash stands, or would.
    private static func slot(of hash: UInt64, in marks: [Mark]) -> Int {
        // Low bits say little: they are of the last bytes.
        var slot = Int(truncatingIfNeeded: (hash &* 0x9E37_79B9_7F4A_7C15) >> 32) & (marks.count - 1)
        while marks[slot].holders > 0, marks[slot].hash != hash { slot = (slot + 1) & (marks.count - 1) }
        return slot
    }
}
