// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// One thing at a time for each app, first come first served.
actor AppTurns {
    private var locks: [String: TurnLock] = [:]
    private var users: [String: Int] = [:]

    func take(_ app: String) async {
        users[app, default: 0] += 1
        if locks[app, default: TurnLock()].take() { return }
        await withCheckedContinuation { locks[app, default: TurnLock()].enqueue($0) }
    }

    func give(_ app: String) {
        locks[app]?.give()
        users[app, default: 1] -= 1
        if users[app] == 0 {
            users[app] = nil
            locks[app] = nil
        }
    }
}
