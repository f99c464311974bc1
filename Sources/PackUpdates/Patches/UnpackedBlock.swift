// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Kit
import System

/// A content's range in the uncompressed stream, and where it goes.
struct PlacedPart {
    let content: Range<Int64>
    let file: FileDescriptor
    let place: Int64
}

/// Parts in the order in which they begin. They may lie over each other, as groups have bases in common.
struct PlacedParts {
    let parts: [PlacedPart]
    /// How far each and those before it reach.
    private let ends: [Int64]

    init(_ parts: [PlacedPart]) {
        self.parts = parts.sorted { $0.content.lowerBound < $1.content.lowerBound }
        var end: Int64 = 0
        ends = self.parts.map { part in
            end = max(end, part.content.upperBound)
            return end
        }
    }

    /// Calls `body` with what of the parts lies in a range of the stream.
    func forEach(in range: Range<Int64>, _ body: (PlacedPart, Range<Int64>) throws -> Void) rethrows {
        var (low, high) = (0, ends.count)
        while low < high {
            let middle = (low + high) / 2
            if ends[middle] <= range.lowerBound { low = middle + 1 } else { high = middle }
        }
        for part in parts[low...] {
            guard part.content.lowerBound < range.upperBound else { break }
            let wanted = part.content.clamped(to: range)
            if !wanted.isEmpty { try body(part, wanted) }
        }
    }
}

/// A block on its way from the archive, and from then on what it holds.
final class UnpackedBlock {
    let start: Int64
    private let payload: [UInt8]
    private let contentSize: Int
    private(set) var content: [UInt8] = []
    private(set) var failure: (any Error)?

    private init(_ archive: FileDescriptor, at offset: Int64, storedSize: Int, start: Int64, contentSize: Int) throws {
        self.start = start
        self.contentSize = contentSize
        let payload = try [UInt8](unsafeUninitializedCapacity: storedSize) { room, count in
            while count < storedSize {
                let read = try archive.read(
                    fromAbsoluteOffset: offset + Int64(ArchiveBlock.headSize + count),
                    into: UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: room[count...])))
                if read == 0 { break }
                count += read
            }
        }
        guard payload.count == storedSize else {
            throw PackUpdateError(.mismatch, "The archive became shorter while it was read. Restore it.")
        }
        self.payload = payload
    }

    /// A block of an archive, by its number.
    convenience init(_ number: Int, of index: PackIndex, in archive: FileDescriptor, at offset: Int64) throws {
        try self.init(
            archive, at: offset, storedSize: index.archive.storedSizes[number],
            start: Int64(number) * Int64(index.archive.blockSize), contentSize: index.archive.contentSize(of: number))
    }

    func decode(_ decoder: ArchiveBlockDecoder?) throws {
        guard let decoder else { throw PackUpdateError(.io, "The archive's compression is not known here.") }
        guard payload.count != contentSize else {
            // Stored.
            content = payload
            return
        }
        content = try payload.withUnsafeBytes { payload in
            try decoder.decode(payload, contentSize: contentSize) { Array($0) }
        }
    }

    /// Decodes the block, and writes what of it has a place.
    func decode(_ decoder: ArchiveBlockDecoder?, _ parts: PlacedParts) {
        do {
            try decode(decoder)
            let range = start..<start + Int64(content.count)
            try content.withUnsafeBytes { bytes in
                try parts.forEach(in: range) { part, wanted in
                    let slice = bytes[Int(wanted.lowerBound - start)..<Int(wanted.upperBound - start)]
                    try part.file.writeFully(
                        UnsafeRawBufferPointer(rebasing: slice),
                        at: part.place + wanted.lowerBound - part.content.lowerBound)
                }
            }
        } catch {
            failure = error
        }
    }
}

extension FileDescriptor {
    /// Writes all of the bytes at an offset.
    /// - Throws: `Errno`
    func writeFully(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws {
        var done = 0
        while done < bytes.count {
            done += try write(
                toAbsoluteOffset: offset + Int64(done), UnsafeRawBufferPointer(rebasing: bytes[done...]))
        }
    }
}
