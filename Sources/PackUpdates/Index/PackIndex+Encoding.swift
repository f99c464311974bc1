// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Crypto

extension PackIndex {
    static let magic = Array("LRDRINDX".utf8)
    static let version: UInt32 = 1
    static let headSize = 24

    /// How the body stands in the file.
    enum BodyForm: UInt8 {
        case plain = 0
        case xz = 1
    }

    /// The numbers that stand for kinds of entries.
    enum KindNumber {
        static let file: UInt8 = 0
        static let executable: UInt8 = 1
        static let link: UInt8 = 2
        static let folder: UInt8 = 3
    }

    /// The file's bytes; the same index gives the same.
    /// - Parameter compressed: whether the body is compressed where that makes it smaller.
    /// - Throws: `ArchiveError.inputOutput` when there is no memory to compress it.
    package func encoded(compressed: Bool = true) throws -> [UInt8] {
        let body = encodedBody()
        let packed = compressed ? try XZ.compress(body) : nil
        var file = Self.magic
        file.append(littleEndian: Self.version)
        file.append(packed == nil ? BodyForm.plain.rawValue : BodyForm.xz.rawValue)
        file += [0, 0, 0]
        file.append(littleEndian: UInt64(body.count))
        return file + (packed ?? body)
    }

    /// Columns rather than rows: like stands beside like, which compresses better.
    private func encodedBody() -> [UInt8] {
        var body: [UInt8] = []
        body.reserveCapacity(
            contents.count * 40 + entries.count * 24 + chunks.count * 11 + archive.blockCount * 3 + 128)
        encodeArchive(to: &body)
        body.append(number: contents.count)
        for content in contents { body.append(number: content.size) }
        for content in contents { body += content.digest.bytes }
        body.append(number: chunkAverage)
        for content in contents { body.append(number: content.chunks.count) }
        for chunk in chunks { body.append(number: chunk.size) }
        for chunk in chunks { body.append(bigEndian: chunk.digestPrefix) }
        encodeEntries(to: &body)
        return body
    }

    private func encodeArchive(to body: inout [UInt8]) {
        body.append(number: archive.size)
        body += archive.digest.bytes
        body.append(archive.letter)
        body.append(number: archive.blockSize)
        body.append(number: archive.streamSize)
        for size in archive.storedSizes { body.append(number: size) }
    }

    private func encodeEntries(to body: inout [UInt8]) {
        body.append(number: entries.count)
        for entry in entries { body.append(entry.kind.number) }
        var previous: [UInt8] = []
        for entry in entries {
            let path = Array(entry.path.utf8)
            let shared = zip(previous, path).prefix { $0 == $1 }.count
            body.append(number: shared)
            body.append(number: path.count - shared)
            body += path[shared...]
            previous = path
        }
        var end: Int64 = 0
        var known = 0
        for entry in entries {
            guard case .file(let content, let offset, _) = entry.kind else { continue }
            body.append(number: content == known ? 0 : content + 1)
            known += content == known ? 1 : 0
            body.append(number: offset - end)
            end = offset + contents[content].size
        }
        for entry in entries {
            guard case .link(let target) = entry.kind else { continue }
            body.append(number: target.utf8.count)
            body += Array(target.utf8)
        }
    }
}

extension PackIndex.Entry.Kind {
    fileprivate var number: UInt8 {
        switch self {
        case .file(_, _, let isExecutable):
            isExecutable ? PackIndex.KindNumber.executable : PackIndex.KindNumber.file
        case .link: PackIndex.KindNumber.link
        case .folder: PackIndex.KindNumber.folder
        }
    }
}

extension [UInt8] {
    /// A number that is not negative, seven bits a byte, the lowest first (LEB128).
    mutating func append(number: some FixedWidthInteger) {
        var rest = UInt64(truncatingIfNeeded: number)
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }

    mutating func append<Number: FixedWidthInteger>(littleEndian number: Number) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }

    fileprivate mutating func append<Number: FixedWidthInteger>(bigEndian number: Number) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }
}
