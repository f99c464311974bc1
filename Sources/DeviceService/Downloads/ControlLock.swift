// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System

/// The lock of who has exclusive control, until it is let go of.
final class ControlLock: Sendable {
    private let lock: FileLock
    /// Between two looks. Only after a restart can somebody have it, and nobody could call a thread back that waits for it.
    private static let interval = Duration.milliseconds(50)

    private init(_ lock: consuming FileLock) { self.lock = lock }

    /// Waits until nobody else has it.
    /// - Parameter end: how long; nil for as long as it takes.
    /// - Returns: nil when the time was over first.
    /// - Throws: `Errno` when the file cannot be had; `CancellationError`
    static func acquire(_ file: FilePath, until end: ContinuousClock.Instant?) async throws -> ControlLock? {
        while true {
            if let lock = try await offload({ try tryAcquire(file) }) { return lock }
            let rest = end.map { ContinuousClock.now.duration(to: $0) } ?? interval
            guard rest > .zero else { return nil }
            try await Task.sleep(for: min(rest, interval))
        }
    }

    private static func tryAcquire(_ file: FilePath) throws -> ControlLock? {
        guard let lock = try FileLock.tryAcquire(file, .exclusive) else { return nil }
        return ControlLock(lock)
    }
}
