// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Glibc
internal import Kit
internal import Synchronization

/// By when the client of a connection must have sent more. Being silent for long is seen elsewhere; this is against those who
/// send a byte now and then.
final class ReadingDeadline: Sendable {
    /// How patient a server is with its clients.
    struct Patience: Sendable {
        /// For a request's whole head, and for the start of its body, in milliseconds.
        var milliseconds: Int64
        /// Bytes a second that a body comes with at least.
        var leastRate: Int64
    }

    private let patience: Patience
    private let socket: CInt
    /// Milliseconds of the clock; nothing is waited for at `.max`.
    private let due: Atomic<Int64>

    init(socket: CInt, _ patience: Patience) {
        self.socket = socket
        self.patience = patience
        due = Atomic(Self.now + patience.milliseconds)
    }

    private static var now: Int64 {
        var time = timespec()
        // The last tick will do, and is told for next to nothing.
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// A request's head, or its body, is what comes next.
    func begin() { due.store(Self.now + patience.milliseconds, ordering: .relaxed) }

    /// Part of a body came. Nobody saves up time by having been quick.
    func received(_ count: Int) {
        let earned = Int64(count) * 1000 / max(1, patience.leastRate)
        let latest = Self.now + patience.milliseconds
        due.store(min(latest, due.load(ordering: .relaxed) + earned), ordering: .relaxed)
    }

    /// It is not the client's turn.
    func rest() { due.store(.max, ordering: .relaxed) }

    /// Ends the connection if the time is over.
    fileprivate func enforce() {
        guard due.load(ordering: .relaxed) < Self.now else { return }
        rest()
        shutdown(socket, CInt(SHUT_RDWR))
    }
}

/// All connections of a server, looked at now and then by a thread that exists from the first of them on.
final class ReadingWatch: Sendable {
    private struct State {
        var isClosed = false
        var thread: WorkerThread?
        var connections: [ObjectIdentifier: ReadingDeadline] = [:]
    }

    private let patience: ReadingDeadline.Patience
    private let monitor = Monitor(State())

    init(_ patience: ReadingDeadline.Patience) { self.patience = patience }

    /// A connection has come.
    func add(socket: CInt) -> ReadingDeadline {
        let deadline = ReadingDeadline(socket: socket, patience)
        monitor.withLock { state in
            state.connections[ObjectIdentifier(deadline)] = deadline
            guard state.thread == nil, !state.isClosed else { return }
            // Without a thread to be had, silence is all that ends a connection.
            state.thread = try? WorkerThread.start(name: "larder-reading") { self.watch() }
        }
        return deadline
    }

    /// A connection's socket is about to be closed.
    func remove(_ deadline: ReadingDeadline) {
        monitor.withLock { $0.connections[ObjectIdentifier(deadline)] = nil }
    }

    /// Ends the thread, and waits for that.
    func close() {
        let thread = monitor.withLock { state in
            state.isClosed = true
            return state.thread
        }
        thread?.join()
    }

    /// With nobody connected the thread sleeps.
    private func watch() {
        let pause = Duration.milliseconds(min(10_000, max(50, patience.milliseconds / 8)))
        while monitor.wait({ $0.isClosed ? false : $0.connections.isEmpty ? nil : true }) {
            _ = monitor.wait(atMost: pause) { $0.isClosed ? true : nil }
            // Under the lock: no socket is closed meanwhile, and no number is another's.
            monitor.peek { for deadline in $0.connections.values { deadline.enforce() } }
        }
    }
}
