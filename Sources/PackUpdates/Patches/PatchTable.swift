// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Crypto
import Kit

/// What a patch says before its deltas: what it leads from and to, and what each of its groups of contents is made of.
/// `docs/formats/pack-patch.md` is the file.
package struct PatchTable: Hashable, Sendable {
    /// SHA-256 of the file of the target's index.
    package let indexDigest: Digest
    /// Tree digest of the archive that the patch starts from.
    package let baseDigest: Digest
    package let groups: [Group]

    /// Contents of the target that are made together from contents of the base.
    package struct Group: Hashable, Sendable {
        /// Numbers in the target index's list of contents, ascending; the delta gives them in this order.
        package let targets: [Int]
        /// What the delta's base is made of, one after the other; may be nothing.
        package let bases: [Base]
        /// In bytes.
        package let deltaSize: Int64

        package var baseSize: Int64 { bases.reduce(0) { $0 + $1.size } }
    }

    /// A content of the old version, or one that an earlier group gives.
    package struct Base: Hashable, Sendable {
        package let name: ContentName
        package let size: Int64

        package init(name: ContentName, size: Int64) {
            self.name = name
            self.size = size
        }
    }

    /// How many bytes a patch's head has; the table follows it.
    package static let headSize = 80

    /// How many bytes head and table have at most.
    package static let maximumSize = headSize + Format.mostTableBytes

    enum Format {
        static let magic = Array("LRDRPTCH".utf8)
        static let version: UInt32 = 1
        static let mostTableBytes = 4 << 20
        /// As many files are open at a time when a group is applied.
        static let mostBases = 64
        /// The sum of the bases of a group, in bytes.
        static let mostBaseBytes: Int64 = 1 << 42
    }

    /// The sum of the deltas, in bytes.
    package var deltaSize: Int64 { groups.reduce(0) { $0 + $1.deltaSize } }

    /// Where the delta of each group is in the patch's file.
    /// - Parameter tableSize: how many bytes the table has.
    package func deltaRanges(tableSize: Int) -> [Range<Int64>] {
        var start = Int64(Self.headSize + tableSize)
        return groups.map { group in
            defer { start += group.deltaSize }
            return start..<start + group.deltaSize
        }
    }

    /// Head and table, behind which the deltas follow.
    func encoded() -> [UInt8] {
        var table: [UInt8] = []
        table.append(number: groups.count)
        for group in groups {
            table.append(number: group.targets.count)
            var next = 0
            for target in group.targets {
                table.append(number: target - next)
                next = target + 1
            }
            table.append(number: group.bases.count)
            for base in group.bases {
                table += base.name.bytes
                table.append(number: base.size)
            }
            table.append(number: group.deltaSize)
        }
        var file = Format.magic
        file.append(littleEndian: Format.version)
        file.append(littleEndian: UInt32(table.count))
        return file + indexDigest.bytes + baseDigest.bytes + table
    }

    static func damaged(_ what: String) -> PackUpdateError {
        PackUpdateError(.damagedPatch, "The patch is damaged: \(what). Fetch it or make it again.")
    }
}
