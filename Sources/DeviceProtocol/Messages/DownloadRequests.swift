// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

// Unmanaged downloads (BA 1.1-1.5): what an app and its extension ask about their own.

/// A file to download, as `BADownload` describes it.
package struct DownloadDescription: Codable, Hashable, Sendable {
    /// Numbers of `BADownload.State`. Unknown ones are kept.
    package struct State: RawRepresentable, Codable, Hashable, Sendable {
        package let rawValue: Int
        package init(rawValue: Int) { self.rawValue = rawValue }
        package static let failed = State(rawValue: -1)
        package static let created = State(rawValue: 0)
        package static let waiting = State(rawValue: 1)
        package static let downloading = State(rawValue: 2)
        package static let finished = State(rawValue: 3)
    }

    /// The app's own name of it, one download at a time.
    package var identifier: String
    /// A UUID of this very object.
    package var uniqueIdentifier: String
    package var url: String
    /// Fields to send along.
    package var headers: [String: String]?
    package var priority: Int
    package var isEssential: Bool
    /// Bytes that the file must have; nil when nobody said.
    package var fileSize: Int64?
    package var appGroup: String
    package var state: State
    /// Whether it is the archive of an asset pack, which is no `BAURLDownload`.
    package var isPack: Bool
    /// A name of the call that schedules it, the same when the call is repeated: a service that has taken it, and maybe told its
    /// end already, does not take it twice.
    package var ticket: String?

    package init(
        identifier: String, uniqueIdentifier: String, url: String, headers: [String: String]? = nil, priority: Int = 0,
        isEssential: Bool = false, fileSize: Int64?, appGroup: String, state: State = .created, isPack: Bool = false
    ) {
        self.identifier = identifier
        self.uniqueIdentifier = uniqueIdentifier
        self.url = url
        self.headers = headers
        self.priority = priority
        self.isEssential = isEssential
        self.fileSize = fileSize
        self.appGroup = appGroup
        self.state = state
        self.isPack = isPack
    }
}

/// Puts a download into the queue; it is journaled when the answer comes.
package struct ScheduleDownloadRequest: DeviceRequest {
    package static let method = "downloads.schedule"
    package typealias Reply = EmptyReply
    package var app: String
    package var download: DownloadDescription

    package init(app: String, download: DownloadDescription) {
        self.app = app
        self.download = download
    }
}

/// Starts a download at once, or promotes one that is in the queue, until the app's last connection ends.
package struct StartForegroundDownloadRequest: DeviceRequest {
    package static let method = "downloads.startForeground"
    package typealias Reply = EmptyReply
    package var app: String
    package var download: DownloadDescription
    /// Whether a person has the app before them. One that was started for the background has not.
    package var isInFront: Bool

    package init(app: String, download: DownloadDescription, isInFront: Bool) {
        self.app = app
        self.download = download
        self.isInFront = isInFront
    }
}

/// Takes a download out of the queue and deletes what there is of it.
package struct RemoveDownloadRequest: DeviceRequest {
    package static let method = "downloads.cancel"
    package typealias Reply = EmptyReply
    package var app: String
    package var identifier: String

    package init(app: String, identifier: String) {
        self.app = app
        self.identifier = identifier
    }
}

/// The downloads that are scheduled or under way, whether app or extension put them there.
package struct CurrentDownloadsRequest: DeviceRequest {
    package static let method = "downloads.current"
    package var app: String
    package init(app: String) { self.app = app }

    package struct Reply: Codable, Hashable, Sendable {
        package var downloads: [DownloadDescription]
        package init(downloads: [DownloadDescription]) { self.downloads = downloads }
    }
}

/// Waits for exclusive control over the app's downloads and holds it: one event comes when it is had, and it is given back
/// when the stream is let go of, the connection ends or the process dies. Ends with `download.controlHeld` when
/// the time is over.
package struct ExclusiveControlRequest: DeviceStreamRequest {
    package static let method = "downloads.exclusiveControl"
    package typealias Event = EmptyReply
    package var app: String
    /// How long to wait, in milliseconds; nil for as long as it takes, 0 not at all.
    package var patience: Int64?

    package init(app: String, patience: Int64?) {
        self.app = app
        self.patience = patience
    }
}

/// What happens to the app's downloads, for its delegate. The connection that holds the stream is the app's presence: with it
/// goes the foreground of what it started.
package struct DownloadEventsRequest: DeviceStreamRequest {
    package static let method = "downloads.events"
    package typealias Event = DownloadStep
    package var app: String
    /// Whether somebody listens. Without, the stream is presence only.
    package var isListening: Bool
    /// Downloads, by identifier, that the app had brought to the front before its last connection broke: a service that was
    /// restarted brings those it still has there again.
    package var foreground: [String]?
    /// Whether whoever listens answers challenges; nil, as older clients have it, does not.
    package var answersChallenges: Bool?

    package init(app: String, isListening: Bool, foreground: [String]? = nil, answersChallenges: Bool? = nil) {
        self.app = app
        self.isListening = isListening
        self.foreground = foreground
        self.answersChallenges = answersChallenges
    }
}

/// One thing that happened to a download.
package struct DownloadStep: Codable, Hashable, Sendable {
    package struct Change: RawRepresentable, Codable, Hashable, Sendable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }
        package static let began = Change(rawValue: "began")
        package static let paused = Change(rawValue: "paused")
        package static let progress = Change(rawValue: "progress")
        package static let finished = Change(rawValue: "finished")
        package static let failed = Change(rawValue: "failed")
        /// Only to who answers challenges.
        package static let challenged = Change(rawValue: "challenged")
    }

    package var change: Change
    package var download: DownloadDescription
    /// With `finished` and most `failed`: what `downloads.acknowledge` names. Until then it is told again, to whoever comes.
    package var number: Int64?
    /// With `progress`: bytes since the last one, in all, and of the whole file (-1 when unknown).
    package var written: Int64
    package var total: Int64
    package var expected: Int64
    /// With `finished`: the file, which is deleted with the acknowledgement unless it was moved.
    package var file: String?
    /// With a `number`: where whoever was told leaves an empty file when its method has returned, before it acknowledges. So
    /// a service that is not there at that moment knows, too.
    package var receipt: String?
    /// A file that whoever was told keeps locked (`flock`) while its method runs, and renames to the receipt.
    package var begun: String? { receipt.map { $0 + ".begun" } }
    package var error: DeviceError?
    /// With `challenged`: what `downloads.answerChallenge` answers.
    package var challenge: ChallengeDescription?

    package init(
        _ change: Change, _ download: DownloadDescription, number: Int64? = nil, written: Int64 = 0, total: Int64 = 0,
        expected: Int64 = -1, file: String? = nil, receipt: String? = nil, error: DeviceError? = nil,
        challenge: ChallengeDescription? = nil
    ) {
        self.challenge = challenge
        self.change = change
        self.download = download
        self.number = number
        self.written = written
        self.total = total
        self.expected = expected
        self.file = file
        self.receipt = receipt
        self.error = error
    }
}

/// The delegate has returned: the event is done with and the file may go. Saying it again does nothing.
package struct AcknowledgeDownloadRequest: DeviceRequest {
    package static let method = "downloads.acknowledge"
    package typealias Reply = EmptyReply
    package var app: String
    package var number: Int64

    package init(app: String, number: Int64) {
        self.app = app
        self.number = number
    }
}
