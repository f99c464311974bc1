// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import AppleArchive
internal import Crypto
internal import HostingModel
internal import Kit
internal import System

/// Puts an upload's parts together to one file, and takes digests on the way. Blocks.
struct Assembly {
    private static let pieceSize = 256 << 10
    /// Bytes after which the disk is told to begin with them, so that it does not have all of them to write at the end.
    private static let flushSize: Int64 = 64 << 20

    let upload: String
    let folder: FilePath
    let plan: UploadPlan
    let wanted: WantedDigests

    /// A piece of the file on its way to its digests.
    private final class Piece {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceSize, alignment: 4096)
        var count = 0
        var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]) }

        deinit { buffer.deallocate() }
    }

    /// Of the whole file, taken by a thread of their own while other pieces are read and written.
    private final class FileDigests {
        let md5: MD5?
        var sha256: SHA256?

        init(_ wanted: WantedDigests) {
            md5 = wanted.md5 ? MD5() : nil
            sha256 = wanted.sha256 ? SHA256() : nil
        }

        func update(_ bytes: UnsafeRawBufferPointer) {
            md5?.update(bytes)
            sha256?.update(bytes)
        }
    }

    /// - Throws: `Errno`, `HostingError`
    func run() throws -> AssembledUpload {
        // With a name of its own: a host that was taken for dead may still be at it.
        let path = folder.appending(".assembled.\(Identifier.random())")
        let names = try FolderBlobStore.partNames(in: folder)
        if let missing = plan.parts.first(where: { names[$0.number] == nil }) {
            throw HostingError(.uploadLost, "Part \(missing.number) of \(plan.partCount) is missing.")
        }
        let target = try OwnedDescriptor(
            path, .writeOnly, options: [.create, .truncate, .noFollow], permissions: .filePrivate)
        let digests = Monitor(FileDigests(wanted))
        let hashing = OrderedPipeline<Piece>(threads: 1) { { piece in digests.withLock { $0.update(piece.bytes) } } }
        let composite = MD5()
        var (written, flushed): (Int64, Int64) = (0, 0)
        // All of them once: large blocks that come and go between small ones leave holes in the heap.
        var spare = (0..<hashing.capacity).map { _ in Piece() }
        for part in plan.parts {
            guard let name = names[part.number] else { continue }
            let source = try OwnedDescriptor(folder.appending(name), .readOnly)
            var length: Int64 = 0
            while true {
                guard let piece = spare.popLast() ?? hashing.next(waiting: true) else { break }
                piece.count = try source.borrowed.read(into: piece.buffer)
                guard piece.count > 0 else {
                    spare.append(piece)
                    break
                }
                try target.borrowed.writeFully(piece.bytes)
                length += Int64(piece.count)
                hashing.submit(piece)
            }
            written += length
            if written - flushed >= Self.flushSize {
                target.borrowed.dropCache(offset: flushed, length: written - flushed)
                flushed = written
            }
            guard length == part.length else {
                throw HostingError(.storage, "Part \(part.number) has \(length) bytes instead of \(part.length).")
            }
            let digest = Hexadecimal.decode(name.drop { $0 != "-" }.dropFirst()) ?? []
            digest.withUnsafeBytes { composite.update($0) }
        }
        try target.borrowed.synchronize()
        while hashing.next(waiting: true) != nil {}
        return digests.withLock { digests in
            AssembledUpload(
                upload: upload, path: path, size: plan.fileSize, md5: digests.md5?.finish(),
                sha256: digests.sha256?.finish().bytes, compositeMD5: composite.finish())
        }
    }
}
