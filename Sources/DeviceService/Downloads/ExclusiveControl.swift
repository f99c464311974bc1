// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import System

/// Mutual exclusion between an app and its extension (BA 1.3): one holder per app, the others wait in the order they came.
///
/// A holder is a request in flight. It ends with its connection, so control never outlives a process. An app outlives the
/// service, though, and what it does meanwhile goes on: so it locks a file for as long, by which the next service knows.
/// Extensions end with the service, and cannot reach the file; for them the service locks it.
final class ExclusiveControl: Sendable {
    private struct Waiter {
        var id: Int
        var continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var next = 0
        /// Apps whose control is had by somebody, and who waits for it.
        var apps: [String: [Waiter]] = [:]
    }

    private let state = Locked(State())

    /// Runs `body` with control over the app's downloads.
    /// - Parameters:
    ///   - patience: how long to wait for it; nil for as long as it takes.
    ///   - file: what an app locks that has it.
    ///   - locksItself: whether the one that it is for does so.
    /// - Throws: `DeviceError` with code `controlHeld` when the time was over first; `CancellationError`; what `body` throws.
    func with(
        _ app: String, patience: Duration?, file: FilePath? = nil, locksItself: Bool = true,
        _ body: () async throws -> Void
    ) async throws {
        let end = patience.map { ContinuousClock.now + $0 }
        guard try await acquire(app, patience) else { throw Self.held(app) }
        defer { release(app) }
        var lock: ControlLock?
        if let file {
            do {
                lock = try await ControlLock.acquire(file, until: end)
                if lock == nil { throw Self.held(app) }
            } catch is Errno {
                // Where there is no such file nobody can have locked it.
            }
        }
        if locksItself { lock = nil }
        try await body()
        withExtendedLifetime(lock) {}
    }

    private static func held(_ app: String) -> DeviceError {
        DeviceError(
            .controlHeld,
            "Another process of \(app) has exclusive control over its downloads. Try again, or wait longer.")
    }

    private func acquire(_ app: String, _ patience: Duration?) async throws -> Bool {
        let id = state.withLock { state in
            state.next += 1
            return state.next
        }
        let timer = patience.map { patience in
            Task {
                try await Task.sleep(for: patience)
                self.giveUp(id, app)
            }
        }
        defer { timer?.cancel() }
        let isHeld = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> Bool? in
                    if Task.isCancelled { return false }
                    guard state.apps[app] != nil else {
                        state.apps[app] = []
                        return true
                    }
                    if let patience, patience <= .zero { return false }
                    state.apps[app]?.append(Waiter(id: id, continuation: continuation))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            giveUp(id, app)
        }
        if Task.isCancelled {
            if isHeld { release(app) }
            throw CancellationError()
        }
        return isHeld
    }

    private func giveUp(_ id: Int, _ app: String) {
        let waiter = state.withLock { state -> Waiter? in
            guard let index = state.apps[app]?.firstIndex(where: { $0.id == id }) else { return nil }
            return state.apps[app]?.remove(at: index)
        }
        waiter?.continuation.resume(returning: false)
    }

    private func release(_ app: String) {
        let next = state.withLock { state -> Waiter? in
            guard state.apps[app]?.isEmpty == false else {
                state.apps[app] = nil
                return nil
            }
            return state.apps[app]?.removeFirst()
        }
        next?.continuation.resume(returning: true)
    }
}
