// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Kit
internal import System

/// A host's sign of life in the data folder: a file with its name, locked for as long as its process lives. Whoever shares the
/// folder sees at once that a host is gone, and need not wait for its claims to end.
final class HostPresence: Sendable {
    /// What the host calls itself in the queue.
    let owner = Identifier.random()
    private let folder: FilePath
    private let lock: FileLock

    /// - Throws: `Errno`
    init(data: FilePath) throws {
        folder = data.appending("hosts")
        let here = FileDescriptor.currentDirectory
        try here.makeDirectories(at: folder, permissions: .directoryPrivate)
        // Locked before it has its name: nobody sees it without the lock.
        let new = folder.appending(".\(owner)")
        lock = try FileLock.acquire(new, .exclusive)
        try here.rename(from: new, to: folder.appending(owner))
    }

    /// The names of hosts that ended and said nothing. Blocks.
    /// - Throws: `Errno`
    func departed() throws -> [String] {
        try FileDescriptor.currentDirectory.entries(at: folder).map(\.name).filter { name in
            guard name != owner, name.first != "." else { return false }
            // One that is being forgotten just now is not there any more.
            return (try? FileLock.tryAcquire(folder.appending(name), .exclusive, create: false)) != nil
        }
    }

    /// What is known of that host is settled.
    func forget(_ name: String) { _ = try? FileDescriptor.currentDirectory.remove(at: folder.appending(name)) }

    /// This host ends in good order.
    func end() { forget(owner) }
}
