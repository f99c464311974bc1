// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// One compressed block on its way through a worker.
final class BlockJob {
    let stored = ByteBuffer()
    let content = ByteBuffer()
    /// Bytes the block says it gives.
    var contentSize = 0
    /// Where the block's payload begins and ends in the archive.
    var start: UInt64 = 0
    var end: UInt64 = 0
    var failure: (any Error)?

    /// Whether the bytes are the content as they are.
    var isStored = false

    var result: UnsafeRawBufferPointer { isStored ? stored.bytes : content.bytes }

    /// Decompresses; called on a worker.
    func run(_ codec: any BlockCodec) {
        guard !isStored else { return }
        do {
            content.reset(capacity: contentSize + 1)
            let room = UnsafeMutableRawBufferPointer(start: content.base, count: contentSize + 1)
            try codec.decompress(stored.bytes, into: room)
            content.count = contentSize
        } catch {
            failure = error
        }
    }
}
