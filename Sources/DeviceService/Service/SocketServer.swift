// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import System

/// Accepts clients on the service's socket: one thread accepts, one thread per connection reads.
final class SocketServer: Sendable {
    private struct State {
        var sessions: [Int: Session] = [:]
        var next = 0
        var isOpen = true
    }

    /// Connections at once; more are closed as they come.
    static let connectionLimit = 256
    /// How long clients have to take their last answers.
    private static let farewell = Duration.seconds(2)

    private let listener: UnixListener
    private let version: String
    private let router: RequestRouter
    private let log: Logger
    /// Called when a client has left.
    private let onLeave: @Sendable () -> Void
    private let state = Monitor(State())

    init(
        _ listener: UnixListener, version: String, router: RequestRouter, log: Logger,
        onLeave: @escaping @Sendable () -> Void
    ) {
        self.onLeave = onLeave
        self.listener = listener
        self.version = version
        self.router = router
        self.log = log.named("socket")
    }

    func start() throws {
        try WorkerThread.start(name: "larder-accept") { self.acceptUntilClosed() }
    }

    /// Takes no more clients.
    func refuse() {
        listener.close()
        state.withLock { $0.isOpen = false }
    }

    /// Ends the connections there are, once their answers are sent; a client that does not read is not waited for.
    func close() async {
        refuse()
        let sessions = state.withLock { Array($0.sessions.values) }
        await withDiscardingTaskGroup { group in
            for session in sessions { group.addTask { await session.end() } }
        }
        _ = try? await offload {
            self.state.wait(atMost: Self.farewell) { $0.sessions.isEmpty ? true : nil }
        }
    }

    private func acceptUntilClosed() {
        while true {
            do {
                guard let socket = try listener.accept() else { return }
                admit(socket)
            } catch {
                // Out of descriptors, most likely: those who are connected keep being served, and the next may get in.
                log.warning("A client could not be accepted.", ["error": "\(error)"])
                guard state.withLock({ $0.isOpen }) else { return }
            }
        }
    }

    private func admit(_ socket: consuming OwnedDescriptor) {
        let channel = FrameChannel(socket)
        guard let peer = try? channel.peer(), peer.userID == 0 || peer.userID == CurrentProcess.userID else {
            log.warning("A client of another user was turned away.")
            return channel.close()
        }
        let session = Session(channel, processID: peer.processID, version: version, router: router, log: log)
        let number = state.withLock { state -> Int? in
            guard state.isOpen, state.sessions.count < Self.connectionLimit else { return nil }
            state.next += 1
            state.sessions[state.next] = session
            return state.next
        }
        guard let number else {
            log.warning("A client was turned away: too many connections.")
            return channel.close()
        }
        do {
            try WorkerThread.start(name: "larder-client", stackSize: 1 << 20) {
                session.run()
                self.state.withLock { $0.sessions[number] = nil }
                self.onLeave()
            }
        } catch {
            log.error("No thread for a client.", ["error": "\(error)"])
            state.withLock { $0.sessions[number] = nil }
            channel.close()
        }
    }
}
