// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import DeviceProtocol
internal import Dispatch
internal import Foundation
internal import Kit

#if FoundationNetworking
    internal import FoundationNetworking
#endif

/// Brings what happens to the app's downloads to its delegate, and says when the delegate has done with it.
final class DownloadFeed: Sendable {
    // Safe: a delegate need not be Sendable; it is called on the feed's queue only, as Apple's manager does.
    private struct Delegate: @unchecked Sendable {
        weak var reference: (any BADownloadManagerDelegate)?
    }

    private struct State: Sendable {
        var delegate = Delegate()
        var listening: Task<Void, Never>?
        /// Says that the app is there, while no delegate listens.
        var presence: Task<Void, Never>?
        /// Ends that the delegate was told: a service that starts anew may not have heard so.
        var told: Set<Int64> = []
        /// Downloads, by identifier, that the app brought to the front: a service that starts anew does not know.
        var foreground: Set<String> = []
        /// Downloads that come, as far as the delegate was told.
        var coming: [String: DownloadDescription] = [:]
    }

    fileprivate let client: DownloadClient
    private let queue = DispatchQueue(label: "larder.downloads")
    private let state = Locked(State())

    init(client: DownloadClient) { self.client = client }

    var delegate: (any BADownloadManagerDelegate)? {
        get { state.withLock { $0.delegate }.reference }
        set {
            let delegate = Delegate(reference: newValue)
            let ended = state.withLock { state -> Task<Void, Never>? in
                state.delegate = delegate
                if delegate.reference != nil {
                    if state.listening == nil { state.listening = Task { await self.follow(isListening: true) } }
                    return nil
                }
                // What is in front stays there: the app is.
                if !state.foreground.isEmpty { showPresence(&state) }
                defer { state.listening = nil }
                return state.listening
            }
            ended?.cancel()
        }
    }

    /// Sees that the service knows the app to be there: with its connection ends the foreground of its downloads.
    func showPresence() {
        state.withLock { state in if state.listening == nil { showPresence(&state) } }
    }

    private func showPresence(_ state: inout State) {
        if state.presence == nil { state.presence = Task { await self.follow(isListening: false) } }
    }

    /// The app brought a download to the front, or that is over.
    func setForeground(_ identifier: String, _ isForeground: Bool) {
        state.withLock { state in
            if isForeground { state.foreground.insert(identifier) } else { state.foreground.remove(identifier) }
        }
    }

    /// Reads one stream after the other, through restarts of the service.
    private func follow(isListening: Bool) async {
        await RetryPolicy.service.keepingUp { retries in
            do {
                let foreground = state.withLock { $0.foreground.sorted() }
                let request = DownloadEventsRequest(
                    app: try client.app.get(), isListening: isListening,
                    foreground: foreground.isEmpty ? nil : foreground,
                    answersChallenges: isListening && Self.canAnswer)
                let connection = try await offload { [client] in try client.connected() }
                for try await step in connection.stream(request) {
                    retries.reset()
                    guard await deliver(step, over: connection) else { return .end }
                }
            } catch {}
            if isListening { await tellInterruptions() }
            return .again
        }
    }

    /// The service has gone: what came pauses, until it is back and says that it begins again.
    private func tellInterruptions() async {
        let (delegate, paused) = state.withLock { state in
            defer { state.coming = [:] }
            return (state.delegate, state.coming.values.sorted { $0.identifier < $1.identifier })
        }
        guard !paused.isEmpty, !Task.isCancelled else { return }
        await withCheckedContinuation { continuation in
            queue.async {
                for download in paused { delegate.reference?.downloadDidPause(BADownload.make(download)) }
                continuation.resume()
            }
        }
    }

    /// False when the delegate has gone: what it did not hear is told to others.
    private func deliver(_ step: DownloadStep, over connection: DeviceConnection) async -> Bool {
        let outcome = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: self.call(step, over: connection)) }
        }
        guard outcome != .unheard else {
            state.withLock { $0.listening = nil }
            return false
        }
        guard outcome == .heard, let number = step.number else { return true }
        // Not heard, it is said again when the service tells the same end again.
        _ = try? await offload { [client] in
            try client.ask { AcknowledgeDownloadRequest(app: $0, number: number) }
        }
        return true
    }

    private enum Outcome {
        case heard
        /// There is no delegate any more.
        case unheard
        /// The service that said so is gone, and with it its word: the next one tells the end again, or somebody else had it.
        case stale
    }

    private func call(_ step: DownloadStep, over connection: DeviceConnection) -> Outcome {
        let (delegate, isNew) = state.withLock { state in
            (state.delegate, step.number.map { !state.told.contains($0) } ?? true)
        }
        guard isNew else { return .heard }
        guard let delegate = delegate.reference else { return .unheard }
        let download = BADownload.make(step.download)
        let hearing = Hearing(step)
        state.withLock { state in
            let isComing = [.began, .progress].contains(step.change)
            state.coming[step.download.identifier] = isComing ? step.download : nil
        }
        // Looked at when it can be seen that this process hears of it.
        if step.number != nil, !connection.isConnected || !hearing.isPossible { return .stale }
        switch step.change {
        case .began: delegate.downloadDidBegin(download)
        case .paused: delegate.downloadDidPause(download)
        case .progress:
            delegate.download(
                download, didWriteBytes: step.written, totalBytesWritten: step.total,
                totalBytesExpectedToWrite: step.expected)
        case .finished:
            delegate.download(download, finishedWithFileURL: URL(fileURLWithPath: step.file ?? "", isDirectory: false))
        case .failed:
            delegate.download(
                download, failedWithError: downloadError(step.error ?? DeviceError(.failed, "The download failed.")))
        case .challenged: pose(step.challenge, for: download, to: delegate)
        default: break  // Told by a newer service.
        }
        hearing.end(step)
        if let number = step.number {
            state.withLock { state in
                state.told.insert(number)
                state.foreground.remove(step.download.identifier)
            }
        }
        return .heard
    }
}

extension DownloadFeed {
    #if FoundationNetworking
        fileprivate static let canAnswer = true

        /// Asks the delegate. It may answer later; the service waits, and other events go on.
        fileprivate func pose(
            _ challenge: ChallengeDescription?, for download: BADownload, to delegate: any BADownloadManagerDelegate
        ) {
            guard let challenge else { return }
            guard let asked = URLAuthenticationChallenge(challenge) else { return answer(challenge, .byDefault) }
            delegate.download(download, didReceive: asked) { disposition, credential in
                self.answer(challenge, ChallengeAnswer(disposition, credential, to: challenge))
            }
        }

        private func answer(_ challenge: ChallengeDescription, _ answer: ChallengeAnswer) {
            Task { [client] in
                // A service that is gone asks anew when it is back.
                _ = try? await offload {
                    try client.ask { AnswerChallengeRequest(app: $0, id: challenge.id, answer: answer) }
                }
            }
        }
    #else
        fileprivate static let canAnswer = false

        fileprivate func pose(
            _ challenge: ChallengeDescription?, for download: BADownload, to delegate: any BADownloadManagerDelegate
        ) {}
    #endif
}
