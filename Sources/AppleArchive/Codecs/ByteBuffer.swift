// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Glibc

/// Memory outside the Swift heap, kept and used again from block to block. Fresh memory is not touched before bytes
/// are put in, so a large capacity costs address space only.
final class ByteBuffer {
    private(set) var base: UnsafeMutableRawPointer
    private(set) var capacity: Int
    var count = 0

    init(capacity: Int = 0) {
        self.capacity = max(capacity, 1)
        base = .allocate(byteCount: self.capacity, alignment: 16)
    }

    deinit { base.deallocate() }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }
    /// The room behind the content.
    var spare: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(start: base + count, count: capacity - count)
    }

    /// Empties the buffer and makes room for at least `capacity` bytes.
    func reset(capacity wanted: Int) {
        count = 0
        guard wanted > capacity else { return }
        base.deallocate()
        base = .allocate(byteCount: wanted, alignment: 16)
        capacity = wanted
    }

    /// Makes room for `extra` more bytes and keeps the content.
    func reserve(extra: Int) {
        guard extra > capacity - count else { return }
        let wanted = max(capacity * 2, count + extra)
        let fresh = UnsafeMutableRawPointer.allocate(byteCount: wanted, alignment: 16)
        memcpy(fresh, base, count)
        base.deallocate()
        base = fresh
        capacity = wanted
    }

    func append(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress, bytes.count > 0 else { return }
        reserve(extra: bytes.count)
        memcpy(base + count, start, bytes.count)
        count += bytes.count
    }

    /// Drops the first `amount` bytes.
    func removeFirst(_ amount: Int) {
        let dropped = min(amount, count)
        memmove(base, base + dropped, count - dropped)
        count -= dropped
    }
}
