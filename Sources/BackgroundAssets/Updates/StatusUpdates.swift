// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// The updates that one subscriber reads. Reading stops the subscription when the last copy of the sequence is gone.
struct StatusUpdates: AsyncSequence, Sendable {
    typealias Element = AssetPackManager.DownloadStatusUpdate
    typealias Failure = Never

    private let subscription: Subscription

    init(mailbox: StatusMailbox, pump: Task<Void, Never>) {
        subscription = Subscription(mailbox: mailbox, pump: pump)
    }

    func makeAsyncIterator() -> Iterator { Iterator(subscription: subscription) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let subscription: Subscription

        func next() async -> Element? { await subscription.mailbox.next() }

        func next(isolation actor: isolated (any Actor)?) async -> Element? { await subscription.mailbox.next() }
    }

    fileprivate final class Subscription: Sendable {
        let mailbox: StatusMailbox
        private let pump: Task<Void, Never>

        init(mailbox: StatusMailbox, pump: Task<Void, Never>) {
            self.mailbox = mailbox
            self.pump = pump
        }

        deinit {
            pump.cancel()
            mailbox.finish()
        }
    }
}
