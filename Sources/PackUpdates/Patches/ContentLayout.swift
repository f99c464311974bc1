// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Kit
import System

/// Where contents of an archive are unpacked to in files, as groups need them.
struct ContentLayout {
    private struct Placement {
        let content: Int
        let file: Int
        let offset: Int64
    }

    private let index: PackIndex
    private var placements: [Placement] = []

    init(index: PackIndex) { self.index = index }

    /// Gives contents their places one behind the other, from an end that moves on; their range in the file.
    /// - Parameter file: which of the files that things are unpacked to.
    @discardableResult
    mutating func place(_ contents: [Int], in file: Int = 0, at end: inout Int64) -> Range<Int> {
        let start = end
        for content in contents {
            placements.append(Placement(content: content, file: file, offset: end))
            end += index.contents[content].size
        }
        return Int(start)..<Int(end)
    }

    /// Unpacks only the blocks that hold something that has a place, each once and side by side.
    /// - Parameter files: by their numbers.
    /// - Throws: `ArchiveError`, `Errno`, `PackUpdateError.mismatch` when the archive is not the index's.
    func unpack(_ archive: FileDescriptor, to files: [FileDescriptor], isCancelled: () -> Bool) throws {
        let parts = placements.map { placement in
            let content = index.contents[placement.content]
            return PlacedPart(
                content: content.offset..<content.offset + content.size, file: files[placement.file],
                place: placement.offset)
        }.sorted { $0.content.lowerBound < $1.content.lowerBound }
        let letter = index.archive.letter
        let pipeline = OrderedPipeline<UnpackedBlock>(threads: 0) {
            let decoder = try? ArchiveBlockDecoder(letter: letter)
            return { $0.decode(decoder, parts) }
        }
        // What was unpacked must be what the index says: the archive may have changed since.
        var check = ContentCheck(index, Set(placements.map(\.content)))
        func finish(_ block: UnpackedBlock) throws {
            if isCancelled() { throw CancellationError() }
            if let failure = block.failure { throw failure }
            try block.content.withUnsafeBytes { try check.update($0, at: block.start) }
        }
        let offsets = index.archive.blockOffsets
        var next = 0
        for part in parts {
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
