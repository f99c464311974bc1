// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// What fetching packs will need and what there is, in bytes.
package struct SpacePlan: Codable, Hashable, Sendable {
    package var toFetch: Int64
    package var toWrite: Int64
    /// The most that is taken at any moment.
    package var peak: Int64
    package var free: Int64

    package init(toFetch: Int64, toWrite: Int64, peak: Int64, free: Int64) {
        self.toFetch = toFetch
        self.toWrite = toWrite
        self.peak = peak
        self.free = free
    }

    package var fits: Bool { peak <= free }
}
