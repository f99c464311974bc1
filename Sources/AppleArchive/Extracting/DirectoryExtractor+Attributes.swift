// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Glibc
import Kit
import System

extension DirectoryExtractor {
    /// UTIME_OMIT, a cast macro that Swift does not import.
    static let unchanged = timespec(tv_sec: 0, tv_nsec: (1 << 30) - 2)

    static func specification(_ time: Timestamp) -> timespec {
        timespec(tv_sec: Int(time.seconds), tv_nsec: Int(time.nanoseconds))
    }

    /// The permission bits to set: the set-user, set-group and sticky bits only together with the owner.
    private func permissions(_ mode: UInt16) -> mode_t {
        mode_t(mode) & (options.setsOwner && geteuid() == 0 ? 0o7777 : 0o777)
    }

    func setAttributes(of entry: EntryHeader, on file: FileDescriptor) throws {
        try setOwner(of: entry, on: file)
        try systemCall { fchmod(file.rawValue, permissions(entry.mode ?? 0o644)) }
        guard options.setsModificationTimes, let time = entry.modificationTime else { return }
        let times = [Self.unchanged, Self.specification(time)]
        try systemCall { futimens(file.rawValue, times) }
    }

    func setOwner(of entry: EntryHeader, on file: FileDescriptor) throws {
        guard options.setsOwner, geteuid() == 0, let (user, group) = Self.owner(entry.userID, entry.groupID) else {
            return
        }
        try systemCall { fchown(file.rawValue, user, group) }
    }

    func setOwner(of entry: EntryHeader, at name: String) throws {
        guard options.setsOwner, geteuid() == 0, let (user, group) = Self.owner(entry.userID, entry.groupID) else {
            return
        }
        let folder = folders.current
        try systemCall { fchownat(folder.rawValue, name, user, group, AT_SYMLINK_NOFOLLOW) }
    }

    private static func owner(_ user: UInt64?, _ group: UInt64?) -> (uid_t, gid_t)? {
        guard let user, let group, let userID = uid_t(exactly: user), let groupID = gid_t(exactly: group) else {
            return nil
        }
        return (userID, groupID)
    }

    func keepAttributes(of entry: EntryHeader) throws {
        state.folders[entry.path] = ExtractionState.FolderAttributes(
            mode: entry.mode, seconds: entry.modificationTime?.seconds,
            nanoseconds: entry.modificationTime?.nanoseconds ?? 0, userID: entry.userID, groupID: entry.groupID)
    }

    /// Opens a folder again that was left with its attributes set: the archive is not sorted by path.
    func reenter(_ path: String) throws {
        guard let attributes = settledFolders.removeValue(forKey: path) else { return }
        state.folders[path] = attributes
        guard let mode = attributes.mode else { return }
        do {
            try systemCall { fchmod(folders.current.rawValue, permissions(mode) | 0o700) }
        } catch {
            throw failure("cannot be written to", path, error)
        }
    }

    /// Sets a folder's attributes when it is left: in a sorted archive nothing more comes into it.
    func leave(_ path: String, _ folder: FileDescriptor) throws {
        guard let attributes = state.folders.removeValue(forKey: path) else { return }
        settledFolders[path] = attributes
        do {
            if options.setsOwner, geteuid() == 0,
                let (user, group) = Self.owner(attributes.userID, attributes.groupID)
            {
                try systemCall { fchown(folder.rawValue, user, group) }
            }
            if let mode = attributes.mode { try systemCall { fchmod(folder.rawValue, permissions(mode)) } }
            guard options.setsModificationTimes, let seconds = attributes.seconds else { return }
            let time = Timestamp(seconds: seconds, nanoseconds: attributes.nanoseconds)
            let times = [Self.unchanged, Self.specification(time)]
            try systemCall { futimens(folder.rawValue, times) }
        } catch {
            throw failure("cannot be completed", path.isEmpty ? "The folder" : path, error)
        }
    }
}
