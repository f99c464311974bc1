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

    /// A block of an archive, by its number.
    convenience init(_ number: Int, of index: PackIndex, in archive: FileDescriptor, at offset: Int64) throws {
        try self.init(
            archive, at: offset, storedSize: index.archive.storedSizes[number],
            start: Int64(number) * Int64(index.archive.blockSize), contentSize: index.archive.contentSize(of: number))
    }

    func decode(_ decoder: ArchiveBlockDecoder?) throws {
        guard let decoder else { throw PackUpdateError(.io, "The archive's compression is not known here.") }
        content = try payload.withUnsafeBytes { payload in
            try decoder.decode(payload, contentSize: contentSize) { Array($0) }
        }
    }

    /// Decodes the block, and writes what of it has a place.
    /// - Parameter parts: in the order of the stream.
    func decode(_ decoder: ArchiveBlockDecoder?, _ parts: [PlacedPart]) {
        do {
            try decode(decoder)
            let range = start..<start + Int64(content.count)
            try content.withUnsafeBytes { bytes in
                for part in parts[Self.first(of: parts, behind: start)...] {
                    guard part.content.lowerBound < range.upperBound else { break }
                    let wanted = part.content.clamped(to: range)
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

    /// The first part that does not end before a place in the stream.
    private static func first(of parts: [PlacedPart], behind place: Int64) -> Int {
        var (low, high) = (0, parts.count)
        while low < high {
            let middle = (low + high) / 2
            if parts[middle].content.upperBound <= place { low = middle + 1 } else { high = middle }
        }
        return low
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
