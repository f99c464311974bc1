// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// What came of looking at contents that may resemble each other, which lie there unpacked.
struct ExaminedContents {
    /// For each new content the old ones that it shares most with, if it does with any.
    var bases: [Int: [Int]] = [:]
    var contents: MappedContents?
    /// Where contents of the old version and of the new one lie in `contents`.
    var old: [Int: Range<Int>] = [:]
    var new: [Int: Range<Int>] = [:]
}
