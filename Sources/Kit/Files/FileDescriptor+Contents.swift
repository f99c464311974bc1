// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import CLinux
internal import Glibc
package import System

extension FileDescriptor {
    /// Makes what was written durable: contents and size, and the other metadata too unless `dataOnly`.
    /// - Throws: `Errno`
    package func synchronize(dataOnly: Bool = true) throws {
        try systemCall { dataOnly ? fdatasync(rawValue) : fsync(rawValue) }
    }

    /// Makes everything durable that was written to the file system this file is on.
    /// - Throws: `Errno`
    package func synchronizeFileSystem() throws { try systemCall { clinux_syncfs(rawValue) } }

    /// Makes a range of this file of the blocks of a range of another, which takes no space. Both begin where a block of the file
    /// system does, and the range ends where one does or where the source does. This file grows to hold it.
    /// - Throws: `Errno`, where the file system cannot share blocks, or not between these files.
    package func share(_ length: Int64, of source: FileDescriptor, at offset: Int64, to target: Int64) throws {
        try systemCall { clinux_share_range(source.rawValue, offset, length, rawValue, target) }
    }

    /// Has the disk begin to write a range, so that less is left to do for who makes it durable. Nothing waits, and nothing is
    /// durable by it.
    package func beginWriting(offset: Int64, length: Int64) { _ = clinux_begin_writing(rawValue, offset, length) }

    /// Reserves space, so that later writes into the range cannot run out of it. The file grows to hold the range.
    /// - Throws: `Errno`; `notSupported` where the file system cannot.
    package func allocate(offset: Int64 = 0, length: Int64) throws {
        guard length > 0 else { return }
        try systemCall { clinux_fallocate(rawValue, offset, length) }
    }

    /// Fills `buffer` from the file's offset; fewer bytes only at the end of the file.
    /// - Throws: `Errno`
    package func readFully(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        var total = 0
        while total < buffer.count {
            let count = try read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[total...]))
            if count == 0 { break }
            total += count
        }
        return total
    }

    /// Everything from the file's offset to its end.
    /// - Throws: `Errno`; a `KitError` when there is more than `limit` bytes.
    package func readAll(limit: Int = 1 << 30) throws -> [UInt8] {
        var result: [UInt8] = []
        if let size = try? status().size, size > 0 { result.reserveCapacity(min(limit, Int(clamping: size)) + 1) }
        return try withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 16) { buffer in
            while true {
                let count = try read(into: buffer)
                if count == 0 { return result }
                guard result.count + count <= limit else {
                    throw KitError(.tooLarge, "The file holds more than \(limit) bytes.")
                }
                result.append(contentsOf: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]))
            }
        }
    }

    /// Writes all of `buffer` at the file's offset.
    /// - Throws: `Errno`
    package func writeFully(_ buffer: UnsafeRawBufferPointer) throws {
        var rest = buffer
        while !rest.isEmpty {
            let count = try write(rest)
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    /// Tells the kernel that a range will not be read again soon (whole file: both 0).
    package func dropCache(offset: Int64 = 0, length: Int64 = 0) {
        _ = posix_fadvise(rawValue, off_t(offset), off_t(length), CInt(POSIX_FADV_DONTNEED))
    }

    /// Tells the kernel that the file is read from start to end.
    package func expectSequentialReads() { _ = posix_fadvise(rawValue, 0, 0, CInt(POSIX_FADV_SEQUENTIAL)) }
}

/// Whole files by path.
package enum File {
    /// The contents of the file at `path`.
    /// - Throws: `Errno`; a `KitError` when it holds more than `limit` bytes.
    package static func read(_ path: FilePath, limit: Int = 1 << 30) throws -> [UInt8] {
        let file = try OwnedDescriptor(path, .readOnly)
        return try file.borrowed.readAll(limit: limit)
    }

    /// Copies a file inside the kernel, without sharing its inode.
    /// - Throws: `Errno`; `fileExists` when something is at `to`.
    package static func copy(from: FilePath, to: FilePath, permissions: FilePermissions? = nil) throws {
        let source = try OwnedDescriptor(from, .readOnly)
        let mode = try permissions ?? source.borrowed.status().permissions
        let target = try OwnedDescriptor(to, .writeOnly, options: [.create, .exclusiveCreate], permissions: mode)
        try copy(source.borrowed, target.borrowed)
    }

    private static func copy(_ source: FileDescriptor, _ target: FileDescriptor) throws {
        do {
            while try copyRange(source, target) > 0 {}
            return
        } catch {
            let refused: [Errno] = [.improperLink, .invalidArgument, .notSupported]
            guard let error = error as? Errno, refused.contains(error) else { throw error }
        }
        // Between file systems that refuse, through a buffer; both offsets stand where the kernel left them.
        try withUnsafeTemporaryAllocation(byteCount: 256 << 10, alignment: 16) { buffer in
            while true {
                let count = try source.read(into: buffer)
                if count == 0 { return }
                try target.writeFully(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]))
            }
        }
    }

    private static func copyRange(_ source: FileDescriptor, _ target: FileDescriptor) throws -> Int64 {
        try systemCall { clinux_copy_file_range(source.rawValue, nil, target.rawValue, nil, 1 << 30) }
    }
}
