// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import DeviceProtocol
internal import Dispatch
internal import Foundation
internal import Kit

/// Brings what happens to the app's downloads to its delegate, and says when the delegate has done with it.
final class DownloadFeed: Sendable {
    private struct State {
        weak var delegate: (any BADownloadManagerDelegate)?
        var listening: Task<Void, Never>?
        /// Says that the app is there, while no delegate listens.
        var presence: Task<Void, Never>?
        /// Ends that the delegate was told: a service that starts anew may not have heard so.
        var told: Set<Int64> = []
    }

    private let client: DownloadClient
    private let queue = DispatchQueue(label: "larder.downloads")
    private let state: Guarded

    // Safe: the state is touched under the lock only. `Locked` wants a Sendable state, and a delegate need not be.
    private final class Guarded: @unchecked Sendable {
        private var state = State()
        private let lock = NSLock()

        func with<Result>(_ body: (inout State) -> Result) -> Result { lock.withLock { body(&state) } }
    }

    init(client: DownloadClient) {
        self.client = client
        state = Guarded()
    }

    var delegate: (any BADownloadManagerDelegate)? {
        get { state.with { $0.delegate } }
        set {
            let ended = state.with { state -> Task<Void, Never>? in
                state.delegate = newValue
                if newValue != nil {
                    if state.listening == nil { state.listening = Task { await self.follow(isListening: true) } }
                    return nil
                }
                defer { state.listening = nil }
                return state.listening
            }
            ended?.cancel()
        }
    }

    /// Sees that the service knows the app to be there: with its connection ends the foreground of its downloads.
    func showPresence() {
        state.with { state in
            guard state.listening == nil, state.presence == nil else { return }
            state.presence = Task { await self.follow(isListening: false) }
        }
    }

    /// Reads one stream after the other, through restarts of the service.
    private func follow(isListening: Bool) async {
        var retries = Retries()
        while !Task.isCancelled {
            do {
                let request = DownloadEventsRequest(app: try client.app.get(), isListening: isListening)
                let connection = try await offload { [client] in try client.connected() }
                for try await step in connection.stream(request) {
                    retries.reset()
                    guard await deliver(step) else { return }
                }
            } catch {}
            guard let wait = retries.next(.service.forever), (try? await Task.sleep(for: wait)) != nil else { return }
        }
    }

    /// False when the delegate has gone: what it did not hear is told to others.
    private func deliver(_ step: DownloadStep) async -> Bool {
        let isDelivered = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: self.call(step)) }
        }
        guard isDelivered else {
            state.with { $0.listening = nil }
            return false
        }
        guard let number = step.number else { return true }
        // Not heard, it is said again when the service tells the same end again.
        _ = try? await offload { [client] in
            try client.ask { AcknowledgeDownloadRequest(app: $0, number: number) }
        }
        return true
    }

    private func call(_ step: DownloadStep) -> Bool {
        let (delegate, isNew) = state.with { state in
            (state.delegate, step.number.map { !state.told.contains($0) } ?? true)
        }
        guard isNew else { return true }
        guard let delegate else { return false }
        let download = BADownload.make(step.download)
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
        default: break  // Told by a newer service.
        }
        if let number = step.number { state.with { _ = $0.told.insert(number) } }
        return true
    }
}
