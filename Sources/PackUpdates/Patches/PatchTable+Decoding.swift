// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Crypto
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
        guard size <= Format.mostTableBytes else { throw damaged("its table claims \(size) bytes") }
        return size
    }

    /// What a head says the patch leads from and to.
    /// - Throws: `PackUpdateError.damagedPatch`
    static func versions(head: [UInt8]) throws -> (index: Digest, base: Digest) {
        guard head.count >= headSize, let index = Digest(bytes: Array(head[16..<48])),
            let base = Digest(bytes: Array(head[48..<80]))
        else { throw damaged("its head is cut off") }
        return (index, base)
    }

    /// Reads head and table, of which nothing is believed.
    /// - Parameter index: that to which the patch leads, as its head says.
    /// - Throws: `PackUpdateError.damagedPatch`
    package init(head: [UInt8], table: [UInt8], index: PackIndex) throws {
        (indexDigest, baseDigest) = try Self.versions(head: head)
        do {
            groups = try Self.groups(table, index)
        } catch let error as PackUpdateError where error.code != .damagedPatch {
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
            guard try versions(head: head) == (new.indexDigest, old.index.archive.digest) else {
                throw PackUpdateError(.mismatch, "This is the patch between two other versions.")
            }
            let table = try PatchTable(head: head, table: bytes, index: new.index)
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
            throw PackUpdateError(.io, "Could not read the patch \"\(path)\": \(error).", cause: error)
        }
    }

    private static func groups(_ table: [UInt8], _ index: PackIndex) throws -> [Group] {
        var reader = IndexReader(table[...])
        var seen = [Bool](repeating: false, count: index.contents.count)
        var deltas: Int64 = 0
        let count = try reader.count(upTo: index.contents.count, ofAtLeast: 4)
        let groups = try (0..<count).map { _ in
            var next = 0
            let targets = try (0..<reader.count(upTo: index.contents.count, ofAtLeast: 1)).map { _ in
                let target = next + Int(try reader.number(upTo: Int64(index.contents.count)))
                next = target + 1
                guard seen.indices.contains(target), !seen[target], index.contents[target].size > 0 else {
                    throw damaged("it gives a content twice, or one that is empty or not there")
                }
                seen[target] = true
                return target
            }
            let bases = try (0..<reader.count(upTo: Format.mostBases, ofAtLeast: ContentName.byteCount + 1)).map { _ in
                let name = ContentName(value: try reader.fixed(ContentName.byteCount))
                return Base(name: name, size: try reader.number(upTo: Format.mostBaseBytes))
            }
            let group = Group(targets: targets, bases: bases, deltaSize: try reader.size())
            guard !targets.isEmpty, group.baseSize <= Format.mostBaseBytes else {
                throw damaged("a group has no targets, or too large a base")
            }
            // Each is at most as large as all may be, so that no sum of two overflows.
            deltas += group.deltaSize
            guard deltas <= PackIndex.Limits.size else { throw damaged("its deltas have no possible size") }
            return group
        }
        guard reader.remaining == 0 else { throw damaged("something follows its table") }
        return groups
    }
}
