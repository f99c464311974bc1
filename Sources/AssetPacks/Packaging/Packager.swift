// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import AppleArchive
import Kit
package import System

/// Writes asset packs: an Apple Archive with `manifest.json` and, below `Contents/`, the files (BA 3.3).
///
/// The same manifest and files give the same bytes, wherever and whenever they are packed: entries are in bytewise order
/// and carry only type, path, mode and content. No times, owners or flags are written; modes are 644, or 755 for folders
/// and for files that their owner may execute.
package struct Packager: Sendable {
    package let evaluation: PackEvaluation
    package var compression = Compression.lzfse
    /// Of the uncompressed stream, in bytes.
    package var blockSize = ArchiveWriter.defaultBlockSize
    /// How many threads compress; 0 is one for each core.
    package var threads = 0

    package init(_ evaluation: PackEvaluation) { self.evaluation = evaluation }

    /// How far packing has come, in bytes before compression.
    package struct Progress: Hashable, Sendable {
        package let completed: Int64
        package let total: Int64
    }

    /// What was written.
    package struct Result: Hashable, Sendable {
        /// The archive's size in bytes.
        package let archiveSize: Int64
        /// The sum of the files' sizes in bytes.
        package let contentSize: Int64
    }

    /// The name of the manifest's entry, which comes first.
    package static let manifestName = "manifest.json"
    /// The folder that holds the files.
    package static let contentsName = "Contents"

    /// Packs to a new file. Blocks; reads, compresses and writes at once.
    ///
    /// The file gets its name when it is complete: neither a failure nor a kill leaves anything behind.
    /// - Parameters:
    ///   - isCancelled: asked after each block; true ends packing with `CancellationError`.
    ///   - progress: called on the calling thread after each block.
    ///   - observer: is shown the archive's bytes in order, on the calling thread.
    /// - Throws: `AssetPackError`; `outputExists` when something is at `path`.
    package func package(
        to path: FilePath, isCancelled: @escaping () -> Bool = { false },
        progress: @escaping (Progress) -> Void = { _ in },
        observer: @escaping (UnsafeRawBufferPointer) -> Void = { _ in }
    ) throws -> Result {
        do {
            var file = try NewFile(at: path)
            let descriptor = file.descriptor
            let result = try write(progress: progress) { bytes in
                if isCancelled() { throw CancellationError() }
                do {
                    try descriptor.writeFully(bytes)
                } catch {
                    throw OutputFailure(cause: error)
                }
                observer(bytes)
            }
            try file.publish()
            return result
        } catch let error as OutputFailure {
            throw Self.describe(error.cause, writing: path)
        } catch let error as Errno {
            throw Self.describe(error, writing: path)
        }
    }

    /// Packs to whatever takes the bytes.
    /// - Throws: `AssetPackError`, or what `output` throws.
    package func write(
        progress: @escaping (Progress) -> Void = { _ in }, to output: @escaping ArchiveWriter.Output
    ) throws -> Result {
        let root = try open(evaluation.sourceDirectory)
        let total = evaluation.selection.totalSize
        do {
            let writer = try ArchiveWriter(
                output: output, compression: compression, blockSize: blockSize, threads: threads, fields: .mode)
            writer.onProgress = { progress(Progress(completed: min(Int64(clamping: $0), total), total: total)) }
            try writer.append(
                Self.entry(.regularFile, Self.manifestName, mode: 0o644), bytes: evaluation.manifest.archivedBytes)
            try writer.append(Self.entry(.directory, Self.contentsName, mode: 0o755))
            for item in evaluation.selection.items { try append(item, from: root.borrowed, to: writer) }
            try writer.finish()
            return Result(archiveSize: Int64(clamping: writer.archiveSize), contentSize: total)
        } catch let error as ArchiveError {
            throw AssetPackError(
                error.code == .sourceChanged ? .changedWhileReading : .io,
                "Packing \"\(evaluation.manifest.assetPackID)\" failed: \(error.description)", cause: nil)
        }
    }

    private func append(_ item: Selection.Item, from root: FileDescriptor, to writer: ArchiveWriter) throws {
        let path = "\(Self.contentsName)/\(item.destination.string)"
        switch item.content {
        case .directory: try writer.append(Self.entry(.directory, path, mode: 0o755))
        case .link(_, let target):
            var entry = Self.entry(.symbolicLink, path, mode: 0o755)
            entry.linkTarget = target
            try writer.append(entry)
        case .file(let source, let size, let isExecutable):
            let name = FilePath(source.string)
            guard let status = try? root.status(at: name), status.kind == .regular, status.size == size else {
                throw AssetPackError(
                    .changedWhileReading,
                    "\"\(source)\" changed while it was being packed. Pack again when nothing writes to it.")
            }
            let data = try FileDataSource(directory: root, path: name, status: status)
            try writer.append(Self.entry(.regularFile, path, mode: isExecutable ? 0o755 : 0o644), data: data)
        }
    }

    private static func entry(_ type: EntryType, _ path: String, mode: UInt16) -> EntryHeader {
        var entry = EntryHeader(type: type, path: path)
        entry.mode = mode
        return entry
    }

    private func open(_ folder: FilePath) throws -> OwnedDescriptor {
        do {
            return try OwnedDescriptor(folder, .readOnly, options: .directory)
        } catch {
            throw AssetPackError(.io, "Could not open the folder \"\(folder)\": \(error).", cause: nil)
        }
    }
}
