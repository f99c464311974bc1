// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import DeviceProtocol
internal import Foundation
internal import Kit

/// Turns the service's events into the app's updates.
struct EventTranslator {
    /// One download from its beginning to its end. A progress that outlives it cancels nothing: the same pack may be on its
    /// way anew.
    private final class Attempt: Sendable {
        private let isOver = Locked(false)
        var isRunning: Bool { isOver.withLock { !$0 } }
        func end() { isOver.withLock { $0 = true } }
    }

    private let bundleID: String
    private let service: ServiceClient
    private var attempts: [String: Attempt] = [:]
    /// Packs that come, as far as has been told.
    private var coming: [String: AssetPack] = [:]

    init(bundleID: String, service: ServiceClient) {
        self.bundleID = bundleID
        self.service = service
    }

    /// nil for a change that this version does not know.
    mutating func update(for event: DownloadEvent) -> AssetPackManager.DownloadStatusUpdate? {
        let pack = AssetPack(event.pack)
        coming[pack.id] = [.began, .downloading].contains(event.change) ? pack : nil
        switch event.change {
        case .began:
            _ = attempt(for: pack)
            return .began(pack)
        case .paused:
            return .paused(pack)
        case .downloading:
            return .downloading(pack, progress(of: pack, completed: event.completed, total: event.total))
        case .finished:
            endAttempt(for: pack)
            return .finished(pack)
        case .failed:
            endAttempt(for: pack)
            let error = event.error ?? DeviceError(.failed, "The download of “\(pack.id)” failed.")
            return .failed(pack, clientError(error, forPackWithID: pack.id))
        default:
            return nil
        }
    }

    /// What a subscriber is told when the service has gone: nothing comes before it is back and says that it goes on.
    mutating func interruptions() -> [AssetPackManager.DownloadStatusUpdate] {
        defer { coming = [:] }
        return coming.values.sorted { $0.id < $1.id }.map { .paused($0) }
    }

    /// What a subscriber is told of a pack that is there already.
    mutating func updates(forLocal pack: AssetPack) -> [AssetPackManager.DownloadStatusUpdate] {
        let size = Int64(pack.downloadSize)
        let whole = progress(of: pack, completed: size, total: size)
        endAttempt(for: pack)
        return [.began(pack), .downloading(pack, whole), .finished(pack)]
    }

    /// A progress for one update. It is not changed afterwards, because Foundation's `Progress` may not be changed on one
    /// thread while the app reads it on another.
    private mutating func progress(of pack: AssetPack, completed: Int64, total: Int64) -> Progress {
        let progress = Progress(parent: nil)
        progress.kind = .file
        progress.totalUnitCount = max(total, 1)
        progress.completedUnitCount = total > 0 ? min(completed, total) : 1
        progress.isPausable = false
        progress.isCancellable = true
        let attempt = attempt(for: pack)
        let request = CancelDownloadRequest(app: bundleID, pack: pack.id)
        let wasCancelled = Locked(false)
        progress.cancellationHandler = { [service] in
            let isFirst = wasCancelled.withLock { wasCancelled in
                defer { wasCancelled = true }
                return !wasCancelled
            }
            guard isFirst, attempt.isRunning else { return }
            // What comes of it shows in the updates: `.failed` with `URLError.cancelled`.
            Task { try? await service.sendRepeatedly(request) }
        }
        return progress
    }

    private mutating func attempt(for pack: AssetPack) -> Attempt {
        if let attempt = attempts[pack.id] { return attempt }
        let attempt = Attempt()
        attempts[pack.id] = attempt
        return attempt
    }

    private mutating func endAttempt(for pack: AssetPack) { attempts.removeValue(forKey: pack.id)?.end() }
}
