// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import TestSupport
import Testing

@Suite("This process's memory")
struct MemoryTests {
    /// glibc notes in the size before a block that it has a mapping of its own, which goes when the block is freed.
    private static func hasOwnMapping(_ block: UnsafeMutableRawPointer) -> Bool {
        (block - MemoryLayout<UInt>.size).load(as: UInt.self) & 2 != 0
    }

    /// In a process of its own: what other tests freed would be taken first.
    @Test("Large blocks go back to the system when they are freed, also after larger ones were freed")
    func largeBlocks() async {
        await #expect(processExitsWith: .success) {
            Memory.keepSmall()
            for size in [16 << 20, 4 << 20, 1 << 20, 16 << 20] {
                let block = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
                #expect(MemoryTests.hasOwnMapping(block), "\(size) bytes")
                block.deallocate()
            }
        }
    }

    @Test("While blocks are used again they have no mapping of their own, and afterwards they have")
    func reuse() async {
        await #expect(processExitsWith: .success) {
            Memory.keepSmall()
            func hasOwnMapping(_ size: Int = 4 << 20) -> Bool {
                let block = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
                defer { block.deallocate() }
                return MemoryTests.hasOwnMapping(block)
            }
            var (first, second): (Memory.Reuse?, Memory.Reuse?) = (Memory.Reuse(), Memory.Reuse())
            #expect(!hasOwnMapping())
            first = nil
            #expect(!hasOwnMapping() && first == nil)
            second = nil
            // One that no heap has room for.
            #expect(hasOwnMapping(24 << 20) && second == nil)
        }
    }
}
