// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import DeviceProtocol
internal import Dispatch
internal import Foundation
internal import Kit

/// The progress of a request. It is changed on one queue only, since nothing in Foundation's is guarded.
final class RequestProgress: Sendable {
    let progress: Progress
    private let queue = DispatchQueue(label: "larder.resources.progress")

    init() {
        progress = Progress(parent: nil)
        progress.kind = .file
        progress.totalUnitCount = 1
        progress.isPausable = true
        progress.isCancellable = true
    }

    func attach(
        pause: @escaping @Sendable () -> Void, resume: @escaping @Sendable () -> Void,
        cancel: @escaping @Sendable () -> Void
    ) {
        progress.pausingHandler = pause
        progress.resumingHandler = resume
        progress.cancellationHandler = cancel
    }

    func update(_ bytes: ResourcesProgress) {
        queue.async { [progress] in
            guard !progress.isFinished else { return }
            progress.totalUnitCount = max(bytes.total, 1)
            // The last byte counts when the resources can be used.
            progress.completedUnitCount = min(bytes.completed, max(bytes.total, 1) - 1)
        }
    }

    /// Whole when this returns.
    func finish() { queue.sync { progress.completedUnitCount = progress.totalUnitCount } }
}
