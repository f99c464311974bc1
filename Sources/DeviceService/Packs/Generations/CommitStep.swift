// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// The steps by which a staged pack becomes local. A crash after any of them is finished or undone at the next start.
package enum CommitStep: Int, CaseIterable, Hashable, Sendable {
    /// All files are on the disk.
    case contentsSynced
    /// The record that says so is on the disk: from here on recovery finishes the commit.
    case sealed
    /// The files are in `packs/`.
    case packMoved
    /// The next generation's folder exists.
    case generationMade
    /// Its table and lease are on the disk.
    case generationWritten
    /// `current` names it.
    case switched
    /// Readers are told.
    case counterStored
    /// Staging is gone.
    case stagingRemoved
}

/// Called after each step of a commit; what it throws stands for a crash at that point. For tests.
package typealias CommitHook = @Sendable (CommitStep) throws -> Void
