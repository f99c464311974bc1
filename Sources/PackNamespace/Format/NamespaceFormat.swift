// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// The numbers of the namespace file, version 1. `docs/formats/namespace.md` has the layout in words.
///
/// All integers are little-endian, every section starts at a multiple of 8, and nothing in the file is a pointer: a
/// reader maps it as it is.
package enum NamespaceFormat {
    /// "LRDRNSPC", read as a little-endian integer.
    static let magic: UInt64 = 0x4350_534E_5244_524C
    static let version: UInt32 = 1

    static let headerSize = 128
    static let packStride = 96
    static let entryStride = 16
    static let slotStride = 8
    static let collisionStride = 8

    /// Longest path of a file inside a pack, in bytes; what Linux takes in one call.
    package static let maximumPathLength = 4095
    package static let maximumPackCount = 65_535
    /// Entry numbers and string offsets are 32 bits wide.
    package static let maximumEntryCount = Int(UInt32.max) - 1

    /// Byte offsets inside the header.
    enum Header {
        static let magic = 0
        static let version = 8
        static let headerSize = 12
        static let fileSize = 16
        static let generation = 24
        static let checksum = 32
        static let packCount = 40
        static let entryCount = 44
        static let slotCount = 48
        static let collisionCount = 52
        static let packs = 56
        static let entries = 64
        static let slots = 72
        static let collisions = 80
        static let strings = 88
        static let stringsSize = 96
    }

    /// Byte offsets inside one record of the pack table. A string is (offset, length), each 32 bits; length 0 is none.
    enum Pack {
        static let version = 0
        static let downloadSize = 8
        static let installedSize = 16
        static let allocatedSize = 24
        static let fileCount = 32
        static let identifier = 40
        static let directory = 48
        static let language = 56
        static let userInfo = 64
        static let policy = 72
    }

    /// Byte offsets inside one record of the entry table.
    enum Entry {
        static let size = 0
        static let pathOffset = 8
        static let pathLength = 12
        static let pack = 14
    }
}

extension NamespaceFormat {
    /// The hash of a path, for the index.
    ///
    /// Eight bytes at a time are folded in by a 64 × 64 → 128 bit multiplication; it need not withstand an attacker,
    /// because a publisher can slow down only its own app.
    @inline(__always)
    package static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var state = UInt64(truncatingIfNeeded: bytes.count) &* 0x9E37_79B9_7F4A_7C15 ^ 0xA076_1D64_78BD_642F
        var offset = 0
        while bytes.count - offset >= 8 {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            state = mix(state ^ word, 0xE703_7ED1_A0B4_28DB)
            offset += 8
        }
        var tail: UInt64 = 0
        var shift: UInt64 = 0
        while offset < bytes.count {
            tail |= UInt64(bytes[offset]) &<< shift
            shift &+= 8
            offset += 1
        }
        return mix(state ^ tail, 0x8EBC_6AF0_9C88_C6E3)
    }

    @inline(__always)
    private static func mix(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }

    /// The sum in the header: the hash of all that follows the header, seeded with the fields of the header itself.
    static func checksum(of file: UnsafeRawBufferPointer) -> UInt64 {
        guard file.count >= headerSize else { return 0 }
        let body = hash(UnsafeRawBufferPointer(rebasing: file[headerSize...]))
        let before = hash(UnsafeRawBufferPointer(rebasing: file[..<Header.checksum]))
        let after = hash(UnsafeRawBufferPointer(rebasing: file[(Header.checksum + 8)..<headerSize]))
        return mix(body ^ before, after | 1)
    }

    /// The smallest power of two that keeps the index at most half full.
    static func slotCount(forPaths count: Int) -> Int {
        var slots = 8
        while slots < count * 2 { slots *= 2 }
        return slots
    }
}
