// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Glibc
import Kit
import System

/// The local version of a pack, from which files that did not change are linked (G4).
final class PreviousVersion {
    let directory: OwnedDescriptor
    private(set) var file: FileDescriptor?
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 4096)

    /// - Throws: `Errno`
    init(_ path: FilePath) throws {
        directory = try OwnedDescriptor(path, .readOnly, options: .directory)
    }

    deinit {
        closeFile()
        buffer.deallocate()
    }

    func closeFile() {
        _ = try? file?.close()
        file = nil
    }

    /// Opens the file at a path to compare with; false when there is none of that size, or it is empty.
    func open(_ path: String, size: UInt64) throws -> Bool {
        closeFile()
        guard size > 0 else { return false }
        guard let opened = try? directory.borrowed.open(at: FilePath(path), .readOnly, options: .noFollow) else {
            return false
        }
        file = opened
        let status = try opened.status()
        guard status.kind == .regular, status.size == Int64(clamping: size) else {
            closeFile()
            return false
        }
        opened.expectSequentialReads()
        return true
    }

    /// Whether the open file has these bytes at an offset.
    func matches(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws -> Bool {
        guard let file else { return false }
        var compared = 0
        while compared < bytes.count {
            let wanted = min(buffer.count, bytes.count - compared)
            let count = try file.read(
                fromAbsoluteOffset: Int64(clamping: offset) + Int64(compared),
                into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]))
            guard count > 0, let left = buffer.baseAddress, let right = bytes.baseAddress,
                memcmp(left, right + compared, count) == 0
            else { return false }
            compared += count
        }
        return true
    }

    /// Copies the open file's first bytes.
    func copy(_ length: UInt64, to target: FileDescriptor) throws {
        try forEachPiece(length) { try target.writeFully($0) }
    }

    /// Calls `body` with the open file's first bytes, piece by piece.
    func forEachPiece(_ length: UInt64, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        if let file { try FilePieces(file).forEach(length, body) }
    }
}
