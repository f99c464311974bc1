// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// The old bytes, and a table of where some of their eights stand. Any number of threads may look up at once.
// Safe: the table is filled in `init` and only read from then on, and the bytes never change.
package final class DeltaBase: @unchecked Sendable {
    /// Eights of bytes are what is looked for.
    static let unit = 8
    /// Places that a row of the table holds, the latest first.
    static let rowSize = 4
    /// What the table takes at most is `rowSize` times four times this.
    private static let mostRows = 1 << 22
    /// A place takes 25 bits, so that 7 are left to tell wrong rows apart without a look at the base.
    private static let placeBits: UInt32 = 25
    /// A base up to that size may stay in memory.
    private static let heldBytes = 32 << 20
    private static let placeMask: UInt32 = 1 << placeBits - 1

    package let bytes: UnsafeRawBufferPointer
    /// Every how many bytes there is a place.
    let step: Int
    private let rowShift: UInt64
    private let table: UnsafeMutablePointer<UInt32>
    /// Called when the pages that were read may go.
    private let release: @Sendable () -> Void

    /// Bytes of memory that the table for so large a base takes.
    package static func tableSize(for size: Int) -> Int { rows(for: size) * rowSize * MemoryLayout<UInt32>.size }

    /// - Parameters:
    ///   - bytes: must outlive the base.
    ///   - release: called now and then; lets the system take back what pages of the bytes it holds.
    package init(_ bytes: UnsafeRawBufferPointer, release: @escaping @Sendable () -> Void = {}) {
        self.bytes = bytes
        self.release = release
        var step = 1
        while bytes.count / step > Int(Self.placeMask) - 1 || bytes.count / step > Self.mostRows * 6 { step *= 2 }
        self.step = step
        let rows = Self.rows(for: bytes.count)
        rowShift = 64 - UInt64(rows.trailingZeroBitCount)
        table = .allocate(capacity: rows * Self.rowSize)
        table.initialize(repeating: 0, count: rows * Self.rowSize)
        fill()
    }

    deinit { table.deallocate() }

    private static func rows(for size: Int) -> Int {
        var rows = 16
        while rows < mostRows, rows * 2 < size { rows *= 2 }
        return rows
    }

    @inline(__always)
    private static func hash(_ value: UInt64) -> UInt64 { value &* 0x9E37_79B9_7F4A_7C15 }

    /// Bits that the row's number is not made of.
    @inline(__always)
    private static func tag(_ hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash >> 20) << placeBits }

    @inline(__always)
    private func row(_ hash: UInt64) -> UnsafeMutablePointer<UInt32> {
        table + Int(truncatingIfNeeded: hash >> rowShift) &* Self.rowSize
    }

    private func fill() {
        guard let base = bytes.baseAddress else { return }
        var last: UInt64 = 0
        var place: UInt32 = 0
        var sinceRelease = 0
        for position in stride(from: 0, through: bytes.count - Self.unit, by: step) {
            place &+= 1
            sinceRelease &+= step
            if sinceRelease >= 16 << 20 {
                releasePages()
                sinceRelease = 0
            }
            let value = base.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            // Of a long run of the same the first place is as good as any.
            guard value != last || place == 1 else { continue }
            last = value
            let hash = Self.hash(value)
            let row = row(hash)
            row[3] = row[2]
            row[2] = row[1]
            row[1] = row[0]
            row[0] = place | Self.tag(hash)
        }
        releasePages()
    }

    /// Lets go of what was read of a large base.
    func releasePages() {
        if bytes.count > Self.heldBytes { release() }
    }

    /// Calls `body` with places where the eight bytes likely stand.
    @inline(__always)
    func forEachPlace(of value: UInt64, _ body: (Int) -> Void) {
        let hash = Self.hash(value)
        let row = row(hash)
        let tag = Self.tag(hash)
        for index in 0..<Self.rowSize {
            let entry = row[index]
            guard entry != 0 else { return }
            guard entry & ~Self.placeMask == tag else { continue }
            body(Int(entry & Self.placeMask &- 1) &* step)
        }
    }
}
