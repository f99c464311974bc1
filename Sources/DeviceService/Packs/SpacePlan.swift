// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// What fetching packs will need and what there is, in bytes.
package struct SpacePlan: Codable, Hashable, Sendable {
    package var toFetch: Int64
    package var toWrite: Int64
    /// The most that is taken at any moment.
    package var peak: Int64
    package var free: Int64
    /// What is not free and would have to be, more than `peak - free` when others have been promised more than there is.
    package var missing: Int64
    /// What was done to make room, in words; nil when nothing was.
    package var note: String?

    package init(toFetch: Int64, toWrite: Int64, peak: Int64, free: Int64, missing: Int64? = nil) {
        self.toFetch = toFetch
        self.toWrite = toWrite
        self.peak = peak
        self.free = free
        self.missing = missing ?? max(0, peak.addingClamped(-free))
    }

    package var fits: Bool { peak <= free }
}
