// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Glibc
internal import Kit
package import System

/// Waits for what happens in a folder, told by the kernel (inotify).
package enum FolderWatch {
    package struct TooLate: Error, CustomStringConvertible {
        let folder: FilePath
        let limit: Duration
        package var description: String { "What was waited for did not come to \(folder) within \(limit)." }
    }

    /// Returns when `condition` holds; it is looked at once, and whenever a file of the folder was written or moved there. The
    /// folder must exist.
    /// - Throws: `TooLate`, `Errno`, and what `condition` throws.
    package static func wait(
        in folder: FilePath, atMost limit: Duration = .seconds(60),
        until condition: @escaping @Sendable () throws -> Bool
    ) async throws {
        try await offload {
            let number = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
            guard number >= 0 else { throw Errno(rawValue: errno) }
            defer { close(number) }
            let events = UInt32(IN_CLOSE_WRITE | IN_MODIFY | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE)
            guard inotify_add_watch(number, folder.string, events) >= 0 else { throw Errno(rawValue: errno) }
            let end = ContinuousClock.now + limit
            var buffer = [UInt8](repeating: 0, count: 4096)
            while try !condition() {
                let left = ContinuousClock.now.duration(to: end) / .milliseconds(1)
                guard left > 0 else { throw TooLate(folder: folder, limit: limit) }
                var waited = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
                _ = poll(&waited, 1, Int32(left) + 1)
                while read(number, &buffer, buffer.count) > 0 {}
            }
        }
    }
}
