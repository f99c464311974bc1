// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// Apps that were there when the service ended: they come back to the next one, but only after that goes on with what they
/// have scheduled.
struct ReturningApps: Sendable {
    /// Downloads that an earlier service took.
    var downloads: Set<Int64> = []
    /// Until when somebody waits for their apps.
    var deadline = ContinuousClock.now
    var waiters: [String: [AsyncStream<Void>.Continuation]] = [:]
}

extension DownloadStore {
    /// A service that has just started gives the app of an earlier one's download time to come back: otherwise a question that
    /// only the app can answer would find nobody.
    func waitForReturn(of app: String, _ number: Int64) async {
        guard isExpectedBack(app, number) else { return }
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        returning.waiters[app, default: []].append(continuation)
        let deadline = returning.deadline
        let timer = Task {
            try await Task.sleep(until: deadline, clock: .continuous)
            continuation.finish()
        }
        defer { timer.cancel() }
        for await _ in stream {}
    }

    func isExpectedBack(_ app: String, _ number: Int64) -> Bool {
        returning.downloads.contains(number) && listeners[app] == nil && !isClosed
            && ContinuousClock.now < returning.deadline
    }

    /// The app is there, or nobody is to wait for it any more.
    func endWaiting(for app: String) {
        for waiter in returning.waiters.removeValue(forKey: app) ?? [] { waiter.finish() }
    }
}
