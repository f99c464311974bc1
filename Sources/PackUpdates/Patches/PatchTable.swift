// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Crypto
import Deltas
import Kit

/// What a patch says before its deltas: what it leads from and to, and what each of its groups of contents is made of.
/// `docs/formats/pack-patch.md` is the file.
package struct PatchTable: Hashable, Sendable {
    /// Of the SHA-256 of the file of the target's index.
    package let index: VersionMark
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
        package enum Source: Hashable, Sendable {
            case old(ContentName)
            /// By its number in the target's index.
            case new(Int)
        }

        package let source: Source
        package let size: Int64

        package init(_ source: Source, size: Int64) {
            self.source = source
            self.size = size
        }
    }

    /// How many bytes a patch's head has; the table follows it.
    package static let headSize = 8 + 4 + 4 + VersionMark.byteCount + Digest.byteCount

    /// How many bytes head and table have at most.
    package static let maximumSize = headSize + Format.mostTableBytes + 16

    enum Format {
        static let magic = Array("LRDRPTCH".utf8)
        static let version: UInt32 = 1
        /// Uncompressed.
        static let mostTableBytes = 4 << 20
        /// Of all groups: few bytes can stand for many.
        static let mostBasesInAll = 1 << 18
        /// As many files are open at a time when a group is applied.
        static let mostBases = 256
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
    /// - Parameter base: the old version's files, where devices know them; contents that are not among them are told by name.
    /// - Throws: `DeltaError.library` when libzstd is not there.
    func encoded(_ base: PackListBase? = nil) throws -> [UInt8] {
        let body = body(base)
        var table: [UInt8] = []
        table.append(number: body.count)
        table += try PrefixedStream.encode(body, prefix: [])
        var file = Format.magic
        file.append(littleEndian: Format.version)
        file.append(littleEndian: UInt32(table.count))
        return file + index.bytes + baseDigest.bytes + table
    }

    /// The table, uncompressed: a column for each thing, so that what the bases' numbers have in common with the targets' is said once.
    func body(_ base: PackListBase? = nil) -> [UInt8] {
        var names: [ContentName: Int] = [:]
        for (number, content) in (base?.contents ?? []).enumerated() { names[ContentName(content.digest)] = number }
        var body: [UInt8] = []
        body.append(number: groups.count)
        for group in groups { body.append(number: group.targets.count) }
        for group in groups { body.append(number: group.bases.count) }
        for group in groups { body.append(number: group.deltaSize) }
        for group in groups {
            var next = 0
            for target in group.targets {
                body.append(number: target - next)
                next = target + 1
            }
        }
        var values: [UInt8] = []
        for group in groups {
            var next = 0
            for base in group.bases {
                switch base.source {
                case .new(let content):
                    body.append(BaseKind.new.rawValue)
                    values.append(number: content)
                case .old(let name):
                    if let number = names[name] {
                        body.append(number >= next ? BaseKind.behind.rawValue : BaseKind.numbered.rawValue)
                        values.append(number: number >= next ? number - next : number)
                        next = number + 1
                    } else {
                        body.append(BaseKind.named.rawValue)
                        values += name.bytes
                        values.append(number: base.size)
                    }
                }
            }
        }
        return body + values
    }

    /// How a base is told.
    enum BaseKind: UInt8 {
        /// How many old contents lie between it and the one before in the group, for the first before it.
        case behind = 0
        /// Its number among the old contents.
        case numbered
        /// Its number in the target's index.
        case new
        /// Its name and its size.
        case named
    }

    static func damaged(_ what: String) -> PackUpdateError {
        PackUpdateError(.damagedPatch, "The patch is damaged: \(what). Fetch it again, or remove it and make it again.")
    }
}
