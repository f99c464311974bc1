// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import Kit
import PackNamespace
import System

/// `<version>.contents`: the digests of a local pack's files, beside its folder. `docs/formats/contents.md` has the format.
///
/// It is believed only whole: a checksum stands at its end. A pack without one works all the same; its files are read when
/// somebody wants to know what they hold.
struct ContentList {
    static let suffix = ".contents"
    private static let magic = Array("LRDRCONT".utf8)
    private static let version: UInt32 = 1
    private static let headSize = 16
    /// No list is as long: 8 million files with long paths.
    private static let limit: Int64 = 2 << 30

    private let mapping: MappedFile

    /// Where the list of a version stands.
    /// - Parameter directory: the version's folder.
    static func path(of directory: FilePath) -> FilePath { FilePath(directory.string + suffix) }

    /// The name of the version that a name in a pack's folder belongs to: its own, or that of its list.
    static func version(of name: String) -> String {
        name.hasSuffix(suffix) ? String(name.dropLast(suffix.utf8.count)) : name
    }

    /// Writes a list. It is not flushed.
    /// - Parameter records: whole records, one behind the other.
    /// - Throws: `Errno`
    static func write(_ records: UnsafeRawBufferPointer, to path: FilePath) throws {
        var head = magic
        withUnsafeBytes(of: version.littleEndian) { head.append(contentsOf: $0) }
        head += [0, 0, 0, 0]
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
        guard bytes.count >= Self.headSize + Digest.byteCount, bytes.prefix(8).elementsEqual(Self.magic),
            UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self)) == Self.version
        else { return nil }
        var hash = SHA256()
        hash.update(UnsafeRawBufferPointer(rebasing: bytes.dropLast(Digest.byteCount)))
        guard bytes.suffix(Digest.byteCount).elementsEqual(hash.finish().bytes) else { return nil }
        self.mapping = mapping
    }

    /// Calls `body` with every file's record, in the order of the archive.
    func forEach(_ body: (FileRecordView) throws -> Void) rethrows {
        try withExtendedLifetime(mapping) {
            let records = UnsafeRawBufferPointer(
                rebasing: mapping.bytes[Self.headSize..<mapping.bytes.count - Digest.byteCount])
            var offset = 0
            while let record = FileRecordView(records, at: &offset) { try body(record) }
        }
    }
}
