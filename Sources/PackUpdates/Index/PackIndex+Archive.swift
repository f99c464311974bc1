// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import AssetPacks
import Crypto
import Kit
package import System

extension PackIndex {
    /// The index of an archive that exists, from reading it once. Blocks.
    /// - Parameters:
    ///   - isCancelled: asked now and then; true ends reading with `CancellationError`.
    ///   - progress: called with the bytes read so far and the archive's size.
    /// - Throws: `PackUpdateError.notIndexable`; `ArchiveError` or `AssetPackError`, which name the file.
    package static func make(
        ofArchive path: FilePath, chunkAverage: Int = ContentChunker.defaultAverage,
        isCancelled: () -> Bool = { false }, progress: (_ completed: Int64, _ total: Int64) -> Void = { _, _ in }
    ) throws -> PackIndex {
        let file = try PackInspector.open(path)
        let total = (try? file.borrowed.status().size) ?? 0
        let maker = PackIndexMaker(chunkAverage: chunkAverage)
        let decoder = try ArchiveDecoder(sink: maker)
        decoder.onBlock = { [unowned decoder] block in
            if let format = decoder.blockFormat { maker.format(format) }
            maker.block(contentSize: block.contentSize, storedSize: block.storedSize)
        }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: TreeDigest.spanSize, alignment: 4096)
        defer { buffer.deallocate() }
        var completed: Int64 = 0
        do {
            while true {
                let count = try file.borrowed.readFully(into: buffer)
                if count == 0 { break }
                let bytes = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count])
                maker.archive(bytes)
                try decoder.feed(bytes)
                if isCancelled() { throw CancellationError() }
                completed += Int64(count)
                progress(completed, total)
            }
            try decoder.finish()
        } catch let error as ArchiveError {
            throw ArchiveError(error.code, "\(path): \(error.message)", cause: error.cause)
        } catch let error as Errno {
            throw AssetPackError(.io, "Could not read \"\(path)\": \(error).", cause: nil)
        }
        return try maker.finish()
    }
}
