// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit

/// Answers what an extension asks while it runs, as the service's socket answers an app; what it holds is given back when the
/// run is over.
final class ExtensionAnswers: Sendable {
    private let app: String
    private let router: RequestRouter
    private let log: Logger
    private let session = Locked<Session?>(nil)

    init(app: String, router: RequestRouter, log: Logger) {
        self.app = app
        self.router = router
        self.log = log
    }

    /// Takes a message in which the extension asks, or lets go of what it asked for.
    func take(_ message: [UInt8], _ conversation: ExtensionSession) {
        let session = session.withLock { session in
            if let session { return session }
            let made = Session(
                with: Replies(conversation: conversation), extensionOf: app, router: router, log: log)
            session = made
            return made
        }
        session.take(message)
    }

    func end() async {
        await session.withLock { session in
            defer { session = nil }
            return session
        }?.release()
    }

    /// The conversation's end for answers; its messages come through `take`.
    private struct Replies: MessageChannel {
        let conversation: ExtensionSession
        func send(_ message: [UInt8]) throws { try conversation.send(message) }
        func offer(_ message: [UInt8]) throws -> Bool { try conversation.offer(message) }
        func flush() throws { try conversation.flush() }
        func receive() throws -> [UInt8]? { nil }
        var hasEnded: Bool { false }
        func close() {}
    }
}
