// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import PackNamespace

/// Paths that more than one local pack of an app holds (A5).
package struct PathCollisions: Hashable, Sendable {
    package var count: Int
    /// The first of them.
    package var listed: [PathCollision]

    package init(count: Int, listed: [PathCollision]) {
        self.count = count
        self.listed = listed
    }
}
