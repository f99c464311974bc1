// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Crypto
import Deltas
import Kit

/// The files of a version, told to who has those of an earlier one: what a patch between the two needs to be applied, in far fewer
/// bytes than the index. `docs/formats/pack-list.md` is the file.
package enum PackList {
    /// Lists and what they start from have at most so many bytes uncompressed: devices take some times that much memory.
    package static let maximumSize = 8 << 20
    /// A list is made where it has so many bytes less than the index at least.
    package static let leastSaving: Int64 = 256

    /// How many bytes a list's head has: magic, version, bytes of the list, and the marks of index, old archive and base.
    package static let headSize = 8 + 4 + 4 + 3 * VersionMark.byteCount

    enum Format {
        static let magic = Array("LRDRLIST".utf8)
        static let version: UInt32 = 1
    }

    static func damaged(_ reason: String) -> PackUpdateError {
        PackUpdateError(
            .damagedList, "The list of the pack is damaged: \(reason). Fetch it again, or remove it and make it again.")
    }

    // MARK: - Making

    /// The list for devices that have the old version; nil where the index is not clearly larger, or the old version has links:
    /// devices know files only.
    /// - Parameter leastSaving: so many bytes less than the index a list must have.
    /// - Throws: `DeltaError.library` when libzstd is not there.
    package static func make(
        from old: PackIndex, to new: PatchVersion, leastSaving: Int64 = leastSaving
    ) throws -> [UInt8]? {
        guard new.indexSize > leastSaving, let base = PackListBase(of: old) else { return nil }
        let body = ListedContents.encode(new.index, from: old, base: base) + entries(of: new.index)
        guard body.count <= maximumSize else { return nil }
        var file = Format.magic
        file.append(littleEndian: Format.version)
        file.append(littleEndian: UInt32(body.count))
        for digest in [new.indexDigest, old.archive.digest, base.digest] { file += VersionMark(digest).bytes }
        file += try PrefixedStream.encode(body, prefix: base.bytes)
        return Int64(file.count) + leastSaving <= new.indexSize ? file : nil
    }

    private static func entries(of index: PackIndex) -> [UInt8] {
        var body: [UInt8] = []
        body.append(number: index.entries.count)
        for entry in index.entries { body.append(entry.kind.number) }
        var previous: [UInt8] = []
        for entry in index.entries {
            let path = Array(entry.path.utf8)
            body.append(path: path, behind: previous)
            previous = path
        }
        var known = 0
        for entry in index.entries {
            guard case .file(let content, _, _) = entry.kind else { continue }
            body.append(number: known - content)
            known += content == known ? 1 : 0
        }
        for entry in index.entries {
            guard case .link(let target) = entry.kind else { continue }
            body.append(number: target.utf8.count)
            body += Array(target.utf8)
        }
        return body
    }

    // MARK: - Reading

    /// What a list says to lead from and to: the marks of the old archive and of the new one's index. nil for what is no list.
    static func ends(of file: [UInt8]) -> (base: VersionMark, index: VersionMark)? {
        guard let head = try? Head(file[...]) else { return nil }
        return (head.archive, head.index)
    }

    /// Reads a list from a server, of which nothing is believed.
    /// - Parameters:
    ///   - index: SHA-256 of the index's file that it stands in for.
    ///   - base: what the version is that it starts from.
    ///   - size: of the new archive, in bytes.
    ///   - digest: the new archive's tree digest.
    /// - Returns: an index that knows contents and entries only, those in the order of the one it stands in for.
    /// - Throws: `PackUpdateError.damagedList`, `.unknownVersion`, `.mismatch`; `.notIndexable` when it would take too much
    ///   memory.
    package static func read(
        _ file: [UInt8], forIndex index: Digest, base: PackListBase, archiveSize size: Int64, digest: Digest
    ) throws -> PackIndex {
        let head = try Head(file[...])
        guard head.index == VersionMark(index) else {
            throw PackUpdateError(.mismatch, "The list of the pack is that of another version.")
        }
        guard head.base == VersionMark(base.digest) else {
            throw PackUpdateError(
                .mismatch, "The list of the pack starts from other files than those of the version that is here.")
        }
        do {
            let body = try PrefixedStream.decode(file[headSize...], prefix: base.bytes, size: head.size)
            return try self.index(body, base: base, archiveSize: size, digest: digest)
        } catch let error as PackUpdateError where error.code == .damagedIndex {
            throw PackUpdateError(
                .damagedList, damaged("what it lists does not fit together").message, cause: error)
        } catch let error as DeltaError {
            throw PackUpdateError(.damagedList, damaged("it cannot be decompressed").message, cause: error)
        }
    }

    private static func index(
        _ body: [UInt8], base: PackListBase, archiveSize size: Int64, digest: Digest
    ) throws -> PackIndex {
        var reader = IndexReader(body[...])
        var memory = IndexMemory()
        let listed = try ListedContents(&reader, &memory, base: base)
        let entries = try entries(&reader, listed.sizes, &memory)
        guard reader.remaining == 0 else { throw PackIndex.damaged("something follows its end") }
        let contents = try contents(listed.sizes, listed.digests, of: entries)
        return try PackIndex(
            listed: contents, entries: entries, unnamed: listed.unnamed(entries), inArchiveOf: size, digest: digest)
    }

    private struct Head {
        /// Bytes of the list, uncompressed.
        let size: Int
        let index: VersionMark
        let archive: VersionMark
        let base: VersionMark

        init(_ file: ArraySlice<UInt8>) throws {
            guard file.count >= PackList.headSize, file.starts(with: Format.magic) else {
                throw PackUpdateError(.damagedList, "This is no list of a pack: nothing at its start says so.")
            }
            var reader = IndexReader(file.dropFirst(Format.magic.count))
            let version = try reader.fixed(4)
            guard version == UInt64(Format.version) else {
                throw PackUpdateError(
                    .unknownVersion,
                    "The list has format version \(version), and only \(Format.version) is known; update Larder.")
            }
            size = Int(try reader.fixed(4))
            guard size <= PackList.maximumSize else { throw PackList.damaged("it claims \(size) bytes") }
            index = try VersionMark(&reader)
            archive = try VersionMark(&reader)
            base = try VersionMark(&reader)
        }
    }
}
