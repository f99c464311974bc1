// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Crypto
import Kit

extension PackIndex {
    /// The largest file that is read, and the most that it may come to uncompressed, in bytes.
    package static let maximumSize = 32 << 20

    /// Reads a whole index from a server or a file, of which nothing is believed.
    /// - Throws: `PackUpdateError.damagedIndex`, `.unknownVersion`; `.notIndexable` when it would take too much memory.
    package init(decoding file: [UInt8]) throws {
        guard file.count <= Self.maximumSize else {
            throw Self.damaged("it is larger than the \(Self.maximumSize >> 20) MiB that one may have")
        }
        let front = try IndexFront(decoding: file[...])
        guard Int64(file.count) == front.fileSize else { throw Self.damaged("it is not as long as it says") }
        func bytes(_ range: Range<Int64>) -> ArraySlice<UInt8> { file[Int(range.lowerBound)..<Int(range.upperBound)] }
        let index = try front.index(of: front.parts.map { try front.body(of: $0, stored: bytes($0.range)) })
        guard let pending = index.pendingChunks else {
            self = index
            return
        }
        let rows = index.contents.indices.map { ($0, bytes(pending.range(of: $0))) }
        self = try index.adding(chunkRows: Dictionary(uniqueKeysWithValues: rows))
    }

    /// A front's body or a part, of which nothing is believed: it is compressed where it stands in fewer bytes than it has.
    static func body(_ stored: ArraySlice<UInt8>, size: Int) throws -> [UInt8] {
        guard stored.count < size else {
            guard stored.count == size else { throw damaged("a part of it is not as long as it says") }
            return Array(stored)
        }
        do {
            return try stored.withUnsafeBytes { try XZ.decompress($0, size: size) }
        } catch {
            throw PackUpdateError(
                .damagedIndex,
                "The index of the pack is damaged: a part of it cannot be decompressed. Fetch it again, or remove it and make it again.",
                cause: error)
        }
    }
}

extension PackIndex.Archive {
    init(_ reader: inout IndexReader, _ memory: inout IndexMemory) throws {
        size = try reader.size()
        digest = try reader.digest()
        letter = try reader.byte()
        blockSize = Int(try reader.number(upTo: Int64(PackIndex.Limits.blockSize)))
        streamSize = try reader.size()
        guard blockSize > 0 else { throw PackIndex.damaged("its blocks have 0 bytes") }
        let count = Self.blockCount(streamSize: streamSize, blockSize: blockSize)
        guard count <= Int64(PackIndex.Limits.blocks), count <= Int64(reader.remaining) else {
            throw PackIndex.damaged("it claims \(count) blocks")
        }
        try memory.add(Int(count), .block)
        var sizes: [Int] = []
        sizes.reserveCapacity(Int(count))
        for _ in 0..<count { sizes.append(Int(try reader.number(upTo: Int64(PackIndex.Limits.blockSize)))) }
        storedSizes = sizes
    }
}
