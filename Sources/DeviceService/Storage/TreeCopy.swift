// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import System

/// Copies a folder with its files, folders, links and permissions. Blocks.
enum TreeCopy {
    /// How deep folders may lie in each other.
    static let depthLimit = 128

    /// - Parameters:
    ///   - target: must not exist.
    ///   - progress: told the bytes copied so far, at least once per MiB.
    /// - Throws: `Errno`; `DeviceError` for sockets, pipes and devices; what `progress` throws.
    static func copy(from source: FilePath, to target: FilePath, progress: (Int64) throws -> Void) throws {
        let from = try OwnedDescriptor(source, .readOnly, options: [.directory, .noFollow])
        let here = FileDescriptor.currentDirectory
        try here.makeDirectory(at: target, permissions: .directoryPrivate)
        let to = try OwnedDescriptor(target, .readOnly, options: .directory)
        var copied: Int64 = 0
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 4096)
        defer { buffer.deallocate() }
        try contents(of: from.borrowed, to.borrowed, name: source, depth: 0, buffer) { count in
            copied += count
            try progress(copied)
        }
    }

    private static func contents(
        of from: FileDescriptor, _ to: FileDescriptor, name: FilePath, depth: Int,
        _ buffer: UnsafeMutableRawBufferPointer,
        _ count: (Int64) throws -> Void
    ) throws {
        guard depth < depthLimit else {
            throw DeviceError(.badBundle, "\(name) nests folders deeper than \(depthLimit) levels.")
        }
        for entry in try from.entries() {
            let path = FilePath(entry.name)
            switch entry.kind {
            case .regular: try file(path, from, to, buffer, count)
            case .symbolicLink: try to.makeSymbolicLink(to: try from.readLink(at: path), at: path)
            case .directory:
                try to.makeDirectory(at: path, permissions: .directoryPrivate)
                let inner = OwnedDescriptor(try from.open(at: path, .readOnly, options: [.directory, .noFollow]))
                let copy = OwnedDescriptor(try to.open(at: path, .readOnly, options: [.directory, .noFollow]))
                try contents(
                    of: inner.borrowed, copy.borrowed, name: name.appending(entry.name), depth: depth + 1, buffer, count
                )
            case .other:
                throw DeviceError(
                    .badBundle, "\(name.appending(entry.name)) is no file, folder or link. Take it out of the bundle.")
            }
        }
        try to.setPermissions(try from.status().permissions.union(.ownerReadWriteExecute))
    }

    private static func file(
        _ path: FilePath, _ from: FileDescriptor, _ to: FileDescriptor, _ buffer: UnsafeMutableRawBufferPointer,
        _ count: (Int64) throws -> Void
    ) throws {
        let source = OwnedDescriptor(try from.open(at: path, .readOnly, options: .noFollow))
        let target = OwnedDescriptor(
            try to.open(
                at: path, .writeOnly, options: [.create, .exclusiveCreate, .noFollow], permissions: .filePrivate))
        while true {
            let read = try source.borrowed.read(into: buffer)
            if read == 0 { break }
            try target.borrowed.writeFully(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<read]))
            try count(Int64(read))
        }
        try target.borrowed.setPermissions(try source.borrowed.status().permissions)
        try target.close()
    }
}
