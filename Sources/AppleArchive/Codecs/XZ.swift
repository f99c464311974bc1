// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// Whole pieces of data from `.xz` streams, for what stands beside archives.
package enum XZ {
    /// The `size` bytes that a stream gives; the caller bounds them.
    /// - Throws: `ArchiveError.corrupt` when it is damaged or gives another number of bytes.
    package static func decompress(_ stream: UnsafeRawBufferPointer, size: Int) throws -> [UInt8] {
        do {
            return try [UInt8](unsafeUninitializedCapacity: size + 1) { room, count in
                try LZMACodec().decompress(
                    stream, into: UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(room)[...size]))
                count = size
            }
        } catch {
            throw ArchiveError(
                .corrupt, "Compressed data \((error as? CodecFailure)?.text ?? "is damaged").", cause: error)
        }
    }
}
