// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import AssetPacks
import Crypto
import Kit
import System

extension IndexDraft {
    /// Takes what an index consists of, one piece after the other.
    typealias Output = (UnsafeRawBufferPointer) throws -> Void

    /// The file's bytes; the same index gives the same.
    /// - Parameter compressed: whether the body is compressed where that makes it smaller.
    /// - Throws: `ArchiveError.inputOutput` when there is no memory to compress it; `PackUpdateError.io`
    func encoded(compressed: Bool) throws -> [UInt8] {
        let size = try bodySize()
        var body: [UInt8] = []
        if compressed, try compressBody(ofSize: size, to: { body += $0 }) { return head(.xz, size) + body }
        body.removeAll(keepingCapacity: true)
        try writeBody { body += $0 }
        return head(.plain, size) + body
    }

    /// Writes the file, complete or not at all.
    /// - Returns: its size in bytes, and its SHA-256.
    /// - Throws: `AssetPackError`; `outputExists` when something is at `path`. `PackUpdateError.notIndexable` when nobody would
    ///   read it.
    func write(to path: FilePath) throws -> (size: Int64, digest: Digest) {
        try checkMemory()
        let size = try bodySize()
        guard size <= Int64(PackIndex.maximumSize) else {
            throw PackUpdateError.notIndexable("its index would have \(ByteCount.formatted(size))")
        }
        do {
            var file = try NewFile(at: path)
            let written = try write(bodySize: size, to: file.descriptor)
            try file.publish()
            return written
        } catch {
            throw Packager.describe(error, writing: path)
        }
    }

    /// Devices would not read it.
    private func checkMemory() throws {
        var memory = IndexMemory()
        try memory.add(columns.storedSizes.count, .block)
        try memory.add(contents.count, .content)
        try memory.add(columns.chunkSizes.count, .chunk)
        try memory.add(entries.count, .entry)
        for entry in entries {
            try memory.add(entry.path.utf8.count, .nameByte)
            if case .link(let target) = entry.kind { try memory.add(target.utf8.count, .nameByte) }
        }
    }

    private func write(bodySize: Int64, to file: FileDescriptor) throws -> (size: Int64, digest: Digest) {
        let start = Int64(PackIndex.headSize)
        var end = start
        func write(_ bytes: UnsafeRawBufferPointer) throws {
            try file.writeFully(bytes, at: end)
            end += Int64(bytes.count)
        }
        var form = PackIndex.BodyForm.xz
        if try !compressBody(ofSize: bodySize, to: write) {
            form = .plain
            end = start
            try file.resize(to: start)
            try writeBody(to: write)
        }
        try head(form, bodySize).withUnsafeBytes { try file.writeFully($0, at: 0) }
        return (end, try Self.digest(of: file))
    }

    private static func digest(of file: FileDescriptor) throws -> Digest {
        var digest = SHA256()
        _ = try file.seek(offset: 0, from: .start)
        try withUnsafeTemporaryAllocation(byteCount: IndexColumn.pageSize, alignment: 16) { buffer in
            while true {
                let count = try file.read(into: buffer)
                if count == 0 { return }
                digest.update(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]))
            }
        }
        return digest.finish()
    }

    private func head(_ form: PackIndex.BodyForm, _ size: Int64) -> [UInt8] {
        var head = PackIndex.magic
        head.append(littleEndian: PackIndex.version)
        head.append(form.rawValue)
        head += [0, 0, 0]
        head.append(littleEndian: UInt64(size))
        return head
    }

    private func bodySize() throws -> Int64 {
        var size: Int64 = 0
        try writeBody { size += Int64($0.count) }
        return size
    }

    /// - Returns: false when that makes it no smaller; what was handed out is of no use then.
    private func compressBody(ofSize size: Int64, to output: Output) throws -> Bool {
        let encoder = try XZEncoder(size: size)
        var packed: Int64 = 0
        func take(_ bytes: UnsafeRawBufferPointer) throws {
            packed += Int64(bytes.count)
            // What is too large already is not handed on.
            if packed < size { try output(bytes) }
        }
        try writeBody { try encoder.encode($0, to: take) }
        try encoder.finish(to: take)
        return packed < size
    }

    // MARK: The body

    /// Columns rather than rows: like stands beside like, which compresses better.
    private func writeBody(to output: Output) throws {
        try withoutActuallyEscaping(output) { output in
            var page = Page(output: output)
            try writeArchive(to: &page)
            try writeContents(to: &page)
            try writeEntries(to: &page)
            try page.finish()
        }
    }

    private func writeArchive(to page: inout Page) throws {
        try page.append { body in
            body.append(number: size)
            body += digest.bytes
            body.append(letter)
            body.append(number: blockSize)
            body.append(number: streamSize)
        }
        try page.append(columns.storedSizes)
    }

    private func writeContents(to page: inout Page) throws {
        try page.append { $0.append(number: contents.count) }
        for content in contents { try page.append { $0.append(number: content.size) } }
        for content in contents { try page.append { $0 += content.digest.bytes } }
        try page.append { $0.append(number: chunkAverage) }
        for content in contents { try page.append { $0.append(number: content.chunks.count) } }
        try page.append(columns.chunkSizes)
        try page.append(columns.chunkDigests)
    }

    private func writeEntries(to page: inout Page) throws {
        try page.append { $0.append(number: entries.count) }
        for entry in entries { try page.append { $0.append(entry.kind.number) } }
        var previous: [UInt8] = []
        for entry in entries {
            let path = Array(entry.path.utf8)
            try page.append { $0.append(path: path, behind: previous) }
            previous = path
        }
        var end: Int64 = 0
        var known = 0
        for entry in entries {
            guard case .file(let content, let offset, _) = entry.kind else { continue }
            try page.append { body in
                body.append(number: content == known ? 0 : content + 1)
                body.append(number: offset - end)
            }
            known += content == known ? 1 : 0
            end = offset + contents[content].size
        }
        for entry in entries {
            guard case .link(let target) = entry.kind else { continue }
            try page.append { body in
                body.append(number: target.utf8.count)
                body += Array(target.utf8)
            }
        }
    }

    /// Some of the body, that is handed on when there is enough of it.
    private struct Page {
        let output: Output
        private var bytes: [UInt8] = []

        init(output: @escaping Output) { self.output = output }

        mutating func append(_ body: (inout [UInt8]) -> Void) throws {
            body(&bytes)
            if bytes.count >= IndexColumn.pageSize { try finish() }
        }

        mutating func append(_ column: IndexColumn) throws {
            try finish()
            try column.forEachPiece(output)
        }

        mutating func finish() throws {
            try bytes.withUnsafeBytes { if !$0.isEmpty { try output($0) } }
            bytes.removeAll(keepingCapacity: true)
        }
    }
}
