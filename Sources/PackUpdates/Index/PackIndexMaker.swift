// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import AssetPacks
import Crypto
import Kit

/// Makes an index from what passes by: the blocks of an archive and its entries. Use it from one thread.
///
/// It never fails before its end: an archive that no index can describe is known by `finish`, so that making an index is
/// no reason for packing to break off.
final class PackIndexMaker: ArchiveWitness {
    /// Contents of fewer bytes have no chunks: a block or two holds them whole.
    static let smallestChunkedContent: UInt64 = 128 << 10

    private let chunkAverage: Int
    private var reading: ArchiveReading?
    private var letter: UInt8?
    private var blockSize: UInt64 = 0
    private var streamSize: UInt64 = 0
    private var storedSizes: [Int] = []
    private var hasShortBlock = false

    private var contents: [PackIndex.Content] = []
    private var numbers: [Digest: Int] = [:]
    private var chunks: [ContentChunker.Chunk] = []
    private var entries: [PackIndex.Entry] = []
    private var folders: [String] = []
    private var current: CurrentFile?
    /// Where the content of the entry that begins lies in the uncompressed stream.
    private var dataOffset: UInt64 = 0
    /// Why there can be no index.
    private var obstacle: String?

    private struct CurrentFile {
        let path: String
        let offset: UInt64
        let size: UInt64
        let isExecutable: Bool
        var digest = SHA256()
        var chunker: ContentChunker?
        var chunks: [ContentChunker.Chunk] = []
    }

    init(chunkAverage: Int) { self.chunkAverage = chunkAverage }

    func format(_ format: ArchiveBlockFormat) {
        letter = format.letter
        blockSize = format.blockSize
    }

    func block(_ block: ArchiveBlock, format: ArchiveBlockFormat) {
        self.format(format)
        self.block(contentSize: block.contentSize, storedSize: block.storedSize)
    }

    func block(contentSize: UInt64, storedSize: UInt64) {
        if hasShortBlock || contentSize == 0 { obstacle = obstacle ?? "its blocks are not all of one size" }
        hasShortBlock = hasShortBlock || contentSize < blockSize
        streamSize &+= contentSize
        storedSizes.append(Int(clamping: storedSize))
    }

    func locate(dataAt offset: UInt64) { dataOffset = offset }

    func begin(_ entry: EntryHeader) {
        switch entry.type {
        case .regularFile where entry.hardLinkCluster != nil:
            obstacle = obstacle ?? "\"\(entry.path)\" is a hard link"
        case .regularFile where !entry.hasData:
            obstacle = obstacle ?? "\"\(entry.path)\" has no content"
        case .regularFile:
            let isChunked = entry.dataSize >= Self.smallestChunkedContent
            current = CurrentFile(
                path: entry.path, offset: dataOffset, size: entry.dataSize,
                isExecutable: (entry.mode ?? 0) & 0o100 != 0,
                chunker: isChunked ? ContentChunker(average: chunkAverage) : nil)
        case .symbolicLink:
            entries.append(.init(path: entry.path, kind: .link(target: entry.linkTarget ?? "")))
        case .directory:
            guard !entry.path.isEmpty else { return }
            folders.append(entry.path)
            entries.append(.init(path: entry.path, kind: .folder))
        case .metadata where entry.path.isEmpty: break
        default: obstacle = obstacle ?? "\"\(entry.path)\" is a \(entry.type.name)"
        }
    }

    func data(_ bytes: UnsafeRawBufferPointer) {
        current?.digest.update(bytes)
        guard var chunker = current?.chunker.take() else { return }
        chunker.update(bytes) { current?.chunks.append($0) }
        current?.chunker = chunker
    }

    func end() {
        guard var file = current.take() else { return }
        let digest = file.digest.finishAndReset()
        if let last = file.chunker?.finish() { file.chunks.append(last) }
        let number = numbers[digest] ?? contents.count
        if number == contents.count {
            numbers[digest] = number
            let range = chunks.count..<chunks.count + file.chunks.count
            chunks += file.chunks
            contents.append(
                .init(
                    digest: digest, size: Int64(clamping: file.size), offset: Int64(clamping: file.offset),
                    chunks: range))
        }
        entries.append(
            .init(
                path: file.path,
                kind: .file(content: number, offset: Int64(clamping: file.offset), isExecutable: file.isExecutable)))
    }

    func archive(_ reading: ArchiveReading) { self.reading = reading }

    /// - Throws: `PackUpdateError.notIndexable` that says why the archive can have no index.
    func finish() throws -> PackIndex {
        guard let letter, let reading else {
            throw Self.notIndexable("it is not made of blocks that stand for themselves")
        }
        if let obstacle { throw Self.notIndexable(obstacle) }
        var nonempty: Set<String> = []
        for entry in entries {
            // An archive need not list the folders between.
            var path = entry.path[...]
            while let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) {
                path = path[..<slash]
                guard nonempty.insert(String(path)).inserted else { break }
            }
        }
        do {
            return try PackIndex(
                archive: .init(
                    size: reading.size, digest: reading.digest, letter: letter, blockSize: Int(clamping: blockSize),
                    streamSize: Int64(clamping: streamSize), storedSizes: storedSizes),
                contents: contents, entries: entries.filter { $0.kind != .folder || !nonempty.contains($0.path) },
                chunkAverage: chunkAverage, chunks: chunks)
        } catch let error as PackUpdateError {
            throw Self.notIndexable("its parts do not fit: \(error.message)")
        }
    }

    private static func notIndexable(_ reason: String) -> PackUpdateError {
        PackUpdateError(.notIndexable, "The archive can have no index, so that devices fetch it whole: \(reason).")
    }
}
