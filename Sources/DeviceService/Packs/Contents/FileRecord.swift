// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import Kit

/// What is recorded of a file of a pack when it was written: its digest, and by what one sees whether it is still that file.
///
/// As bytes, little endian: size (8), inode (8), time of the last change in nanoseconds (8), SHA-256 (32), length of the path (2),
/// path below the pack's `Contents`.
struct FileRecord: Hashable, Sendable {
    static let headSize = 58

    var path: String
    var size: UInt64
    var stamp: FileStamp
    var digest: Digest

    func append(to bytes: inout [UInt8]) {
        withUnsafeBytes(of: size.littleEndian) { bytes.append(contentsOf: $0) }
        withUnsafeBytes(of: stamp.inode.littleEndian) { bytes.append(contentsOf: $0) }
        withUnsafeBytes(of: stamp.modified.littleEndian) { bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: digest.bytes)
        withUnsafeBytes(of: UInt16(clamping: path.utf8.count).littleEndian) { bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: path.utf8.prefix(Int(UInt16.max)))
    }
}

/// Tells a file from another under its name, and from itself after a change.
struct FileStamp: Hashable, Sendable {
    var inode: UInt64
    /// Nanoseconds since 1970.
    var modified: Int64

    init(inode: UInt64, modified: Int64) {
        self.inode = inode
        self.modified = modified
    }

    init(_ status: FileStatus) {
        inode = status.inode
        let time = status.modificationTime
        modified =
            time.seconds.multipliedReportingOverflow(by: 1_000_000_000).partialValue
            .addingReportingOverflow(Int64(time.nanoseconds)).partialValue
    }
}

/// A record as it lies in a list; its parts are valid while the list is.
struct FileRecordView {
    let size: UInt64
    let stamp: FileStamp
    /// 32 bytes.
    let digest: UnsafeRawBufferPointer
    let path: UnsafeRawBufferPointer

    var record: FileRecord? {
        Digest(bytes: Array(digest)).map {
            FileRecord(path: String(decoding: path, as: UTF8.self), size: size, stamp: stamp, digest: $0)
        }
    }

    /// The record at an offset, which then stands behind it; nil when there is no whole one.
    init?(_ bytes: UnsafeRawBufferPointer, at offset: inout Int) {
        guard offset >= 0, bytes.count - offset >= FileRecord.headSize else { return nil }
        func number<Number: FixedWidthInteger>(_ place: Int, _: Number.Type) -> Number {
            Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + place, as: Number.self))
        }
        let length = Int(number(56, UInt16.self))
        let start = offset + FileRecord.headSize
        guard bytes.count - start >= length else { return nil }
        size = number(0, UInt64.self)
        stamp = FileStamp(inode: number(8, UInt64.self), modified: number(16, Int64.self))
        digest = UnsafeRawBufferPointer(rebasing: bytes[offset + 24..<offset + 56])
        path = UnsafeRawBufferPointer(rebasing: bytes[start..<start + length])
        offset = start + length
    }
}
