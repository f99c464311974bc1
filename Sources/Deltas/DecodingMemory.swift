// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// What one thread needs to decode pieces, kept from one to the next: memory that is new costs more than what is done with it.
final class DecodingMemory {
    let lines = BaseLines()
    private var streams = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    deinit { streams.deallocate() }

    /// Memory for a piece's streams; what was there is void.
    func streams(_ size: Int) -> UnsafeMutableRawBufferPointer {
        if streams.count < size {
            streams.deallocate()
            streams = .allocate(byteCount: size, alignment: 16)
        }
        return UnsafeMutableRawBufferPointer(rebasing: streams[..<size])
    }
}
