// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// The old bytes, and a table of where some of their eights stand. Any number of threads may look up at once.
// Safe: parts of the table are filled by one thread each, and all of it is only read from then on; the bytes never change.
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
    /// While the table is filled, pages of the base are let go after so many bytes.
    private static let bytesUntilRelease = 16 << 20
    private static let placeMask: UInt32 = 1 << placeBits - 1
    /// How many places are put in the table at a time.
    private static let batchSize = 256

    package let bytes: UnsafeRawBufferPointer
    /// Every how many bytes there is a place.
    let step: Int
    /// In how many parts the table is filled.
    package let parts: Int
    private let rows: Int
    private let rowShift: UInt64
    private let memory: ZeroedMemory
    private let table: UnsafeMutablePointer<UInt32>
    /// Called when the pages that were read may go.
    private let release: @Sendable () -> Void

    /// A base whose table is filled.
    /// - Parameters:
    ///   - bytes: must outlive the base.
    ///   - release: called now and then; lets the system take back what pages of the bytes it holds.
    package convenience init(_ bytes: UnsafeRawBufferPointer, release: @escaping @Sendable () -> Void = {}) {
        self.init(unfilled: bytes, parts: 1, release: release)
        fill(part: 0)
    }

    /// A base whose table has to be filled, each of its parts once by any thread, before it is used.
    package init(unfilled bytes: UnsafeRawBufferPointer, parts: Int, release: @escaping @Sendable () -> Void) {
        self.bytes = bytes
        self.release = release
        self.parts = max(1, parts)
        var step = 1
        while bytes.count / step > Int(Self.placeMask) - 1 || bytes.count / step > Self.mostRows * 6 { step *= 2 }
        self.step = step
        rows = Self.rows(for: bytes.count)
        rowShift = 64 - UInt64(rows.trailingZeroBitCount)
        memory = ZeroedMemory(size: rows * Self.rowSize * MemoryLayout<UInt32>.size)
        table = memory.start.assumingMemoryBound(to: UInt32.self)
    }

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

    /// Fills the rows of one part: reads all of the base, and writes only there.
    package func fill(part: Int) {
        guard let base = bytes.baseAddress else { return }
        let lower = UInt64(rows * part / parts)
        let count = UInt64(rows * (part + 1) / parts) - lower
        withUnsafeTemporaryAllocation(of: (row: UInt32, entry: UInt32).self, capacity: Self.batchSize) { batch in
            var filled = 0
            var last: UInt64 = 0
            var place: UInt32 = 0
            var sinceRelease = 0
            for position in stride(from: 0, through: bytes.count - Self.unit, by: step) {
                place &+= 1
                sinceRelease &+= step
                if sinceRelease >= Self.bytesUntilRelease {
                    releasePages()
                    sinceRelease = 0
                }
                let value = base.loadUnaligned(fromByteOffset: position, as: UInt64.self)
                // Of a long run of the same the first place is as good as any.
                guard value != last || place == 1 else { continue }
                last = value
                let hash = Self.hash(value)
                let row = hash >> rowShift
                batch[filled] = (UInt32(truncatingIfNeeded: row), place | Self.tag(hash))
                // Without a branch: which part a row is of cannot be foretold.
                filled &+= row &- lower < count ? 1 : 0
                if filled == Self.batchSize {
                    insert(batch[...])
                    filled = 0
                }
            }
            insert(batch[..<filled])
        }
        releasePages()
    }

    private func insert(_ batch: Slice<UnsafeMutableBufferPointer<(row: UInt32, entry: UInt32)>>) {
        for (number, entry) in batch {
            let row = table + Int(number) &* Self.rowSize
            row[3] = row[2]
            row[2] = row[1]
            row[1] = row[0]
            row[0] = entry
        }
    }

    /// Lets go of what was read of a large base.
    func releasePages() {
        if bytes.count > Self.heldBytes { release() }
    }

    /// Calls `body` with places where the eight bytes likely stand.
    @inline(__always)
    func forEachPlace(of value: UInt64, _ body: (Int) -> Void) {
        let hash = Self.hash(value)
        let row = table + Int(truncatingIfNeeded: hash >> rowShift) &* Self.rowSize
        let tag = Self.tag(hash)
        for index in 0..<Self.rowSize {
            let entry = row[index]
            guard entry != 0 else { return }
            guard entry & ~Self.placeMask == tag else { continue }
            body(Int(entry & Self.placeMask &- 1) &* step)
        }
    }
}
