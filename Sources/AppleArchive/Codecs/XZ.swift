// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// Whole pieces of data as `.xz` streams, for what stands beside archives.
package enum XZ {
    /// The stream, at preset 6 with a dictionary that is no larger than the data: setting up that of the preset takes longer
    /// than small data do. Nil when it would not be smaller than `bytes`.
    /// - Throws: `ArchiveError.inputOutput` when there is no memory for it.
    package static func compress(_ bytes: [UInt8]) throws -> [UInt8]? {
        guard bytes.count > 1 else { return nil }
        do {
            var isSmaller = false
            let result = try [UInt8](unsafeUninitializedCapacity: bytes.count - 1) { room, count in
                let size = try bytes.withUnsafeBytes {
                    try LZMACodec(forSize: bytes.count).compress($0, into: UnsafeMutableRawBufferPointer(room))
                }
                isSmaller = size != nil
                count = size ?? 0
            }
            return isSmaller ? result : nil
        } catch {
            throw ArchiveError(.inputOutput, "Data could not be compressed.", cause: error)
        }
    }

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
