// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// What a loop's transfers know of its turn under way.
final class LoopTurn {
    /// When it began.
    var now = SuspendingClock().now
    /// Whether a piece of a body came.
    var broughtBytes = false
}
