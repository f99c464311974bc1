// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
package import AssetPacks
import Kit
package import System

extension Packager {
    /// What became of an archive's index.
    package enum IndexOutcome: Hashable, Sendable {
        /// It was written; its size in bytes.
        case written(size: Int64)
        /// The archive can have none; a sentence that says why.
        case impossible(reason: String)
    }

    /// As `package`, with the index beside the archive, made from what is being written. Blocks.
    ///
    /// The archive gets its name before the index: one without its index is fetched whole, and nothing else.
    /// - Throws: `AssetPackError`; `outputExists` when something is at either path.
    package func packageWithIndex(
        to path: FilePath, isCancelled: @escaping () -> Bool = { false },
        progress: @escaping (Progress) -> Void = { _ in },
        observer: @escaping (UnsafeRawBufferPointer) -> Void = { _ in }
    ) throws -> (result: Result, index: IndexOutcome) {
        let indexPath = PackIndex.path(besideArchive: path)
        guard !FileDescriptor.currentDirectory.exists(at: indexPath) else {
            throw Self.describe(Errno.fileExists, writing: indexPath)
        }
        var packager = self
        let blockSize = try blockSize ?? suitableBlockSize()
        packager.blockSize = blockSize
        let recorder = try PackIndexRecorder(
            format: ArchiveBlockFormat(compression: compression, blockSize: blockSize))
        let result = try packager.package(
            to: path, isCancelled: isCancelled, progress: progress,
            observer: { bytes in
                recorder.record(archive: bytes)
                observer(bytes)
            },
            blockObserver: { content, storedSize in try recorder.record(block: content, storedSize: storedSize) })
        do {
            return (result, .written(size: Int64(try recorder.finish().write(to: indexPath).count)))
        } catch let error as PackUpdateError where error.code == .notIndexable {
            return (result, .impossible(reason: error.message))
        }
    }
}
