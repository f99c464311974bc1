// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import AppleArchive
package import Crypto
import Kit
package import System

/// Is shown an archive's entries, the blocks that they come in, and at the end the archive as a whole.
package protocol ArchiveWitness: ArchiveSink {
    /// - Parameter format: how the archive is cut in blocks.
    func block(_ block: ArchiveBlock, format: ArchiveBlockFormat) throws
    func archive(_ reading: ArchiveReading)
}

/// What reading a whole archive says of its file.
package struct ArchiveReading: Sendable {
    /// In bytes.
    package let size: Int64
    package let digest: Digest

    package init(size: Int64, digest: Digest) {
        self.size = size
        self.digest = digest
    }

    /// Decodes a whole archive, and takes its tree digest on the way. Blocks.
    /// - Parameters:
    ///   - sink: gets the entries.
    ///   - witness: is told of the blocks and of the whole; the entries come to it only as a part of `sink`.
    ///   - isCancelled: asked now and then; true ends reading with `CancellationError`.
    ///   - progress: called with the bytes read so far and the archive's size.
    /// - Throws: `ArchiveError` or `AssetPackError`, which name the file, and what `sink` throws.
    @discardableResult
    package static func read(
        _ path: FilePath, into sink: any ArchiveSink, limits: ArchiveLimits = .default,
        witness: (any ArchiveWitness)? = nil, isCancelled: () -> Bool = { false },
        progress: (_ completed: Int64, _ total: Int64) -> Void = { _, _ in }
    ) throws -> ArchiveReading {
        let file = try PackInspector.openStream(path)
        let total = (try? file.borrowed.status().size) ?? 0
        var digest = TreeDigest()
        let decoder = try ArchiveDecoder(sink: sink, limits: limits)
        if let witness {
            decoder.onBlock = { [unowned decoder] block in
                if let format = decoder.blockFormat { try witness.block(block, format: format) }
            }
        }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: TreeDigest.spanSize, alignment: 4096)
        defer { buffer.deallocate() }
        do {
            while true {
                let count = try file.borrowed.readFully(into: buffer)
                if count == 0 { break }
                let bytes = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count])
                digest.update(bytes)
                try decoder.feed(bytes)
                if isCancelled() { throw CancellationError() }
                progress(digest.length, total)
            }
            try decoder.finish()
        } catch let error as ArchiveError {
            throw ArchiveError(error.code, "\(path): \(error.message)", cause: error.cause)
        } catch let error as Errno {
            throw AssetPackError(.io, "Could not read \"\(path)\": \(error.clause).", cause: nil)
        }
        let reading = ArchiveReading(size: digest.length, digest: digest.finish())
        witness?.archive(reading)
        return reading
    }
}
