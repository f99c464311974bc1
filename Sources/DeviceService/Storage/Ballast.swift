// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System

/// Room that is set aside for the day when the disk has none: a file that takes it up. What makes room, such as an uninstall,
/// has rows to write first; it deletes this file and has room for them (C10). Everything here blocks.
struct Ballast: Sendable {
    static let name = "ballast"
    /// Some dozens of transactions, and the database's own files after a start.
    static let size: Int64 = 1 << 20
    /// Free bytes from which on the file is made again: more than would be taken by the next row.
    static let leastFree: Int64 = 8 << 20

    let path: FilePath

    private static let here = FileDescriptor.currentDirectory

    init(_ paths: LarderPaths) { path = paths.state.appending(Self.name) }

    /// Gives the room up when there is hardly any other.
    func lend() {
        guard let space = try? FileSystemSpace(at: path.removingLastComponent()), space.available < Self.size else {
            return
        }
        _ = try? Self.here.remove(at: path)
    }

    /// Sets the room aside again once there is enough; not being able to is no reason to fail.
    /// - Returns: whether it is set aside.
    @discardableResult
    func restore() -> Bool {
        if Self.here.exists(at: path) { return true }
        guard let space = try? FileSystemSpace(at: path.removingLastComponent()), space.available >= Self.leastFree
        else { return false }
        let partial = FilePath(path.string + ".new")
        do {
            let file = try OwnedDescriptor(
                partial, .writeOnly, options: [.create, .truncate, .noFollow], permissions: .filePrivate)
            try file.borrowed.allocate(length: Self.size)
            try file.close()
            try Self.here.rename(from: partial, to: path)
            return true
        } catch {
            _ = try? Self.here.remove(at: partial)
            return false
        }
    }

    /// What is wrong while the room is lent; nil when it is not, or the file system sets none aside though it has enough.
    func trouble() -> String? {
        let folder = path.removingLastComponent()
        guard !restore(), let space = try? FileSystemSpace(at: folder), space.available < Self.leastFree else {
            return nil
        }
        return
            "There is hardly any room where \(folder) is: \(ByteCount.formatted(space.available)) are free, and installs, "
            + "updates and downloads fail. `larder uninstall` and `larder storage --purge` work and make room."
    }
}
