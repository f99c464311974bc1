// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import AppleArchive
package import AssetPacks
package import Crypto
import Kit
package import System

extension Packager {
    /// What became of an archive's index.
    package enum IndexOutcome: Hashable, Sendable {
        /// It was written.
        case written(PackIndex.Written)
        /// The archive can have none; a sentence that says why.
        case impossible(reason: String)
    }

    /// An archive that was written, and its index.
    package struct Indexed: Hashable, Sendable {
        package let result: Result
        package let index: IndexOutcome
        /// The archive's.
        package let digest: Digest
    }

    /// As `package`, with the index beside the archive, made from what is being written. Blocks.
    ///
    /// The archive gets its name before the index: one without its index is fetched whole, and nothing else.
    /// - Throws: `AssetPackError`; `outputExists` when something is at either path.
    package func packageWithIndex(
        to path: FilePath, workspace: ArchiveWorkspace? = nil, isCancelled: @escaping () -> Bool = { false },
        progress: @escaping (Progress) -> Void = { _ in }
    ) throws -> Indexed {
        let indexPath = PackIndex.path(besideArchive: path)
        guard !FileDescriptor.currentDirectory.exists(at: indexPath) else {
            throw Self.describe(Errno.fileExists, writing: indexPath)
        }
        var packager = self
        let blockSize = try blockSize ?? suitableBlockSize()
        packager.blockSize = blockSize
        let folder = indexPath.removingLastComponent()
        let recorder = try PackIndexRecorder(
            format: ArchiveBlockFormat(compression: compression, blockSize: blockSize),
            in: folder.isEmpty ? "." : folder)
        let result = try packager.package(
            to: path, workspace: workspace, isCancelled: isCancelled, progress: progress,
            observer: { recorder.record(archive: $0) },
            blockObserver: { content, storedSize in try recorder.record(block: content, storedSize: storedSize) })
        let index = try recorder.write(to: indexPath)
        return Indexed(result: result, index: index, digest: recorder.archiveDigest)
    }
}
