// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import AssetPacks
import Kit
import System

extension PackCommands {
    static let archive = Command(
        "archive", summary: "Pack a folder as a plain Apple Archive",
        discussion: """
            The archive holds the folder under its own name, with what is in it: files, folders and links with their modes. \
            Sockets, pipes and devices are left out. The same files give the same archive, byte for byte, whatever their \
            times and owners. An archive of a Name.app can be installed. The archive appears when it is complete; nothing is \
            overwritten.
            """,
        examples: [
            .init("larder archive TheCoast.app -o TheCoast.aar", "makes an archive for `larder install`"),
            .init("ba-package archive Levels -o Levels.aar --compression lzma", "makes a smaller archive, slowly"),
        ],
        options: [
            .value(
                PackSupport.outputOption, short: "o", "file.aar", "Where the archive goes; nothing is overwritten.",
                completion: .file),
            PackSupport.compressionOption, PackSupport.blockSizeOption, PackSupport.quiet,
        ],
        arguments: [CommandArgument("folder", "The folder.", completion: .directory)]
    ) { arguments, context in
        let folder = try context.absolute(context.resolve(try arguments.requiredArgument("folder")))
        let output = try PackSupport.archiveOutput(arguments)
        let blockSize = try ByteSize.value("block-size", arguments, in: ArchiveWriter.blockSizes)
        let compression = arguments.value("compression").flatMap { Compression(rawValue: $0) }
        let isQuiet = arguments.flag("quiet")
        let progress = PackProgress(arguments, context)
        defer { progress.clear() }
        let size = try await offloadCancellable { isCancelled in
            try FolderArchive(
                folder: folder, compression: compression ?? .lzfse,
                blockSize: blockSize ?? ArchiveWriter.defaultBlockSize
            ).write(to: context.resolve(output), isCancelled: isCancelled) { bytes in
                progress.update("Packing", bytes, of: nil)
            }
        }
        progress.clear()
        if !isQuiet {
            let name = PackSupport.printable(folder.lastComponent?.string ?? "/")
            context.print("\(output): \(name), packed to \(ByteCount.formatted(size))")
        }
        return .success
    }
}

/// A folder on its way into an archive.
struct FolderArchive: Sendable {
    var folder: FilePath
    var compression: Compression
    var blockSize: Int

    /// Blocks. Neither a failure nor a kill leaves anything behind.
    /// - Parameter progress: called with the bytes packed so far, before compression.
    /// - Returns: the archive's size in bytes.
    /// - Throws: `AssetPackError`, `ArchiveError`; `CancellationError`
    func write(
        to path: FilePath, isCancelled: @escaping () -> Bool, progress: @escaping (Int64) -> Void
    ) throws -> Int64 {
        let status = try? FileDescriptor.currentDirectory.status(at: folder, followingLinks: true)
        guard status?.kind == .directory, let name = folder.lastComponent?.string else {
            throw AssetPackError(.notFound, "\(folder) is no folder that can be packed. Name one.")
        }
        do {
            var file = try NewFile(at: path)
            let descriptor = file.descriptor
            let output: ArchiveWriter.Output = { bytes in
                if isCancelled() { throw CancellationError() }
                do {
                    try descriptor.writeFully(bytes)
                } catch {
                    throw Packager.describe(error, writing: path)
                }
            }
            let writer = try ArchiveWriter(
                output: output, compression: compression, blockSize: blockSize, fields: .mode)
            writer.onProgress = { progress(Int64(clamping: $0)) }
            try writer.appendTree(folder, as: name)
            try writer.finish()
            try file.publish()
            return Int64(clamping: writer.archiveSize)
        } catch let error as Errno {
            throw Packager.describe(error, writing: path)
        }
    }
}
