// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// How far the applying of a patch has come: between two pieces of a group's delta.
package struct PatchPosition: Codable, Hashable, Sendable {
    /// The group's number in the patch's table.
    package let group: Int
    /// Bytes of its delta that were used.
    package let delta: Int64
    /// Bytes of its targets that they gave.
    package let target: Int64

    package init(group: Int, delta: Int64, target: Int64) {
        self.group = group
        self.delta = delta
        self.target = target
    }
}
