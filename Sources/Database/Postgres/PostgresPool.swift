// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// Lends the connections to one database, each to one transaction at a time. Who comes when all are lent waits his turn, and
/// not for ever.
final class PostgresPool: Sendable {
    private struct State {
        var idle: [PostgresWorker] = []
        var made = 0
        /// Oldest first.
        var waiting: [(ticket: Int, continuation: CheckedContinuation<PostgresWorker, any Error>)] = []
        var tickets = 0
        var isClosed = false
    }

    private let database: PostgresAddress
    private let limits: PostgresLimits
    private let state = Locked(State())

    init(_ database: PostgresAddress, _ limits: PostgresLimits) {
        self.database = database
        self.limits = limits
    }

    /// Runs `body` with a connection.
    /// - Throws: `DatabaseError` `busy` and `closed`; `Errno`; what `body` throws.
    func lend<Result>(_ body: (PostgresWorker) async throws -> Result) async throws -> Result {
        let worker = try await take()
        do {
            let result = try await body(worker)
            await giveBack(worker)
            return result
        } catch {
            await giveBack(worker)
            throw error
        }
    }

    /// Ends what is idle at once, and what is lent when it comes back.
    func close() async {
        let (idle, waiting) = state.withLock { state in
            state.isClosed = true
            let all = (state.idle, state.waiting)
            state.idle = []
            state.waiting = []
            return all
        }
        for wait in waiting { wait.continuation.resume(throwing: closed) }
        for worker in idle { await worker.close() }
    }

    private enum Grant {
        case worker(PostgresWorker), new, wait(Int), refused
    }

    private func take() async throws -> PostgresWorker {
        let grant = state.withLock { state -> Grant in
            if state.isClosed { return .refused }
            // The one that was used last is the likeliest to be alive, and others may rest.
            if let worker = state.idle.popLast() { return .worker(worker) }
            if state.made < limits.connections {
                state.made += 1
                return .new
            }
            state.tickets += 1
            return .wait(state.tickets)
        }
        switch grant {
        case .refused: throw closed
        case .worker(let worker): return worker
        case .new:
            do {
                return try PostgresWorker(database, limits)
            } catch {
                state.withLock { $0.made -= 1 }
                throw error
            }
        case .wait(let ticket): return try await wait(ticket)
        }
    }

    private func wait(_ ticket: Int) async throws -> PostgresWorker {
        let timer = Task {
            if (try? await Task.sleep(for: limits.turn)) != nil { giveUp(ticket) }
        }
        defer { timer.cancel() }
        return try await withCheckedThrowingContinuation { continuation in
            // One may have come back since.
            let worker = state.withLock { state -> PostgresWorker?? in
                if state.isClosed { return .some(nil) }
                if let worker = state.idle.popLast() { return worker }
                state.waiting.append((ticket, continuation))
                return nil
            }
            switch worker {
            case .some(.some(let worker)): continuation.resume(returning: worker)
            case .some(.none): continuation.resume(throwing: closed)
            case .none: break
            }
        }
    }

    private func giveUp(_ ticket: Int) {
        let continuation = state.withLock { state in
            state.waiting.firstIndex { $0.ticket == ticket }.map { state.waiting.remove(at: $0).continuation }
        }
        continuation?.resume(
            throwing: DatabaseError(
                .busy,
                "All \(limits.connections) connections to the \(database) were in use for \(limits.turn.formatted). Try again."
            ))
    }

    private func giveBack(_ worker: PostgresWorker) async {
        let (next, isClosed) = state.withLock { state -> (CheckedContinuation<PostgresWorker, any Error>?, Bool) in
            if state.isClosed { return (nil, true) }
            if !state.waiting.isEmpty { return (state.waiting.removeFirst().continuation, false) }
            state.idle.append(worker)
            return (nil, false)
        }
        next?.resume(returning: worker)
        if isClosed { await worker.close() }
    }

    private var closed: DatabaseError { DatabaseError(.closed, "The \(database) was closed.") }
}
