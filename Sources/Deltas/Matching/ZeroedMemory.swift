// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Glibc

/// Memory of zeros, in large pages where the system has them: what is looked into all over is found faster in such.
final class ZeroedMemory {
    /// The size of large pages.
    private static let largePage = 2 << 20

    let start: UnsafeMutableRawPointer
    /// Of what the system gave; 0 for what came from the allocator.
    private let mappedSize: Int

    init(size: Int) {
        if size >= Self.largePage,
            let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            memory != MAP_FAILED
        {
            _ = madvise(memory, size, MADV_HUGEPAGE)
            (start, mappedSize) = (memory, size)
        } else {
            start = .allocate(byteCount: size, alignment: 64)
            start.initializeMemory(as: UInt8.self, repeating: 0, count: size)
            mappedSize = 0
        }
    }

    deinit { if mappedSize > 0 { munmap(start, mappedSize) } else { start.deallocate() } }
}
