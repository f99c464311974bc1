// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// A fixed stretch of memory between one writer and one reader. The two sides may copy at the same time: how many bytes
/// lie between them is kept by the owner, under its lock.
// Safe: the writer alone moves `writePosition`, the reader alone `readPosition`; the owner's count keeps them apart.
final class ByteRing: @unchecked Sendable {
    let capacity: Int
    private let memory: UnsafeMutableRawBufferPointer
    private var writePosition = 0
    private var readPosition = 0

    init(capacity: Int) {
        self.capacity = capacity
        memory = .allocate(byteCount: capacity, alignment: 64)
    }

    deinit { memory.deallocate() }

    /// Copies bytes in; the owner has seen to it that so many are free.
    func put(_ bytes: UnsafeRawBufferPointer) {
        let first = min(bytes.count, capacity - writePosition)
        UnsafeMutableRawBufferPointer(rebasing: memory[writePosition...]).copyMemory(
            from: UnsafeRawBufferPointer(rebasing: bytes[..<first]))
        memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[first...]))
        writePosition = (writePosition + bytes.count) % capacity
    }

    /// The oldest bytes as they lie, up to the end of the memory. The owner has seen to it that so many are there, and that they
    /// stay until `drop`.
    func oldest(atMost count: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: memory[readPosition..<min(readPosition + count, capacity)])
    }

    /// Lets go of the oldest bytes.
    func drop(_ count: Int) { readPosition = (readPosition + count) % capacity }

    /// Begins anew where the memory does. For the writer, when nothing lies here and nobody reads.
    func rewind() { (writePosition, readPosition) = (0, 0) }
}
