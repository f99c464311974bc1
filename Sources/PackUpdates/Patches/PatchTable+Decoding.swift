// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Crypto
import Deltas
import Kit
package import System

extension PatchTable {
    /// How many bytes of table follow a head.
    /// - Parameter head: `headSize` bytes.
    /// - Throws: `PackUpdateError.damagedPatch`, `.unknownVersion`
    package static func size(head: [UInt8]) throws -> Int {
        guard head.count == headSize, head.starts(with: Format.magic) else {
            throw PackUpdateError(.damagedPatch, "This is no patch of a pack: nothing at its start says so.")
        }
        let number = { (start: Int) in head[start..<start + 4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) } }
        let version = number(8)
        guard version == Format.version else {
            throw PackUpdateError(
                .unknownVersion,
                "The patch has format version \(version), and only \(Format.version) is known; update Larder.")
        }
        let size = Int(number(12))
        guard size <= maximumSize - headSize else { throw damaged("its table claims \(size) bytes") }
        return size
    }

    /// What a head says the patch leads from and to.
    /// - Throws: `PackUpdateError.damagedPatch`
    static func versions(head: [UInt8]) throws -> (index: VersionMark, base: Digest) {
        guard head.count >= headSize else { throw damaged("its head is cut off") }
        var reader = IndexReader(head[16...])
        return (try VersionMark(&reader), try reader.digest())
    }

    /// Reads head and table, of which nothing is believed.
    /// - Parameters:
    ///   - index: that to which the patch leads, as its head says.
    ///   - old: the files that it starts from, in whose order contents have their numbers; nil when they are not known.
    /// - Throws: `PackUpdateError.damagedPatch`
    package init(head: [UInt8], table: [UInt8], index: PackIndex, old: PackListBase?) throws {
        (self.index, baseDigest) = try Self.versions(head: head)
        do {
            groups = try Self.groups(Self.unpacked(table), index, old)
        } catch let error as PackUpdateError where error.code != .damagedPatch {
            throw PackUpdateError(.damagedPatch, Self.damaged("its table cannot be read").message, cause: error)
        } catch let error as DeltaError {
            throw PackUpdateError(.damagedPatch, Self.damaged("its table cannot be read").message, cause: error)
        }
    }

    /// What a plan has to know of a patch from one version to another, to a device that has all of the old one. Blocks.
    /// - Throws: `PackUpdateError` that names the file; `.mismatch` when it is the patch of other versions.
    package static func facts(
        _ path: FilePath, from old: PatchVersion, to new: PatchVersion
    ) throws -> UpdateFacts.Patch {
        do {
            let file = try OwnedDescriptor(path, .readOnly)
            let fileSize = try file.borrowed.status().size
            let head = try file.borrowed.readPrefix(headSize)
            let tableSize = try size(head: head)
            let bytes = try file.borrowed.readPrefix(tableSize)
            // The table's numbers mean something only with the index it was made for.
            guard try versions(head: head) == (VersionMark(new.indexDigest), old.index.archive.digest) else {
                throw PackUpdateError(.mismatch, "This is the patch between two other versions.")
            }
            let table = try PatchTable(
                head: head, table: bytes, index: new.index, old: PackListBase(of: old.index))
            let size = table.deltaSize + Int64(headSize + tableSize)
            guard bytes.count == tableSize, fileSize == size else { throw damaged("it is not as long as it says") }
            return UpdateFacts.Patch(
                size: size,
                groups: zip(table.groups, table.deltaRanges(tableSize: tableSize)).map {
                    .init(targets: $0.targets, isUsable: true, range: $1)
                })
        } catch Errno.noSuchFileOrDirectory {
            throw AssetPackError(.notFound, "There is no patch at \"\(path)\".")
        } catch let error as PackUpdateError {
            throw PackUpdateError(error.code, "\(path): \(error.message)", cause: error.cause)
        } catch let error as Errno {
            throw PackUpdateError(.io, "Could not read the patch \"\(path)\": \(error.clause).", cause: error)
        }
    }

    private static func unpacked(_ table: [UInt8]) throws -> [UInt8] {
        var reader = IndexReader(table[...])
        let size = Int(try reader.number(upTo: Int64(Format.mostTableBytes)))
        return try PrefixedStream.decode(reader.bytes(reader.remaining), prefix: [], size: size)
    }

    private static func groups(_ table: [UInt8], _ index: PackIndex, _ old: PackListBase?) throws -> [Group] {
        var reader = IndexReader(table[...])
        let contents = index.contents
        let count = try reader.count(upTo: contents.count, ofAtLeast: 4)
        let targetCounts = try (0..<count).map { _ in try reader.count(upTo: contents.count, ofAtLeast: 1) }
        let baseCounts = try (0..<count).map { _ in try reader.count(upTo: Format.mostBases, ofAtLeast: 2) }
        // No sum of so many numbers of that size overflows.
        guard targetCounts.reduce(0, +) <= contents.count, baseCounts.reduce(0, +) <= Format.mostBasesInAll else {
            throw damaged("its groups have more contents than there are")
        }
        var deltas: Int64 = 0
        let deltaSizes = try (0..<count).map { _ in
            let size = try reader.size()
            // Each is at most as large as all may be, so that no sum of two overflows.
            deltas += size
            guard deltas <= PackIndex.Limits.size else { throw damaged("its deltas have no possible size") }
            return size
        }
        /// Of each content the group that gives it.
        var givers = [Int?](repeating: nil, count: contents.count)
        let targets = try targetCounts.enumerated().map { group, count in
            guard count > 0 else { throw damaged("a group has no targets") }
            var next = 0
            return try (0..<count).map { _ in
                let target = next + Int(try reader.number(upTo: Int64(contents.count)))
                next = target + 1
                guard givers.indices.contains(target), givers[target] == nil, contents[target].size > 0 else {
                    throw damaged("it gives a content twice, or one that is empty or not there")
                }
                givers[target] = group
                return target
            }
        }
        let kinds = try (0..<baseCounts.reduce(0, +)).map { _ in
            guard let kind = BaseKind(rawValue: try reader.byte()) else { throw damaged("a base is of no known kind") }
            return kind
        }
        var rest = kinds[...]
        let groups = try baseCounts.enumerated().map { number, count in
            let bases = try Self.bases(rest.prefix(count), of: number, givers, &reader, index, old)
            rest = rest.dropFirst(count)
            let group = Group(targets: targets[number], bases: bases, deltaSize: deltaSizes[number])
            guard group.baseSize <= Format.mostBaseBytes else { throw damaged("a group has too large a base") }
            return group
        }
        guard reader.remaining == 0 else { throw damaged("something follows its table") }
        return groups
    }

    /// The bases of a group.
    private static func bases(
        _ kinds: ArraySlice<BaseKind>, of group: Int, _ givers: [Int?], _ reader: inout IndexReader, _ index: PackIndex,
        _ old: PackListBase?
    ) throws -> [Base] {
        var next = 0
        return try kinds.map { kind in
            switch kind {
            case .named:
                let name = ContentName(value: try reader.fixed(ContentName.byteCount))
                return Base(.old(name), size: try reader.number(upTo: Format.mostBaseBytes))
            case .new:
                let content = Int(try reader.number(upTo: Int64(givers.count)))
                guard givers.indices.contains(content), let giver = givers[content], giver < group else {
                    throw damaged("a group starts from what no group before it gives")
                }
                return Base(.new(content), size: index.contents[content].size)
            case .behind, .numbered:
                let number = Int(try reader.number(upTo: Int64(PackIndex.Limits.entries)))
                let content = kind == .behind ? next + number : number
                guard let old, old.contents.indices.contains(content) else {
                    throw PackUpdateError(
                        .damagedPatch, "The patch starts from other files than those of the version that is here.")
                }
                next = content + 1
                return Base(.old(ContentName(old.contents[content].digest)), size: old.contents[content].size)
            }
        }
    }
}
