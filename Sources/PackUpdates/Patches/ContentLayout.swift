// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Kit
import System

/// Where contents of an archive are unpacked to in files, as groups need them.
struct ContentLayout: Sendable {
    private struct Placement: Sendable {
        let content: Int
        /// Bytes of the content: all, or whole chunks.
        let part: Range<Int64>
        let file: Int
        let offset: Int64
    }

    private let index: PackIndex
    private var placements: [Placement] = []

    init(index: PackIndex) { self.index = index }

    /// The sum of what has a place, in bytes.
    var size: Int64 { placements.reduce(0) { $0 + Int64($1.part.count) } }

    /// Gives contents their places one behind the other, from an end that moves on; their range in the file.
    /// - Parameter file: which of the files that things are unpacked to.
    @discardableResult
    mutating func place(_ contents: [Int], in file: Int = 0, at end: inout Int64) -> Range<Int> {
        let start = end
        for content in contents {
            let size = index.contents[content].size
            placements.append(Placement(content: content, part: 0..<size, file: file, offset: end))
            end += size
        }
        return Int(start)..<Int(end)
    }

    /// Gives the chunks of a content that hold some of its bytes their places.
    /// - Parameters:
    ///   - ranges: bytes of the content, by where they begin.
    ///   - offset: where the content begins in the file.
    mutating func place(chunksOf content: Int, holding ranges: [Range<Int64>], in file: Int = 0, at offset: Int64) {
        for (part, _) in index.chunks(of: content, holding: ranges) {
            if let last = placements.last, last.content == content, last.file == file,
                last.part.upperBound == part.lowerBound, last.offset - last.part.lowerBound == offset
            {
                placements.removeLast()
                let joined = last.part.lowerBound..<part.upperBound
                placements.append(Placement(content: content, part: joined, file: file, offset: last.offset))
            } else {
                placements.append(
                    Placement(content: content, part: part, file: file, offset: offset + part.lowerBound))
            }
        }
        if index.contents[content].chunks.isEmpty, !ranges.isEmpty {
            let all = 0..<index.contents[content].size
            placements.append(Placement(content: content, part: all, file: file, offset: offset))
        }
    }

    /// Copies what lies there unpacked already to its places in files; what is left is to be unpacked.
    /// - Parameter ranges: where contents lie.
    /// - Throws: `Errno`
    mutating func take(_ ranges: [Int: Range<Int>], of contents: MappedContents, to files: [FileDescriptor]) throws {
        var left: [Placement] = []
        for placement in placements {
            guard let range = ranges[placement.content] else {
                left.append(placement)
                continue
            }
            let part =
                range.lowerBound + Int(placement.part.lowerBound)..<range.lowerBound + Int(placement.part.upperBound)
            try files[placement.file].writeFully(
                UnsafeRawBufferPointer(rebasing: contents.bytes[part]), at: placement.offset)
            contents.release(part)
        }
        placements = left
    }

    /// Unpacks only the blocks that hold something that has a place, each once and side by side.
    /// - Parameters:
    ///   - files: by their numbers.
    ///   - threads: how many threads decode; 0 means one for each core.
    /// - Throws: `ArchiveError`, `Errno`, `PackUpdateError.mismatch` when the archive is not the index's.
    func unpack(_ archive: FileDescriptor, to files: [FileDescriptor], threads: Int = 0, isCancelled: () -> Bool) throws
    {
        let placed = placements.map { placement in
            let start = index.contents[placement.content].offset
            return PlacedPart(
                content: start + placement.part.lowerBound..<start + placement.part.upperBound,
                file: files[placement.file], place: placement.offset)
        }
        let parts = PlacedParts(placed)
        let letter = index.archive.letter
        let pipeline = OrderedPipeline<UnpackedBlock>(threads: threads) {
            let decoder = try? ArchiveBlockDecoder(letter: letter)
            return { $0.decode(decoder, parts) }
        }
        // What was unpacked must be what the index says: the archive may have changed since.
        var check = ContentCheck(index, placements.map { ($0.content, $0.part) })
        func finish(_ block: UnpackedBlock) throws {
            if isCancelled() { throw CancellationError() }
            if let failure = block.failure { throw failure }
            try block.content.withUnsafeBytes { try check.update($0, at: block.start) }
        }
        let offsets = index.archive.blockOffsets
        var next = 0
        for part in parts.parts {
            let blocks = index.archive.blocks(holding: part.content)
            for number in max(next, blocks.lowerBound)..<max(next, blocks.upperBound) {
                if pipeline.inFlight >= pipeline.capacity, let done = pipeline.next(waiting: true) { try finish(done) }
                pipeline.submit(try UnpackedBlock(number, of: index, in: archive, at: offsets[number]))
            }
            next = max(next, blocks.upperBound)
        }
        while let done = pipeline.next(waiting: true) { try finish(done) }
        try check.finish()
    }
}
