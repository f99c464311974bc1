// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
package import System

/// Whole archives from an open file.
package enum ArchiveExtraction {
    /// How much is read from a file at a time, in bytes.
    private static let readSize = 256 << 10

    /// Feeds an archive file to a sink, from the file's offset to its end.
    /// - Parameters:
    ///   - progress: called with the bytes of the archive read so far; what it throws ends the reading.
    /// - Throws: `ArchiveError`, or what the sink throws.
    package static func read(
        _ file: FileDescriptor, into sink: any ArchiveSink, limits: ArchiveLimits = .default, threads: Int = 0,
        progress: ((UInt64) throws -> Void)? = nil
    ) throws {
        let decoder = try ArchiveDecoder(sink: sink, limits: limits, threads: threads)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: readSize, alignment: 4096)
        defer { buffer.deallocate() }
        file.expectSequentialReads()
        var total: UInt64 = 0
        while true {
            let count: Int
            do {
                count = try file.read(into: buffer)
            } catch {
                throw ArchiveError(.inputOutput, "The archive cannot be read.", cause: error)
            }
            if count == 0 { break }
            try decoder.feed(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            total += UInt64(count)
            try progress?(total)
        }
        try decoder.finish()
    }

    /// Extracts an archive file to a folder that does not exist yet or is empty. After a failure nothing is left: a new
    /// folder is put in its place only when it is complete.
    package static func extract(
        _ file: FileDescriptor, to folder: FilePath, options: ExtractionOptions = ExtractionOptions(),
        limits: ArchiveLimits = .default, threads: Int = 0, progress: ((UInt64) throws -> Void)? = nil
    ) throws -> ExtractionSummary {
        do {
            let here = FileDescriptor.currentDirectory
            if here.exists(at: folder) {
                let target = OwnedDescriptor(try here.openDirectory(at: folder))
                guard try target.borrowed.entries().isEmpty else {
                    throw ArchiveError(
                        .duplicatePath, "\(folder) is not empty; nothing is overwritten. Name another folder.")
                }
                return try extractClean(file, target.borrowed, options, limits, threads, progress)
            }
            let parent = folder.removingLastComponent()
            let staging = try TemporaryDirectory(
                prefix: ".\(folder.lastComponent?.string ?? "extract")", in: parent.isEmpty ? "." : parent)
            let content = staging.path.appending("content")
            try here.makeDirectory(at: content)
            let target = OwnedDescriptor(try here.openDirectory(at: content))
            let summary = try extractClean(file, target.borrowed, options, limits, threads, progress)
            try here.rename(from: content, to: folder)
            return summary
        } catch let error as Errno {
            throw ArchiveError(.inputOutput, "The archive cannot be extracted to \(folder).", cause: error)
        }
    }

    private static func extractClean(
        _ file: FileDescriptor, _ target: FileDescriptor, _ options: ExtractionOptions, _ limits: ArchiveLimits,
        _ threads: Int, _ progress: ((UInt64) throws -> Void)?
    ) throws -> ExtractionSummary {
        do {
            let extractor = DirectoryExtractor(directory: target, options: options)
            try read(file, into: extractor, limits: limits, threads: threads, progress: progress)
            try extractor.finish()
            return extractor.state.summary
        } catch {
            _ = try? target.removeContents()
            throw error
        }
    }
}
