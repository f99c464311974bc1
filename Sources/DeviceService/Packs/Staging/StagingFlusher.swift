// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System

/// Makes checkpoints durable beside the download: one thread at a time flushes the file system and then writes the
/// checkpoint that was taken before. So the disk works while bytes arrive, and little is left to flush at the end.
final class StagingFlusher {
    private var thread: WorkerThread?
    private let busy = Monitor(false)

    /// Begins to make a checkpoint durable, unless an earlier one is still on its way.
    /// - Throws: `Errno` when there is no thread to be had.
    func flush(_ checkpoint: some Encodable & Sendable, _ staged: StagedPack) throws {
        guard !busy.withLock({ $0 }) else { return }
        busy.withLock { $0 = true }
        do {
            thread = try WorkerThread.start(name: "larder-flush") { [busy] in
                // Trouble here costs only this checkpoint; the last flush, before the commit, reports what matters.
                _ = try? Self.write(checkpoint, staged)
                busy.withLock { $0 = false }
            }
        } catch {
            busy.withLock { $0 = false }
            throw error
        }
    }

    private static func write(_ checkpoint: some Encodable, _ staged: StagedPack) throws {
        let folder = try OwnedDescriptor(staged.directory, .readOnly, options: .directory)
        try folder.borrowed.synchronizeFileSystem()
        try StagedPack.write(checkpoint, to: staged.durableCheckpoint, durable: true)
    }

    /// Waits until nothing is being flushed: before the folder is removed or sealed.
    func wait() { busy.wait { $0 ? nil : () } }

    deinit { wait() }
}
