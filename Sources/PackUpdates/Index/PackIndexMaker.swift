// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import AssetPacks
import Crypto
import Kit
import System

/// Makes an index from what passes by: the blocks of an archive and its entries. Use it from one thread.
///
/// An archive that no index can describe is known by `finish` only, so that making an index is no reason for packing to break
/// off. In memory it keeps what there is for each file; what there is for each block and chunk goes to a folder, if it has one.
final class PackIndexMaker: ArchiveWitness {
    /// Contents of fewer bytes than so many chunks have none: a block or two holds them whole.
    private static let leastChunks: UInt64 = 4

    /// nil until the size of the blocks is known.
    private var chunkAverage: Int?
    private var reading: ArchiveReading?
    private var letter: UInt8?
    private var blockSize: UInt64 = 0
    private var streamSize: UInt64 = 0
    private let columns: IndexDraft.Columns
    /// How many bytes the archive has, as its blocks tell.
    private var archiveSize = UInt64(ArchiveBlock.wrapperHeadSize)
    private var hasShortBlock = false

    private var contents: [PackIndex.Content] = []
    private var numbers: [Digest: Int] = [:]
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
        /// Before its first chunk.
        let mark: IndexColumn.Mark
        let firstChunk: Int
        var chunkedSize: UInt64 = 0
    }

    /// - Parameters:
    ///   - chunkAverage: nil for what suits the archive's blocks.
    ///   - folder: where what grows with the archive's bytes lies meanwhile; nil for in memory.
    init(chunkAverage: Int? = nil, in folder: FilePath? = nil) {
        self.chunkAverage = chunkAverage
        columns = IndexDraft.Columns(in: folder)
    }

    func format(_ format: ArchiveBlockFormat) {
        letter = format.letter
        blockSize = format.blockSize
        chunkAverage = chunkAverage ?? ContentChunker.average(forBlocksOf: blockSize)
    }

    func block(_ block: ArchiveBlock, format: ArchiveBlockFormat) throws {
        self.format(format)
        try self.block(contentSize: block.contentSize, storedSize: block.storedSize)
    }

    /// - Throws: `PackUpdateError.io`
    func block(contentSize: UInt64, storedSize: UInt64) throws {
        if hasShortBlock || storedSize == 0 || storedSize > contentSize {
            obstacle = obstacle ?? "its blocks are not all of one size"
        }
        hasShortBlock = hasShortBlock || contentSize < blockSize
        streamSize &+= contentSize
        archiveSize &+= UInt64(ArchiveBlock.headSize) &+ storedSize
        try columns.storedSizes.append(number: storedSize)
    }

    func locate(dataAt offset: UInt64) { dataOffset = offset }

    func begin(_ entry: EntryHeader) {
        switch entry.type {
        case .regularFile where entry.hardLinkCluster != nil:
            obstacle = obstacle ?? "\"\(entry.path)\" is a hard link"
        case .regularFile where !entry.hasData:
            obstacle = obstacle ?? "\"\(entry.path)\" has no content"
        case .regularFile:
            let average = chunkAverage ?? ContentChunker.defaultAverage
            let isChunked = entry.dataSize >= UInt64(average) * Self.leastChunks
            current = CurrentFile(
                path: entry.path, offset: dataOffset, size: entry.dataSize,
                isExecutable: (entry.mode ?? 0) & 0o100 != 0,
                chunker: isChunked ? ContentChunker(average: average) : nil,
                mark: columns.chunks.mark, firstChunk: columns.chunks.count)
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

    func data(_ bytes: UnsafeRawBufferPointer) throws {
        current?.digest.update(bytes)
        guard var chunker = current?.chunker.take() else { return }
        try chunker.update(bytes) { try add($0) }
        current?.chunker = chunker
    }

    private func add(_ chunk: ContentChunker.Chunk) throws {
        current?.chunkedSize += UInt64(chunk.size)
        try columns.append(chunk)
    }

    func end() throws {
        if let last = current?.chunker?.finish() { try add(last) }
        guard var file = current.take() else { return }
        let digest = file.digest.finishAndReset()
        if file.chunker != nil, file.chunkedSize != file.size {
            obstacle = obstacle ?? "\"\(file.path)\" is not as long as it says"
        }
        let number = numbers[digest] ?? contents.count
        if number == contents.count {
            numbers[digest] = number
            contents.append(
                .init(
                    digest: digest, size: Int64(clamping: file.size), offset: Int64(clamping: file.offset),
                    chunks: file.firstChunk..<columns.chunks.count))
        } else {
            columns.chunks.rollBack(to: file.mark)
        }
        entries.append(
            .init(
                path: file.path,
                kind: .file(content: number, offset: Int64(clamping: file.offset), isExecutable: file.isExecutable)))
    }

    func archive(_ reading: ArchiveReading) { self.reading = reading }

    /// - Throws: `PackUpdateError.notIndexable` that says why the archive can have no index.
    func finish() throws -> IndexDraft {
        guard let letter, let reading else {
            throw PackUpdateError.notIndexable("it is not made of blocks that stand for themselves")
        }
        if let obstacle { throw PackUpdateError.notIndexable(obstacle) }
        guard entries.contains(where: { $0.path == PackIndex.manifestPath }) else {
            throw PackUpdateError.notIndexable("it is no pack, since it holds no \"\(PackIndex.manifestPath)\"")
        }
        let (blockSize, streamSize) = (Int(clamping: blockSize), Int64(clamping: streamSize))
        let entries = entriesWithoutFullFolders()
        do {
            try PackIndex.Archive.validate(
                size: reading.size, blockSize: blockSize, streamSize: streamSize, blocks: columns.storedSizes.count)
            guard archiveSize == UInt64(reading.size) else {
                throw PackIndex.damaged("its blocks come to \(archiveSize) bytes, and its archive to \(reading.size)")
            }
            try PackIndex.validate(entries, of: contents, streamSize: streamSize)
        } catch let error as PackUpdateError {
            throw PackUpdateError.notIndexable("its parts do not fit: \(error.message)")
        }
        return IndexDraft(
            size: reading.size, digest: reading.digest, letter: letter, blockSize: blockSize, streamSize: streamSize,
            contents: contents, entries: entries, chunkAverage: chunkAverage ?? ContentChunker.defaultAverage,
            columns: columns)
    }

    private func entriesWithoutFullFolders() -> [PackIndex.Entry] {
        var nonempty: Set<String> = []
        for entry in entries {
            // An archive need not list the folders between.
            var path = entry.path[...]
            while let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) {
                path = path[..<slash]
                guard nonempty.insert(String(path)).inserted else { break }
            }
        }
        return entries.filter { $0.kind != .folder || !nonempty.contains($0.path) }
    }
}

extension PackUpdateError {
    /// - Parameter reason: words behind a colon.
    static func notIndexable(_ reason: String) -> PackUpdateError {
        PackUpdateError(.notIndexable, "The archive can have no index, so that devices fetch it whole: \(reason).")
    }
}
