// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Glibc
import Kit
import System

/// Deletes what nobody reads any more on a thread of its own. Deleting a large file takes as long as writing it did, and whoever
/// waits for a new version need not wait for the end of the old one. The file system serves one at a time, so that this begins
/// a moment later, or as soon as somebody waits for it.
///
/// What was discarded is out of its place at once; what a crash leaves of it goes with the next start.
final class Sweeper: Sendable {
    private struct State {
        /// How much was discarded.
        var count: UInt64 = 0
        var isBusy = false
        /// How many wait for the end of it.
        var waiting = 0
    }

    /// By then whoever replaced a version has put the rest of it on the disk.
    private static let pause = Duration.milliseconds(250)

    private let folder: FilePath
    private let log: Logger
    private let state = Monitor(State())

    /// - Parameter parent: a folder on the file system of what will be discarded.
    init(below parent: FilePath, log: Logger = .silent) {
        folder = parent.appending("discarded")
        self.log = log
    }

    /// Takes a folder away, and deletes it soon.
    /// - Throws: `Errno` when it cannot be taken away; then it is where it was.
    func discard(_ path: FilePath) throws {
        try state.withLock { state in
            let here = FileDescriptor.currentDirectory
            try here.makeDirectories(at: folder)
            try here.rename(from: path, to: folder.appending("\(getpid())-\(state.count)"), mode: .exclusive)
            state.count += 1
            start(&state)
        }
    }

    /// Deletes what a process before this one discarded.
    func sweep() {
        state.withLock { if FileDescriptor.currentDirectory.exists(at: folder) { start(&$0) } }
    }

    /// Returns when all that was discarded is gone. Blocks.
    func wait() {
        state.withLock { $0.waiting += 1 }
        state.wait { $0.isBusy ? nil : () }
        state.withLock { $0.waiting -= 1 }
    }

    /// What is free at a place of the same file system once all that was discarded is gone. Blocks.
    /// - Throws: `Errno`
    func space(at path: FilePath) throws -> FileSystemSpace {
        wait()
        return try FileSystemSpace(at: path)
    }

    private func start(_ state: inout State) {
        guard !state.isBusy else { return }
        do {
            try WorkerThread.start(name: "larder-sweep", stackSize: 256 << 10) { [self] in run() }
            state.isBusy = true
        } catch {
            log.warning("No thread to delete old files", ["folder": folder.string, "error": "\(error)"])
        }
    }

    private func run() {
        var seen: UInt64
        repeat {
            _ = state.wait(atMost: Self.pause) { $0.waiting > 0 ? () : nil }
            seen = state.peek { $0.count }
            do {
                let owner = try OwnedDescriptor(folder, .readOnly, options: [.directory, .noFollow])
                try owner.borrowed.removeContents()
            } catch {
                // It is looked at again with the next start.
                log.warning("Old files could not be deleted", ["folder": folder.string, "error": "\(error)"])
            }
        } while !isDone(since: seen)
    }

    private func isDone(since seen: UInt64) -> Bool {
        state.withLock { state in
            state.isBusy = state.count != seen
            // Only here: nobody is about to move something in. What could not be deleted keeps it.
            if !state.isBusy { try? FileDescriptor.currentDirectory.removeDirectory(at: folder) }
            return !state.isBusy
        }
    }
}
