// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Crypto
import Glibc
import Kit
import System

/// Where contents of an archive are unpacked to in a file, as groups need them.
struct ContentLayout {
    private struct Placement {
        let content: Int
        let offset: Int64
    }

    private let index: PackIndex
    private var placements: [Placement] = []

    init(index: PackIndex) { self.index = index }

    /// Gives contents their places one behind the other, from an end that moves on; their range in the file.
    @discardableResult
    mutating func place(_ contents: [Int], at end: inout Int64) -> Range<Int> {
        let start = end
        for content in contents {
            placements.append(Placement(content: content, offset: end))
            end += index.contents[content].size
        }
        return Int(start)..<Int(end)
    }

    /// Unpacks only the blocks that hold something that has a place, side by side.
    /// - Throws: `ArchiveError`, `Errno`, `PackUpdateError.mismatch` when the archive is not the index's.
    func unpack(_ archive: FileDescriptor, to file: FileDescriptor, isCancelled: () -> Bool) throws {
        let sorted = placements.sorted { index.contents[$0.content].offset < index.contents[$1.content].offset }
        let letter = index.archive.letter
        let pipeline = OrderedPipeline<UnpackedBlock>(threads: 0) {
            let decoder = try? ArchiveBlockDecoder(letter: letter)
            return { $0.decode(decoder) }
        }
        let offsets = index.archive.blockOffsets
        var first = 0
        func write(_ block: UnpackedBlock) throws {
            if isCancelled() { throw CancellationError() }
            try block.content.withUnsafeBytes { bytes in
                if let failure = block.failure { throw failure }
                let range = block.start..<block.start + Int64(bytes.count)
                while first < sorted.count, index.contents[sorted[first].content].end <= range.lowerBound { first += 1 }
                for placement in sorted[first...] {
                    let content = index.contents[placement.content]
                    guard content.offset < range.upperBound else { break }
                    let part = range.clamped(to: content.offset..<content.end)
                    guard !part.isEmpty else { continue }
                    let slice = bytes[Int(part.lowerBound - block.start)..<Int(part.upperBound - block.start)]
                    try file.writeFully(
                        UnsafeRawBufferPointer(rebasing: slice), at: placement.offset + part.lowerBound - content.offset
                    )
                }
            }
        }
        var next = 0
        for placement in sorted {
            let content = index.contents[placement.content]
            let blocks = index.archive.blocks(holding: content.offset..<content.end)
            for number in max(next, blocks.lowerBound)..<max(next, blocks.upperBound) {
                if pipeline.inFlight >= pipeline.capacity, let done = pipeline.next(waiting: true) { try write(done) }
                pipeline.submit(
                    try UnpackedBlock(
                        archive, at: offsets[number], storedSize: index.archive.storedSizes[number],
                        start: Int64(number) * Int64(index.archive.blockSize),
                        contentSize: index.archive.contentSize(of: number)))
            }
            next = max(next, blocks.upperBound)
        }
        while let done = pipeline.next(waiting: true) { try write(done) }
        for placement in placements { try check(placement, in: file) }
    }

    /// What was unpacked must be what the index says: the archive may have changed since.
    private func check(_ placement: Placement, in file: FileDescriptor) throws {
        let content = index.contents[placement.content]
        var digest = SHA256()
        var done: Int64 = 0
        try withUnsafeTemporaryAllocation(byteCount: 1 << 18, alignment: 4096) { buffer in
            while done < content.size {
                let room = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Int(clamping: content.size - done)))
                let count = try file.read(fromAbsoluteOffset: placement.offset + done, into: room)
                guard count > 0 else { break }
                digest.update(UnsafeRawBufferPointer(rebasing: room[..<count]))
                done += Int64(count)
            }
        }
        guard digest.finish() == content.digest else {
            throw PackUpdateError(
                .mismatch, "The archive holds something else than its index says; make the index again.")
        }
    }
}

extension PackIndex.Content {
    /// Where it ends in the uncompressed stream.
    fileprivate var end: Int64 { offset + size }
}

/// A block on its way from the archive, and from then on what it holds.
private final class UnpackedBlock {
    let start: Int64
    private let payload: [UInt8]
    private let contentSize: Int
    private(set) var content: [UInt8] = []
    private(set) var failure: (any Error)?

    init(_ archive: FileDescriptor, at offset: Int64, storedSize: Int, start: Int64, contentSize: Int) throws {
        self.start = start
        self.contentSize = contentSize
        var payload = [UInt8](repeating: 0, count: storedSize)
        let count = try payload.withUnsafeMutableBytes { room in
            var done = 0
            while done < room.count {
                let read = try archive.read(
                    fromAbsoluteOffset: offset + Int64(ArchiveBlock.headSize + done),
                    into: UnsafeMutableRawBufferPointer(rebasing: room[done...]))
                if read == 0 { break }
                done += read
            }
            return done
        }
        guard count == storedSize else {
            throw PackUpdateError(.mismatch, "The archive is shorter than its index says; make the index again.")
        }
        self.payload = payload
    }

    func decode(_ decoder: ArchiveBlockDecoder?) {
        do {
            guard let decoder else { throw PackUpdateError(.io, "The archive's compression is not known here.") }
            content = try payload.withUnsafeBytes { payload in
                try decoder.decode(payload, contentSize: contentSize) { Array($0) }
            }
        } catch {
            failure = error
        }
    }
}

extension FileDescriptor {
    fileprivate func writeFully(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws {
        var done = 0
        while done < bytes.count {
            done += try write(
                toAbsoluteOffset: offset + Int64(done), UnsafeRawBufferPointer(rebasing: bytes[done...]))
        }
    }
}
