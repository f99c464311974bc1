// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// What an index takes in the memory of a device that updates with it, reckoned from how much it lists: for as long as an update
/// lasts, what is known of each file stands there several times. `docs/formats/pack-index.md` has the same figures. Those of
/// files were measured.
struct IndexMemory {
    /// In bytes. A device service has 128 MiB for an update, of which this leaves enough for a patch and for itself.
    static let limit = 80 << 20

    /// What one of each takes, in bytes.
    enum Item: Int {
        /// Of a path or of a link's target.
        case nameByte = 3
        case block = 40
        /// It stands in the index, among those that are wanted, among those that are local, and in each plan that is compared.
        case chunk = 150
        case entry = 350
        case content = 600
    }

    private var size = 0

    /// - Throws: `PackUpdateError.notIndexable` when all together are too much.
    mutating func add(_ count: Int, _ item: Item) throws {
        // No count comes near to where a product of two would overflow.
        size += min(count, Self.limit) * item.rawValue
        guard size <= Self.limit else {
            throw PackUpdateError.notIndexable(
                "it lists so many files or blocks that an update would take more than \(Self.limit >> 20) MiB of memory; "
                    + "put the files in several packs, or small files together in larger ones")
        }
    }
}
