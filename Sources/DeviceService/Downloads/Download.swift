// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import DeviceProtocol

/// One unmanaged download from being scheduled to being told of: facts in, actions out (BA 1.1). It knows no file, socket or
/// clock; when it runs is the transfer queue's to decide.
package struct Download: Hashable, Sendable {
    package enum State: String, Hashable, Sendable, CaseIterable {
        /// An extension named it, and the install lets others go first. → waiting
        case held
        /// It takes its turn, or waits out trouble. → downloading, paused, failed
        case waiting
        /// Bytes come. → waiting, paused, finished, failed
        case downloading
        /// A person paused it. → waiting
        case paused
        /// The file is there; nobody was told yet. → gone
        case finished
        /// It ended without; nobody was told yet. → gone
        case failed

        package var hasEnded: Bool { self == .finished || self == .failed }
    }

    package enum Fact: Hashable, Sendable {
        /// The install lets it go.
        case released
        case began
        /// It lost its place or met transient trouble, and goes on by itself.
        case interrupted
        case paused, resumed
        /// The app has it in front, or let go of that.
        case foreground(Bool)
        case progress(total: Int64, expected: Int64?)
        /// All bytes are in their place.
        case arrived(size: Int64)
        case broke(DeviceError)
        case cancelled
        /// App or extension has heard of the end.
        case acknowledged
        /// The app's delegate has heard of the end, and the extension, which runs, is told next; the file goes then.
        case shared
        /// The file in its place was taken away, by the app or to make room.
        case vanished
    }

    package enum Action: Hashable, Sendable {
        /// To the database, before what follows.
        case save
        /// Out of the database and the list.
        case forget
        /// Into the transfer queue.
        case enqueue
        /// Its class in the queue changed.
        case rerank
        case pauseTransfer, resumeTransfer
        /// Out of the queue; what is staged goes.
        case withdraw
        case deleteFile
        /// To those who listen now; nobody else is to hear of it.
        case tell(DownloadStep)
        /// It has ended: app or extension must hear of it.
        case deliver
    }

    package let app: String
    package let description: DownloadDescription
    package internal(set) var state: State
    package internal(set) var isForeground: Bool
    /// Bytes that are here, and that there will be; nil when nobody knows.
    package internal(set) var total: Int64 = 0
    package internal(set) var expected: Int64?
    /// Why it does not take its turn, as the queue says.
    package internal(set) var hold: HoldReason?
    /// Whether app or extension is asked what to say to its server.
    var isChallenged = false
    /// Why it failed.
    package internal(set) var error: DeviceError?
    /// The number under which its end is told, from the database.
    package var number: Int64?

    package init(app: String, description: DownloadDescription, state: State, isForeground: Bool = false) {
        self.app = app
        self.description = description
        self.state = state
        self.isForeground = isForeground
        expected = description.fileSize
    }

    package var key: TransferKey { TransferKey(app: app, download: description.identifier) }

    package var rankClass: TransferRank.Class {
        description.isEssential ? .essential : isForeground ? .foreground : .background
    }

    /// As the app sees it.
    package var told: DownloadDescription {
        var told = description
        told.ticket = nil
        told.state =
            switch state {
            case .held, .waiting, .paused: .waiting
            case .downloading: .downloading
            case .finished: .finished
            case .failed: .failed
            }
        return told
    }

    /// What is told of its end.
    /// - Parameters:
    ///   - file: where the file is.
    ///   - receipt: where whoever hears of it says so; nil when it was heard of before.
    package func end(file: String, receipt: String?) -> DownloadStep {
        state == .finished
            ? DownloadStep(
                .finished, told, number: number, total: total, expected: total, file: file, receipt: receipt)
            : DownloadStep(
                .failed, told, number: number, total: total, expected: expected ?? -1, receipt: receipt, error: error)
    }

    /// Facts that come late, or that the state does not know, change nothing.
    package mutating func handle(_ fact: Fact) -> [Action] {
        switch (state, fact) {
        case (.held, .released):
            state = .waiting
            return [.save, .enqueue]
        case (.waiting, .began):
            state = .downloading
            return [.tell(DownloadStep(.began, told, total: total, expected: expected ?? -1))]
        case (.downloading, .interrupted):
            state = .waiting
            return [.tell(DownloadStep(.paused, told, total: total, expected: expected ?? -1))]
        case (.waiting, .paused), (.downloading, .paused):
            let ran = state == .downloading
            state = .paused
            return [.save, .pauseTransfer]
                + (ran ? [.tell(DownloadStep(.paused, told, total: total, expected: expected ?? -1))] : [])
        case (.paused, .resumed):
            state = .waiting
            return [.save, .resumeTransfer]
        case (_, .foreground(let isForeground)):
            guard !state.hasEnded, self.isForeground != isForeground else { return [] }
            self.isForeground = isForeground
            return state == .held ? [.save] : [.save, .rerank]
        case (.downloading, .progress(let total, let expected)):
            let written = total - self.total
            self.total = total
            self.expected = expected ?? self.expected
            guard written > 0 else { return [] }
            return [
                .tell(
                    DownloadStep(
                        .progress, told, written: written, total: total, expected: self.expected ?? -1))
            ]
        case (.waiting, .arrived(let size)), (.downloading, .arrived(let size)), (.paused, .arrived(let size)):
            state = .finished
            (total, expected) = (size, size)
            return [.save, .deliver]
        case (_, .broke(let error)):
            guard !state.hasEnded else { return [] }
            state = .failed
            self.error = error
            return [.save, .deliver]
        case (.finished, .cancelled), (.failed, .cancelled): return []
        case (_, .cancelled):
            state = .failed
            error = DeviceError(.cancelled, "The download \(description.identifier) was cancelled.")
            // Whoever cancels knows; only a delegate that listens hears of it.
            return [.withdraw, .forget, .tell(DownloadStep(.failed, told, error: error))]
        // Forgotten at once: whoever comes while the file is deleted is told nothing of it.
        case (.finished, .acknowledged): return [.forget, .deleteFile]
        case (.failed, .acknowledged), (.finished, .shared), (.failed, .shared), (.finished, .vanished):
            return [.forget]
        default: return []
        }
    }
}
