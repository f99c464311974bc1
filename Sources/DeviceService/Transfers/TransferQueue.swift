// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit

/// What a transfer is for: one pack, or one unmanaged download, of one app. There is at most one at a time.
package struct TransferKey: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// Who carries it out.
    package enum Owner: Int, Hashable, Sendable {
        case packs, downloads
        /// Nothing of it is transferred: the files of a local pack that may go to make room.
        case resources
    }

    package let owner: Owner
    package var app: String
    /// The pack's id, or the download's identifier.
    package var pack: String

    package init(app: String, pack: String) {
        owner = .packs
        self.app = app
        self.pack = pack
    }

    package init(app: String, download identifier: String) {
        owner = .downloads
        self.app = app
        pack = identifier
    }

    package init(app: String, resources pack: String) {
        owner = .resources
        self.app = app
        self.pack = pack
    }

    package static func < (left: TransferKey, right: TransferKey) -> Bool {
        (left.app, left.pack, left.owner.rawValue) < (right.app, right.pack, right.owner.rawValue)
    }

    package var description: String { "\(app)/\(pack)" }
}

/// Which transfers run, wait or rest: a value that takes facts and returns what is to be done. It touches nothing.
///
/// Facts come in through `submit`, `pause`, `resume`, `cancel`, `ended` and `tick`; each returns actions for the owner to
/// carry out, in order. Time is a parameter, and so is chance.
package struct TransferQueue: Sendable {
    package typealias Instant = ContinuousClock.Instant

    package struct Limits: Hashable, Sendable {
        /// Transfers that run at once.
        package var total: Int
        /// Of these, from one host.
        package var perHost: Int
        /// Of these, for one app: one that wants thousands leaves places to others.
        package var perApp: Int

        package init(total: Int = 6, perHost: Int = 4, perApp: Int = 4) {
            self.total = max(1, total)
            self.perHost = max(1, perHost)
            self.perApp = max(1, perApp)
        }
    }

    /// What a transfer does now.
    package enum State: Hashable, Sendable {
        /// Ready, and waits for its turn. → running
        case queued
        /// Bytes flow, or are asked for. → stopping, waiting, or gone when it ended for good
        case running
        /// Told to stop; still holds its place until it has. → what `Next` says
        case stopping(then: Next)
        /// Transient trouble; goes on by itself. → queued when the time has come, or when resumed
        case waiting(until: Instant)
        /// Its server asks what only the app or its extension can answer; it holds no place meanwhile. → queued when answered
        case challenged
        /// A person or the app paused it. → queued when resumed
        case paused
    }

    /// What follows when a transfer that was told to stop has stopped.
    package enum Next: Hashable, Sendable {
        case paused
        /// Its place was needed, or it was resumed before it had stopped.
        case queued
        /// Cancelled: what is staged goes, and so does the transfer.
        case removed
        /// Cancelled or superseded, and wanted again before it had stopped: what is staged goes, then it is queued, or
        /// paused if that was asked for meanwhile.
        case restarted(paused: Bool)
    }

    package struct Item: Hashable, Sendable {
        package let key: TransferKey
        package internal(set) var host: String
        package internal(set) var rankClass: TransferRank.Class
        package internal(set) var priority: Int
        package internal(set) var state: State
        /// Why it does not take its turn; nil when it may.
        package internal(set) var hold: HoldReason?
        let sequence: Int64
        /// Since the last byte came, or it was last asked for.
        var retries: Retries

        package var rank: TransferRank {
            TransferRank(rankClass: rankClass, priority: priority, sequence: sequence)
        }

        /// Whether it takes one of the places.
        var holdsPlace: Bool {
            switch state {
            case .running, .stopping: true
            case .queued, .waiting, .challenged, .paused: false
            }
        }
    }

    /// How an attempt ended.
    package enum Outcome: Hashable, Sendable {
        /// The pack is local.
        case finished
        /// It stopped because it was told to.
        case stopped
        /// Trouble that may pass. `brought` tells whether any byte came, `isUnreachable` that there was no network, or
        /// nobody at the address.
        case transient(brought: Bool, wish: Duration?, isUnreachable: Bool = false)
        /// The server asked something; the owner says `answered` or `refuse`.
        case challenged
        /// Trouble that will not pass by itself.
        case permanent
    }

    /// What the owner is to do.
    package enum Action: Hashable, Sendable {
        case start(TransferKey)
        /// Stop it at its last checkpoint; `ended` follows.
        case stop(TransferKey)
        /// Delete what is staged.
        case discard(TransferKey)
        case tellPaused(TransferKey)
        case tellWaiting(TransferKey, Duration)
        /// It is held back, or no longer.
        case tellHold(TransferKey, HoldReason?)
        /// Gone after transient trouble lasted too long, or permanent trouble.
        case tellFailed(TransferKey)
        case tellCancelled(TransferKey)
        case tellFinished(TransferKey)
    }

    package let limits: Limits
    package let essentialPolicy: RetryPolicy
    package let foregroundPolicy: RetryPolicy
    package let backgroundPolicy: RetryPolicy
    package internal(set) var items = TransferTable()
    /// What background transfers may do; nil while that is not known, and they wait.
    package internal(set) var rule: BackgroundRule? = BackgroundRule()
    /// What may come before an app's first launch.
    package internal(set) var content = ContentRule()
    var nextSequence: Int64 = 0

    package init(
        limits: Limits = Limits(), essential: RetryPolicy = .essential, foreground: RetryPolicy = .foreground,
        background: RetryPolicy = .background
    ) {
        self.limits = limits
        essentialPolicy = essential
        foregroundPolicy = foreground
        backgroundPolicy = background
    }

    /// When `tick` is to be called next; nil while nothing waits for a time.
    package var nextDeadline: Instant? {
        items.lanes.waiting.values.min()
    }

    func policy(of item: Item) -> RetryPolicy {
        switch item.rank.rankClass {
        case .essential: essentialPolicy
        case .foreground, .urgent: foregroundPolicy
        case .background: backgroundPolicy
        }
    }
}
