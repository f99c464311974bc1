// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System

/// Watches the free space of a file system that nothing else uses, every 2 ms on a thread of its own.
final class DiskSampler: Sendable {
    private struct State {
        var lowest: Int64
        var isRunning = true
    }

    private let state: Monitor<State>
    private let thread: WorkerThread

    init(_ folder: FilePath) throws {
        let state = Monitor(State(lowest: try FileSystemSpace(at: folder).available))
        self.state = state
        thread = try WorkerThread.start(name: "sampler") {
            while state.wait(atMost: .milliseconds(2), { $0.isRunning ? nil : true }) == nil {
                guard let now = try? FileSystemSpace(at: folder).available else { continue }
                state.withLock { $0.lowest = min($0.lowest, now) }
            }
        }
    }

    /// The least that was free, in bytes.
    func stop() -> Int64 {
        state.withLock { $0.isRunning = false }
        thread.join()
        return state.withLock { $0.lowest }
    }
}
