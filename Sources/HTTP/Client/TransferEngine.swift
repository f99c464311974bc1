// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Kit

/// The thread that owns libcurl's multi handle, and the mailbox other threads reach it through.
///
/// The thread is started by the first request. When it has had nothing to do for the linger time it takes everything
/// down and ends, so an idle process has neither a thread nor a connection nor a timer of it.
final class TransferEngine: Sendable {
    enum Command {
        case start(Transfer)
        /// The transfer's pause state changed.
        case pauseChanged(Transfer)
        /// The transfer's rate limit changed.
        case rateChanged(Transfer)
        case cancel(Transfer)
    }

    private struct Mailbox {
        var commands: [Command] = []
        var isRunning = false
        /// What wakes the thread out of its poll; nil while it does not poll.
        var waker: MultiWaker?
    }

    let configuration: HTTPClientConfiguration
    /// Downloads that somebody holds.
    let load = Locked(0)
    private let mailbox = Monitor(Mailbox())

    init(_ configuration: HTTPClientConfiguration) { self.configuration = configuration }

    func post(_ command: Command) {
        let mustStart = mailbox.withLock { mailbox in
            mailbox.commands.append(command)
            mailbox.waker?.wake()
            defer { mailbox.isRunning = true }
            return !mailbox.isRunning
        }
        guard mustStart else { return }
        do {
            try WorkerThread.start(name: "larder-http") { TransferLoop.run(self) }
        } catch {
            abandon(HTTPClientError(.failed, "The system has no room for the network thread.", cause: error))
        }
    }

    // MARK: For the thread

    /// Ends every transfer that waits with an error. The thread is over with that: the next request starts another.
    func abandon(_ error: HTTPClientError) {
        let commands = mailbox.withLock { mailbox in
            defer { mailbox = Mailbox() }
            return mailbox.commands
        }
        for case .start(let transfer) in commands { transfer.end(.failure(error)) }
    }

    func setWaker(_ waker: MultiWaker?) { mailbox.withLock { $0.waker = waker } }

    func takeCommands() -> [Command] {
        mailbox.withLock { mailbox in
            defer { mailbox.commands = [] }
            return mailbox.commands
        }
    }

    /// Waits for commands for the linger time. nil says that none came and that the thread must end: the next command
    /// starts another.
    func awaitCommandsOrRetire() -> [Command]? {
        let commands = mailbox.wait(atMost: configuration.linger) { mailbox -> [Command]? in
            guard !mailbox.commands.isEmpty else { return nil }
            defer { mailbox.commands = [] }
            return mailbox.commands
        }
        if let commands { return commands }
        return mailbox.withLock { mailbox -> [Command]? in
            if mailbox.commands.isEmpty {
                mailbox.isRunning = false
                mailbox.waker = nil
                return nil
            }
            defer { mailbox.commands = [] }
            return mailbox.commands
        }
    }
}
