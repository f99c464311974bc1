// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// The list of files in a staging folder: for each, size (8 bytes), length of the path (2), path. Little-endian.
///
/// Records are gathered in memory and appended at checkpoints; a checkpoint says how many bytes count.
struct StagingJournal {
    private static let headSize = 10

    /// What is not in the file yet.
    private(set) var pending: [UInt8] = []

    mutating func append(path: String, size: UInt64) {
        withUnsafeBytes(of: size.littleEndian) { pending.append(contentsOf: $0) }
        withUnsafeBytes(of: UInt16(clamping: path.utf8.count).littleEndian) { pending.append(contentsOf: $0) }
        pending.append(contentsOf: path.utf8.prefix(Int(UInt16.max)))
    }

    mutating func removeAll() { pending.removeAll(keepingCapacity: true) }

    /// - Throws: `StoreError` when the records do not fit the bytes, and what `body` throws.
    static func forEachFile(
        _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer, UInt64) throws -> Void
    ) throws {
        var offset = 0
        while offset < bytes.count {
            guard bytes.count - offset >= headSize else { throw damaged(offset) }
            let size = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            let length = Int(UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt16.self)))
            let start = offset + headSize
            guard bytes.count - start >= length else { throw damaged(offset) }
            try body(UnsafeRawBufferPointer(rebasing: bytes[start..<start + length]), size)
            offset = start + length
        }
    }

    private static func damaged(_ offset: Int) -> StoreError {
        StoreError(.system, "The list of staged files is damaged at byte \(offset); the download begins again.")
    }
}
