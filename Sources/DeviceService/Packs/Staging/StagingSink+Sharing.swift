// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import Kit
import System

/// What local files have already need not be written again where the file system lets files share blocks. What is shared is
/// read back all the same: only what the new file itself holds is believed.
extension StagingSink {
    /// Less than this is copied sooner than it is shared, and files do not come to pieces.
    private static let leastShared: UInt64 = 64 << 10

    /// Takes bytes of a local file as the next of the file that was begun.
    /// - Throws: `Errno`, `ioError` when the local file cannot be read or is shorter: then some of the bytes were taken, as
    ///   `state` says.
    func copy(_ length: UInt64, of source: FileDescriptor, from start: UInt64) throws {
        guard let output, let current = state.current else { return }
        // Both have to begin where a block does.
        let head = (blockSize - current.written % blockSize) % blockSize
        let isAligned = current.written % blockSize == start % blockSize
        guard isAligned, sharesBlocks != false, length >= head + Self.leastShared else {
            return try FilePieces(source).forEach(length, from: start) { try data($0) }
        }
        try FilePieces(source).forEach(head, from: start) { try data($0) }
        var body = length - head
        if start + length != UInt64(clamping: try source.status().size) { body -= body % blockSize }
        if try share(body, of: source, from: start + head, with: output, at: current.written + head) {
            try takeShared(body, of: output)
        } else {
            body = 0
        }
        let done = head + body
        try FilePieces(source).forEach(length - done, from: start + done) { try data($0) }
    }

    /// Puts a file's first bytes into a new one: as many as make whole blocks are shared, the others copied.
    /// - Returns: false when nothing could be shared; then nothing was done.
    func share(_ length: UInt64, of source: FileDescriptor?, with target: FileDescriptor) throws -> Bool {
        let body = length - length % blockSize
        guard let source, body >= Self.leastShared, try share(body, of: source, from: 0, with: target, at: 0) else {
            return false
        }
        try target.seek(offset: Int64(clamping: body), from: .start)
        try FilePieces(source).forEach(length - body, from: body) { try target.writeFully($0) }
        return true
    }

    private func share(
        _ length: UInt64, of source: FileDescriptor, from start: UInt64, with target: FileDescriptor, at offset: UInt64
    ) throws -> Bool {
        guard sharesBlocks != false else { return false }
        do {
            try target.share(
                Int64(clamping: length), of: source, at: Int64(clamping: start), to: Int64(clamping: offset))
            sharesBlocks = true
            return true
        } catch let error as Errno {
            guard !StoreError.isNoSpace(error), error != .ioError else { throw error }
            // Another file system may do what this one does not: only those of one kind are asked once.
            if error == .notSupported || error == .inappropriateIOCTLForDevice { sharesBlocks = false }
            return false
        }
    }

    /// Reads what was shared, and goes on behind it.
    private func takeShared(_ length: UInt64, of output: FileDescriptor) throws {
        guard var current = state.current else { return }
        if !current.isLong { try FilePieces(output).forEach(length, from: current.written) { digest.update($0) } }
        current.written += length
        state.current = current
        if current.isLong { digester.follow(digest, output, to: current.written) }
        flushing = current.written
        try output.seek(offset: Int64(clamping: current.written), from: .start)
    }
}
