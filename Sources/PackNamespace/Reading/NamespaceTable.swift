// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Glibc
internal import Kit

/// The namespace file as it lies in memory: a view that allocates nothing and never reads outside its bytes.
///
/// The header and the bounds of every section are checked once, when the view is made; each number read from a section
/// is checked when it is used. A damaged file therefore gives wrong or missing answers at worst, and `isIntact` tells.
/// The view borrows the bytes: whoever made it keeps them mapped and unchanged.
package struct NamespaceTable: Sendable {
    private let file: BorrowedBytes
    @inline(__always)
    var bytes: UnsafeRawBufferPointer { file.buffer }
    package let generation: UInt64
    package let packCount: Int
    package let entryCount: Int
    package let collisionCount: Int
    let slotCount: Int
    let packs: Int
    let entries: Int
    let slots: Int
    let collisionsOffset: Int
    let strings: Int
    let stringsSize: Int

    /// - Throws: `NamespaceError` with code `damaged`, naming `source`.
    package init(_ bytes: UnsafeRawBufferPointer, source: String) throws {
        typealias Header = NamespaceFormat.Header
        func damaged(_ what: String) -> NamespaceError {
            NamespaceError(.damaged, "\(source): \(what). Run `larder doctor`, or install the app again.")
        }
        guard bytes.count >= NamespaceFormat.headerSize else { throw damaged("too short to be a namespace") }
        func word(_ offset: Int) -> UInt64 {
            UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        func half(_ offset: Int) -> UInt32 {
            UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        }
        guard word(Header.magic) == NamespaceFormat.magic else { throw damaged("not a namespace (wrong magic)") }
        guard half(Header.version) == NamespaceFormat.version else {
            throw damaged("namespace version \(half(Header.version)), this program reads version 1")
        }
        guard half(Header.headerSize) == NamespaceFormat.headerSize, word(Header.fileSize) == bytes.count else {
            throw damaged("namespace of \(bytes.count) bytes, its header says \(word(Header.fileSize))")
        }
        func section(_ field: Int, count: UInt64, stride: Int) throws -> Int {
            let start = word(field)
            let size = count.multipliedReportingOverflow(by: UInt64(stride))
            guard !size.overflow, start >= NamespaceFormat.headerSize, start <= bytes.count,
                start % 8 == 0 || stride == 1,
                size.partialValue <= UInt64(bytes.count) - start
            else { throw damaged("a section lies outside the namespace") }
            return Int(start)
        }
        let slotCount = half(Header.slotCount)
        guard slotCount > 0, slotCount & (slotCount - 1) == 0 else { throw damaged("the index is damaged") }
        file = BorrowedBytes(buffer: bytes)
        generation = word(Header.generation)
        packCount = Int(half(Header.packCount))
        entryCount = Int(half(Header.entryCount))
        collisionCount = Int(half(Header.collisionCount))
        self.slotCount = Int(slotCount)
        packs = try section(Header.packs, count: UInt64(packCount), stride: NamespaceFormat.packStride)
        entries = try section(Header.entries, count: UInt64(entryCount), stride: NamespaceFormat.entryStride)
        slots = try section(Header.slots, count: UInt64(slotCount), stride: NamespaceFormat.slotStride)
        collisionsOffset = try section(
            Header.collisions, count: UInt64(collisionCount), stride: NamespaceFormat.collisionStride)
        strings = try section(Header.strings, count: word(Header.stringsSize), stride: 1)
        stringsSize = Int(word(Header.stringsSize))
    }

    /// Whether the sum in the header fits the bytes. Reads the whole file: for the service's start and `larder doctor`.
    package var isIntact: Bool {
        NamespaceFormat.checksum(of: bytes) == word(NamespaceFormat.Header.checksum)
    }

    // MARK: - Checked loads. `offset` always lies inside a section whose bounds were checked.

    @inline(__always)
    func word(_ offset: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    @inline(__always)
    func half(_ offset: Int) -> UInt32 {
        UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    /// The bytes of a string with the NUL behind it still inside the section, or nil when the file is damaged.
    @inline(__always)
    func string(offset: UInt32, length: UInt32) -> UnsafeRawBufferPointer? {
        let start = Int(offset)
        let end = start + Int(length)
        guard end < stringsSize, bytes[strings + end] == 0 else { return nil }
        return UnsafeRawBufferPointer(rebasing: bytes[(strings + start)..<(strings + end)])
    }

    /// Bytewise order: negative, 0 or positive.
    @inline(__always)
    static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
        let common = min(left.count, right.count)
        if common > 0, let first = left.baseAddress, let second = right.baseAddress {
            let order = memcmp(first, second, common)
            if order != 0 { return Int(order) }
        }
        return left.count - right.count
    }
}
