// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import DeviceProtocol
internal import Dispatch
internal import Foundation
internal import Kit

/// The progress of a request. It is changed on one queue only, and what changes is behind a lock.
final class RequestProgress: Sendable {
    let progress: Progress
    private let queue = DispatchQueue(label: "larder.resources.progress")

    init() {
        progress = GuardedProgress(parent: nil)
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
            // The last byte counts when the resources can be used.
            let total = max(bytes.total, 1)
            let completed = min(bytes.completed, total - 1)
            // A request that is asked again may have less to fetch: at no time is it whole in between.
            if progress.completedUnitCount >= total { progress.completedUnitCount = completed }
            progress.totalUnitCount = total
            progress.completedUnitCount = completed
        }
    }

    /// Whole when this returns.
    func finish() { queue.sync { progress.completedUnitCount = progress.totalUnitCount } }
}

/// A progress whose counts may be read by any thread while they change; nothing in Foundation's is guarded on Linux. The
/// fraction, which cannot be guarded from outside, is computed of these counts.
// Safe: what is added to Foundation's class is a lock.
private final class GuardedProgress: Progress, @unchecked Sendable {
    private let counts = NSRecursiveLock()

    override var totalUnitCount: Int64 {
        get { counts.withLock { super.totalUnitCount } }
        set { counts.withLock { super.totalUnitCount = newValue } }
    }

    override var completedUnitCount: Int64 {
        get { counts.withLock { super.completedUnitCount } }
        set { counts.withLock { super.completedUnitCount = newValue } }
    }
}
