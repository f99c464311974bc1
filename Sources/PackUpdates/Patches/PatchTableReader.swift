// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Crypto
import Kit

/// Takes the beginning of a patch's file in pieces of any size, until its table is there.
package struct PatchTableReader {
    /// Head and table as they stand in the file, as far as they have come.
    package private(set) var bytes: [UInt8] = []
    /// nil until all of it is there.
    package private(set) var table: PatchTable?
    private var tableSize: Int?
    private let index: PackIndex
    private let indexDigest: Digest
    private let baseDigest: Digest
    private let old: PackListBase?
    private let size: Int64?

    /// - Parameters:
    ///   - index: of the version that the patch leads to.
    ///   - indexDigest: SHA-256 of that index's file.
    ///   - base: tree digest of the archive that the patch starts from.
    ///   - old: the files of the version that it starts from; nil when they are not known.
    ///   - size: of the whole file, in bytes, where a manifest says it.
    package init(index: PackIndex, indexDigest: Digest, base: Digest, old: PackListBase?, size: Int64? = nil) {
        self.size = size
        self.index = index
        self.indexDigest = indexDigest
        baseDigest = base
        self.old = old
    }

    /// Takes what belongs to head and table.
    /// - Returns: how many bytes that is.
    /// - Throws: `PackUpdateError`: `.damagedPatch`, `.unknownVersion`, `.mismatch` for a patch between other versions.
    package mutating func take(_ new: UnsafeRawBufferPointer) throws -> Int {
        var taken = 0
        while table == nil, taken < new.count {
            let size = PatchTable.headSize + (tableSize ?? 0)
            let count = min(new.count - taken, size - bytes.count)
            bytes.append(contentsOf: new[taken..<taken + count])
            taken += count
            guard bytes.count == size else { break }
            if tableSize == nil {
                let size = try PatchTable.size(head: bytes)
                let versions = try PatchTable.versions(head: bytes)
                guard versions.index == VersionMark(indexDigest) else {
                    throw PackUpdateError(.mismatch, "The patch leads to another version than the index describes.")
                }
                guard versions.base == baseDigest else {
                    throw PackUpdateError(.mismatch, "The patch starts from another version than the one that is here.")
                }
                guard size > 0 else { throw PatchTable.damaged("it has no table") }
                tableSize = size
            } else {
                table = try readTable()
            }
        }
        return taken
    }

    private func readTable() throws -> PatchTable {
        let table = try PatchTable(
            head: Array(bytes.prefix(PatchTable.headSize)), table: Array(bytes.dropFirst(PatchTable.headSize)),
            index: index, old: old)
        let end = Int64(bytes.count) + table.deltaSize
        guard size == nil || size == end else {
            throw PatchTable.damaged("it says that it has \(end) bytes, and the manifest \(size ?? 0)")
        }
        return table
    }

    /// Where the delta of each group is in the patch's file; nothing until the table is there.
    package var deltaRanges: [Range<Int64>] {
        table?.deltaRanges(tableSize: bytes.count - PatchTable.headSize) ?? []
    }
}
