// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Glibc
import Kit
import System

/// Copies a folder with its files, folders, links and permissions. Blocks.
struct TreeCopy: ~Copyable {
    /// How deep folders may lie in each other.
    static let depthLimit = 128

    private static let pieceSize = 256 << 10

    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * pieceSize, alignment: 4096)
    private var done: Int64 = 0

    deinit { buffer.deallocate() }

    /// - Parameters:
    ///   - target: must not exist.
    ///   - previous: a copy that was made before, on the file system of `target`: files that are still the same there, to the
    ///     byte and in their permissions, get a second name instead of being copied.
    ///   - progress: told the bytes copied so far, at least once per MiB.
    /// - Throws: `Errno`; `DeviceError` for sockets, pipes and devices; what `progress` throws.
    static func copy(
        from source: FilePath, to target: FilePath, sharing previous: FilePath? = nil, progress: (Int64) throws -> Void
    ) throws {
        let from = try OwnedDescriptor(source, .readOnly, options: [.directory, .noFollow])
        let here = FileDescriptor.currentDirectory
        try here.makeDirectory(at: target, permissions: .directoryPrivate)
        let to = try OwnedDescriptor(target, .readOnly, options: .directory)
        let old = previous.flatMap { Self.folder($0, in: here) }
        var copy = TreeCopy()
        try copy.contents(of: from.borrowed, to.borrowed, old?.descriptor.borrowed, name: source, depth: 0, progress)
    }

    private mutating func contents(
        of from: FileDescriptor, _ to: FileDescriptor, _ old: FileDescriptor?, name: FilePath, depth: Int,
        _ progress: (Int64) throws -> Void
    ) throws {
        guard depth < Self.depthLimit else {
            throw DeviceError(.badBundle, "\(name) nests folders deeper than \(Self.depthLimit) levels.")
        }
        for entry in try from.entries() {
            let path = FilePath(entry.name)
            switch entry.kind {
            case .regular: try file(path, from, to, old, progress)
            case .symbolicLink: try to.makeSymbolicLink(to: try from.readLink(at: path), at: path)
            case .directory:
                try to.makeDirectory(at: path, permissions: .directoryPrivate)
                let inner = OwnedDescriptor(try from.open(at: path, .readOnly, options: [.directory, .noFollow]))
                let copy = OwnedDescriptor(try to.open(at: path, .readOnly, options: [.directory, .noFollow]))
                let innerOld = old.flatMap { Self.folder(path, in: $0) }
                try contents(
                    of: inner.borrowed, copy.borrowed, innerOld?.descriptor.borrowed, name: name.appending(entry.name),
                    depth: depth + 1, progress)
            case .other:
                throw DeviceError(
                    .badBundle, "\(name.appending(entry.name)) is no file, folder or link. Take it out of the bundle.")
            }
        }
        try to.setPermissions(try from.status().permissions.union(.ownerReadWriteExecute))
    }

    /// A folder of the copy before; nil when there is none.
    private static func folder(_ path: FilePath, in parent: FileDescriptor) -> OwnedDescriptorBox? {
        guard let folder = try? parent.open(at: path, .readOnly, options: [.directory, .noFollow]) else { return nil }
        return OwnedDescriptorBox(OwnedDescriptor(folder))
    }

    private mutating func file(
        _ path: FilePath, _ from: FileDescriptor, _ to: FileDescriptor, _ old: FileDescriptor?,
        _ progress: (Int64) throws -> Void
    ) throws {
        let source = OwnedDescriptor(try from.open(at: path, .readOnly, options: .noFollow))
        let status = try source.borrowed.status()
        if let old, try share(path, source.borrowed, status, old, to) {
            done += status.size
            try progress(done)
            return
        }
        try source.borrowed.seek(offset: 0, from: .start)
        let target = OwnedDescriptor(
            try to.open(
                at: path, .writeOnly, options: [.create, .exclusiveCreate, .noFollow], permissions: .filePrivate))
        let piece = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Self.pieceSize))
        while true {
            let read = try source.borrowed.read(into: piece)
            if read == 0 { break }
            try target.borrowed.writeFully(UnsafeRawBufferPointer(rebasing: piece[..<read]))
            done += Int64(read)
            try progress(done)
        }
        try target.borrowed.setPermissions(status.permissions)
        try target.close()
    }

    /// Gives the file of the copy before another name, if it is the same.
    private func share(
        _ path: FilePath, _ source: FileDescriptor, _ status: FileStatus, _ old: FileDescriptor, _ to: FileDescriptor
    ) throws -> Bool {
        guard let file = try? old.open(at: path, .readOnly, options: .noFollow) else { return false }
        let same = OwnedDescriptor(file)
        let found = try same.borrowed.status()
        guard found.kind == .regular, found.size == status.size, found.permissions == status.permissions,
            (try? isSame(source, same.borrowed)) == true
        else { return false }
        do {
            try old.link(from: path, to: path, in: to)
            return true
        } catch is Errno {
            // As many names as a file may have, or a file system that knows no second ones.
            return false
        }
    }

    private func isSame(_ first: FileDescriptor, _ second: FileDescriptor) throws -> Bool {
        let one = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Self.pieceSize))
        let other = UnsafeMutableRawBufferPointer(rebasing: buffer.dropFirst(Self.pieceSize))
        while true {
            let count = try first.readFully(into: one)
            guard try second.readFully(into: other) == count else { return false }
            guard count > 0, let left = one.baseAddress, let right = other.baseAddress else { return true }
            guard memcmp(left, right, count) == 0 else { return false }
        }
    }
}
