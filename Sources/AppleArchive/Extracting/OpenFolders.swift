// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Glibc
import Kit
import System

/// The folders on the way to where the extractor works, each held open, so that every step is one name below an open
/// folder and no symbolic link is ever followed.
struct OpenFolders {
    /// An open folder, closed when nothing refers to it.
    private final class Folder {
        let name: String
        let path: String
        let descriptor: FileDescriptor

        init(name: String, path: String, descriptor: FileDescriptor) {
            self.name = name
            self.path = path
            self.descriptor = descriptor
        }

        deinit { _ = try? descriptor.close() }
    }

    private let root: FileDescriptor
    /// How many folders may be made that stand in paths only. A few long paths can name many.
    private let maximumMade: UInt64
    private var made: UInt64 = 0
    private var stack: [Folder] = []
    /// The way as the archive writes it; empty at the root.
    private var path: String { stack.last?.path ?? "" }

    init(root: FileDescriptor, maximumMade: UInt64) {
        self.root = root
        self.maximumMade = maximumMade
    }

    /// The folder the way leads to.
    var current: FileDescriptor { stack.last?.descriptor ?? root }

    /// Goes to the folder at `folder`, making what is missing.
    /// - Parameter leaving: called for each folder that is left, while it is still open.
    mutating func go(
        to folder: Substring, creating: Bool = true, leaving: (String, FileDescriptor) throws -> Void
    ) throws {
        guard !folder.isSamePath(as: path) else { return }
        let names = folder.pathNames
        var common = 0
        while common < min(stack.count, names.count), names[common].isSamePath(as: stack[common].name) { common += 1 }
        while stack.count > common {
            if let last = stack.last { try leaving(last.path, last.descriptor) }
            stack.removeLast()
        }
        for name in names[common...] { try enter(String(name), creating: creating) }
    }

    private mutating func enter(_ name: String, creating: Bool) throws {
        let inner = path.isEmpty ? name : path + "/" + name
        let descriptor = try open(name, in: current, path: inner, creating: creating)
        stack.append(Folder(name: name, path: inner, descriptor: descriptor))
    }

    private mutating func open(
        _ name: String, in parent: FileDescriptor, path: String, creating: Bool
    ) throws -> FileDescriptor {
        func attempt() throws -> FileDescriptor {
            let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
            return FileDescriptor(rawValue: try systemCall { openat(parent.rawValue, name, flags) })
        }
        do {
            do {
                return try attempt()
            } catch let error as Errno where error == .noSuchFileOrDirectory && creating {
                made += 1
                guard made <= maximumMade else {
                    throw ArchiveError(
                        .limitExceeded,
                        "The archive's paths name more than \(maximumMade) folders that it does not hold.")
                }
                try systemCall { mkdirat(parent.rawValue, name, 0o755) }
                return try attempt()
            }
        } catch let error as Errno where error == .notDirectory || error == .tooManySymbolicLinkLevels {
            throw ArchiveError(
                .notAFolder, "The archive puts something into \(path), which is no folder; it is not safe to extract.")
        } catch let error as ArchiveError {
            throw error
        } catch {
            throw ArchiveError(.inputOutput, "The folder \(path) cannot be made or opened.", cause: error)
        }
    }
}
