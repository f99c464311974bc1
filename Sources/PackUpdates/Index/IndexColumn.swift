// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System

/// A column of an index that grows with the archive's bytes: values as they stand in the index's body, one behind the other.
/// With a folder to put it in, what is more than a few pages lies in a file without a name. Use it from one thread.
final class IndexColumn {
    /// Bytes that stay in memory when there is a folder.
    static let pageSize = 32 << 10

    /// A place between two values.
    struct Mark {
        fileprivate let size: Int64
        fileprivate let count: Int
    }

    /// How many values there are.
    private(set) var count = 0
    private let folder: FilePath?
    private var file: OwnedDescriptor?
    private var filed: Int64 = 0
    /// What stands behind that.
    private var tail: [UInt8] = []

    /// - Parameter folder: nil keeps all in memory.
    init(in folder: FilePath? = nil) { self.folder = folder }

    /// In bytes.
    var size: Int64 { filed + Int64(tail.count) }

    /// - Throws: `PackUpdateError.io`
    func append(number: some FixedWidthInteger) throws {
        tail.append(number: number)
        try close()
    }

    /// - Parameter value: appends one.
    /// - Throws: `PackUpdateError.io`
    func append(_ value: (inout [UInt8]) -> Void) throws {
        value(&tail)
        try close()
    }

    private func close() throws {
        count += 1
        guard tail.count >= Self.pageSize, let folder else { return }
        do {
            let file = try descriptor(in: folder)
            try tail.withUnsafeBytes { try file.writeFully($0, at: filed) }
        } catch {
            throw PackUpdateError(
                .io, "Could not write a temporary file in \"\(folder)\": \(error.clause). See that there is room.",
                cause: error)
        }
        filed += Int64(tail.count)
        tail.removeAll(keepingCapacity: true)
    }

    private func descriptor(in folder: FilePath) throws -> FileDescriptor {
        if let file = file?.borrowed { return file }
        let directory = try TemporaryDirectory(prefix: ".larder-index", in: folder)
        let made = try OwnedDescriptor(
            directory.path.appending("column"), .readWrite, options: [.create, .exclusiveCreate],
            permissions: .ownerReadWrite)
        let descriptor = made.borrowed
        file = consume made
        return descriptor
    }

    var mark: Mark { Mark(size: size, count: count) }

    /// Forgets what came behind a mark.
    func rollBack(to mark: Mark) {
        count = mark.count
        guard mark.size < filed else {
            tail.removeLast(Int(size - mark.size))
            return
        }
        // The next values are written over what is too much.
        filed = mark.size
        tail.removeAll(keepingCapacity: true)
    }

    /// Hands out all bytes in their order, in pieces that need not end between two values.
    /// - Throws: `PackUpdateError.io`, and what `body` throws.
    func forEachPiece(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        var done: Int64 = 0
        if filed > 0 {
            try withUnsafeTemporaryAllocation(byteCount: Self.pageSize, alignment: 16) { buffer in
                while done < filed {
                    let room = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Int(clamping: filed - done)))
                    let count = try read(into: room, at: done)
                    try body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(room)[..<count]))
                    done += Int64(count)
                }
            }
        }
        try tail.withUnsafeBytes { if !$0.isEmpty { try body($0) } }
    }

    private func read(into room: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int {
        do {
            guard let count = try file?.borrowed.read(fromAbsoluteOffset: offset, into: room), count > 0 else {
                throw Errno.ioError
            }
            return count
        } catch {
            throw PackUpdateError(.io, "A temporary file could not be read again: \(error.clause).", cause: error)
        }
    }

    /// All of it in memory.
    /// - Throws: `PackUpdateError.io`
    func bytes() throws -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(clamping: size))
        try forEachPiece { bytes += $0 }
        return bytes
    }
}
