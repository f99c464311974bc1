// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import Kit
import PackNamespace
import System

/// `<version>.contents`: the digests of a local pack's files, and of the archive they came in, beside its folder.
/// `docs/formats/contents.md` has the format.
///
/// It is believed only whole: a checksum stands at its end. A pack without one works all the same; its files are read when
/// somebody wants to know what they hold.
struct ContentList {
    static let suffix = ".contents"
    private static let magic = Array("LRDRCONT".utf8)
    private static let version: UInt32 = 2
    private static let headSize = 48
    /// Lists of the version before do not say which archive the files are of.
    private static let firstHeadSize = 16
    /// No list is as long: 8 million files with long paths.
    private static let limit: Int64 = 2 << 30

    private let mapping: MappedFile
    private let headSize: Int
    /// The tree digest of the archive that holds the version; nil when nobody knows it.
    let archive: Digest?

    /// Where the list of a version stands.
    /// - Parameter directory: the version's folder.
    static func path(of directory: FilePath) -> FilePath { FilePath(directory.string + suffix) }

    /// The name of the version that a name in a pack's folder belongs to: its own, or that of its list.
    static func version(of name: String) -> String {
        name.hasSuffix(suffix) ? String(name.dropLast(suffix.utf8.count)) : name
    }

    /// Writes a list. It is not flushed.
    /// - Parameters:
    ///   - records: whole records, one behind the other.
    ///   - archive: the tree digest of the archive that holds the version; nil when nobody knows it.
    /// - Throws: `Errno`
    static func write(_ records: UnsafeRawBufferPointer, of archive: Digest?, to path: FilePath) throws {
        var head = magic
        withUnsafeBytes(of: version.littleEndian) { head.append(contentsOf: $0) }
        head += [0, 0, 0, 0]
        head += archive?.bytes ?? [UInt8](repeating: 0, count: Digest.byteCount)
        var hash = SHA256()
        hash.update(head)
        hash.update(records)
        let file = try OwnedDescriptor(
            path, .writeOnly, options: [.create, .truncate, .noFollow], permissions: .fileDefault)
        try file.borrowed.writeAll(head)
        try file.borrowed.writeFully(records)
        try file.borrowed.writeAll(hash.finish().bytes)
        try file.close()
    }

    /// nil when there is none, or it is damaged or of another format.
    init?(_ path: FilePath) {
        guard let file = try? OwnedDescriptor(path, .readOnly, options: .noFollow),
            let status = try? file.borrowed.status(), status.kind == .regular, status.size <= Self.limit,
            let mapping = try? MappedFile(file.borrowed)
        else { return nil }
        let bytes = mapping.bytes
        guard let head = Self.head(bytes), bytes.count >= head.size + Digest.byteCount else { return nil }
        var hash = SHA256()
        hash.update(UnsafeRawBufferPointer(rebasing: bytes.dropLast(Digest.byteCount)))
        guard bytes.suffix(Digest.byteCount).elementsEqual(hash.finish().bytes) else { return nil }
        (self.mapping, headSize, archive) = (mapping, head.size, head.archive)
    }

    /// The archive that a list says its version is of, without looking whether the list is whole.
    static func archive(_ path: FilePath) -> Digest? {
        guard let file = try? OwnedDescriptor(path, .readOnly, options: .noFollow),
            let status = try? file.borrowed.status(), status.kind == .regular
        else { return nil }
        return withUnsafeTemporaryAllocation(byteCount: headSize, alignment: 8) { buffer in
            guard let count = try? file.borrowed.readFully(into: buffer) else { return nil }
            return head(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]))?.archive
        }
    }

    private static func head(_ bytes: UnsafeRawBufferPointer) -> (size: Int, archive: Digest?)? {
        guard bytes.count >= firstHeadSize, bytes.prefix(8).elementsEqual(magic) else { return nil }
        switch UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self)) {
        case 1: return (firstHeadSize, nil)
        case version where bytes.count >= headSize:
            let archive = Array(bytes[firstHeadSize..<headSize])
            return (headSize, archive.allSatisfy { $0 == 0 } ? nil : Digest(bytes: archive))
        default: return nil
        }
    }

    /// Calls `body` with every file's record, in the order of the archive.
    func forEach(_ body: (FileRecordView) throws -> Void) rethrows {
        try withExtendedLifetime(mapping) {
            let records = UnsafeRawBufferPointer(
                rebasing: mapping.bytes[headSize..<mapping.bytes.count - Digest.byteCount])
            var offset = 0
            while let record = FileRecordView(records, at: &offset) { try body(record) }
        }
    }
}
