// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Lets tasks take turns, first come first served, over suspensions: what an actor alone does not give.
///
/// Belongs to one actor and is used only from it.
struct TurnLock {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// True when the turn was free; otherwise the caller waits with `enqueue`.
    mutating func take() -> Bool {
        if isTaken { return false }
        isTaken = true
        return true
    }

    /// The turn is handed to the continuation when its time has come.
    mutating func enqueue(_ continuation: CheckedContinuation<Void, Never>) { waiting.append(continuation) }

    mutating func give() {
        if waiting.isEmpty {
            isTaken = false
        } else {
            waiting.removeFirst().resume()
        }
    }
}
