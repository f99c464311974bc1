// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// A stretch of the target that resembles a stretch of the base, byte for byte or but for some.
package struct Match: Hashable, Sendable {
    package var target: Int
    package var base: Int
    package var count: Int

    package init(target: Int, base: Int, count: Int) {
        self.target = target
        self.base = base
        self.count = count
    }

    /// What of it lies in a range of the target; nil for nothing.
    package func clamped(to range: Range<Int>) -> Match? {
        let part = (target..<target + count).clamped(to: range)
        return part.isEmpty
            ? nil : Match(target: part.lowerBound, base: base + part.lowerBound - target, count: part.count)
    }

    /// What of it lies within a base of `size` bytes.
    func within(_ size: Int) -> Match {
        let before = max(0, -base)
        return Match(
            target: target + before, base: base + before, count: max(0, min(count - before, size - base - before)))
    }
}
