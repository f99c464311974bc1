// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// A stretch of the target that resembles a stretch of the base, byte for byte or but for some.
struct Match: Hashable {
    var target: Int
    var base: Int
    var count: Int

    /// What of it lies within a base of `size` bytes.
    func within(_ size: Int) -> Match {
        let before = max(0, -base)
        return Match(
            target: target + before, base: base + before, count: max(0, min(count - before, size - base - before)))
    }
}
