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
    /// Of the uncompressed stream, in bytes; nil for what suits the content (`suitableBlockSize`).
    package var blockSize: Int?
    /// How many threads compress; 0 is one for each core.
    package var threads = 0
    /// Whether times are taken out of files that note when they were made (`ContentNormalizer`).
    package var normalizesContent = false

    /// Is shown each block's content and the size of its payload, as by `ArchiveWriter.onBlock`.
    package typealias BlockObserver = (_ content: UnsafeRawBufferPointer, _ storedSize: Int) throws -> Void

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
    ///   - workspace: has the calling thread do all the work, with this memory.
    ///   - isCancelled: asked after each block; true ends packing with `CancellationError`.
    ///   - progress: called on the calling thread after each block.
    ///   - observer: is shown the archive's bytes in order, on the calling thread.
    ///   - blockObserver: is shown the archive's blocks in order, on the calling thread.
    /// - Throws: `AssetPackError`; `outputExists` when something is at `path`.
    package func package(
        to path: FilePath, workspace: ArchiveWorkspace? = nil, isCancelled: @escaping () -> Bool = { false },
        progress: @escaping (Progress) -> Void = { _ in },
        observer: @escaping (UnsafeRawBufferPointer) -> Void = { _ in }, blockObserver: BlockObserver? = nil
    ) throws -> Result {
        do {
            var file = try NewFile(at: path)
            let descriptor = file.descriptor
            let result = try write(workspace: workspace, progress: progress, blockObserver: blockObserver) { bytes in
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
        workspace: ArchiveWorkspace? = nil, progress: @escaping (Progress) -> Void = { _ in },
        blockObserver: BlockObserver? = nil, to output: @escaping ArchiveWriter.Output
    ) throws -> Result {
        let root = try open(evaluation.sourceDirectory)
        let total = evaluation.selection.totalSize
        do {
            let blockSize = try blockSize ?? suitableBlockSize()
            let writer = try ArchiveWriter(
                output: output, compression: compression, blockSize: blockSize, threads: threads, fields: .mode,
                workspace: workspace)
            writer.onProgress = { progress(Progress(completed: min(Int64(clamping: $0), total), total: total)) }
            writer.onBlock = blockObserver
            try writer.append(
                Self.entry(.regularFile, Self.manifestName, mode: 0o644), bytes: evaluation.manifest.archivedBytes)
            try writer.append(Self.entry(.directory, Self.contentsName, mode: 0o755))
            var contentSize: Int64 = 0
            for item in evaluation.selection.items {
                contentSize += try append(item, from: root.borrowed, to: writer)
            }
            try writer.finish()
            return Result(archiveSize: Int64(clamping: writer.archiveSize), contentSize: contentSize)
        } catch let error as ArchiveError {
            throw failure(error)
        }
    }

    func failure(_ error: ArchiveError) -> AssetPackError {
        AssetPackError(
            error.code == .sourceChanged ? .changedWhileReading : .io,
            "Packing \"\(evaluation.manifest.assetPackID)\" failed: \(error.description)", cause: nil)
    }

    /// - Returns: how many bytes of content that is.
    private func append(_ item: Selection.Item, from root: FileDescriptor, to writer: ArchiveWriter) throws -> Int64 {
        let path = "\(Self.contentsName)/\(item.destination.string)"
        switch item.content {
        case .directory:
            try writer.append(Self.entry(.directory, path, mode: 0o755))
            return 0
        case .link(_, let target):
            var entry = Self.entry(.symbolicLink, path, mode: 0o755)
            entry.linkTarget = target
            try writer.append(entry)
            return 0
        case .file(let source, let size, let isExecutable):
            let file = try self.file(source, size, in: root)
            let data = try normalized(file) ?? file
            try writer.append(Self.entry(.regularFile, path, mode: isExecutable ? 0o755 : 0o644), data: data)
            return Int64(clamping: data.size)
        }
    }

    /// A selected file, as long as it is what was selected.
    func file(_ source: PackPath, _ size: Int64, in root: FileDescriptor) throws -> FileDataSource {
        let name = FilePath(source.string)
        guard let status = try? root.status(at: name), status.kind == .regular, status.size == size else {
            throw AssetPackError(
                .changedWhileReading,
                "\"\(source)\" changed while it was being packed. Pack again when nothing writes to it.")
        }
        return try FileDataSource(directory: root, path: name, status: status)
    }

    /// The file without its times; nil when that is not wanted, or there is nothing to change.
    private func normalized(_ file: FileDataSource) throws -> (any ArchiveDataSource)? {
        guard normalizesContent, (1...UInt64(ContentNormalizer.maximumSize)).contains(file.size) else { return nil }
        func read(_ count: Int) throws -> [UInt8] {
            try [UInt8](unsafeUninitializedCapacity: count) { room, initialized in
                try file.read(
                    at: 0, into: UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(room)[..<count]))
                initialized = count
            }
        }
        let prefix = try read(Int(min(file.size, UInt64(ContentNormalizer.prefixSize))))
        guard ContentNormalizer.mayConcern(prefix: prefix) else { return nil }
        return ContentNormalizer.normalized(try read(Int(file.size))).map { BytesDataSource($0) }
    }

    private static func entry(_ type: EntryType, _ path: String, mode: UInt16) -> EntryHeader {
        var entry = EntryHeader(type: type, path: path)
        entry.mode = mode
        return entry
    }

    func open(_ folder: FilePath) throws -> OwnedDescriptor {
        do {
            return try OwnedDescriptor(folder, .readOnly, options: .directory)
        } catch {
            throw AssetPackError(.io, "Could not open the folder \"\(folder)\": \(error.clause).", cause: nil)
        }
    }
}
