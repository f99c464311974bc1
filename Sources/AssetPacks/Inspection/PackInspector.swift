// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import AppleArchive
import Crypto
package import Kit
package import System

/// What is in an asset pack, found by reading all of it.
package struct PackContents: Hashable, Sendable {
    package let manifest: PackManifest
    /// The archive's size in bytes.
    package let archiveSize: Int64
    /// The archive's `sha256-tree-1m` digest.
    package let digest: String
    /// The sum of the files' sizes, in bytes.
    package let installedSize: Int64
    package let fileCount: Int
    package let linkCount: Int
    package let directoryCount: Int
    /// What is sound but seldom meant.
    package let warnings: [String]
}

/// Reads asset packs without unpacking them.
package enum PackInspector {
    /// Decodes a whole archive, checks that it is a sound asset pack, and takes its digest on the way. Blocks.
    /// - Parameters:
    ///   - isCancelled: asked now and then; true ends reading with `CancellationError`.
    ///   - progress: called with the bytes read so far and the archive's size.
    /// - Throws: `ArchiveError` or `AssetPackError`, which name the file.
    package static func inspect(
        _ path: FilePath, limits: ArchiveLimits = .default, isCancelled: () -> Bool = { false },
        progress: (_ completed: Int64, _ total: Int64) -> Void = { _, _ in }
    ) throws -> PackContents {
        let checker = PackChecker(source: path.string)
        let (size, digest) = try read(
            path, into: checker, limits: limits, isCancelled: isCancelled, progress: progress)
        return try checker.contents(archiveSize: size, digest: digest.hex)
    }

    /// Shows every entry of any archive to `body`, in the archive's order. Blocks.
    /// - Throws: `ArchiveError` or `AssetPackError`, which name the file, and what `body` throws.
    package static func forEachEntry(
        of path: FilePath, limits: ArchiveLimits = .default, _ body: @escaping (EntryHeader) throws -> Void
    ) throws {
        _ = try read(path, into: EntryLister(body: body), limits: limits, isCancelled: { false }) { _, _ in }
    }

    /// Opens an archive to read it.
    /// - Throws: `AssetPackError` that names it.
    package static func open(_ path: FilePath) throws -> OwnedDescriptor {
        do {
            let file = try OwnedDescriptor(path, .readOnly)
            guard try file.borrowed.status().kind != .directory else { throw Errno.isDirectory }
            return file
        } catch Errno.noSuchFileOrDirectory {
            throw AssetPackError(.notFound, "There is no archive at \"\(path)\".")
        } catch Errno.isDirectory {
            throw AssetPackError(.io, "\"\(path)\" is a folder, where an archive must stand.")
        } catch {
            throw AssetPackError(.io, "Could not open \"\(path)\": \(error).", cause: nil)
        }
    }

    private static func read(
        _ path: FilePath, into sink: any ArchiveSink, limits: ArchiveLimits, isCancelled: () -> Bool,
        progress: (Int64, Int64) -> Void
    ) throws -> (size: Int64, digest: Digest) {
        let file = try open(path)
        let total = (try? file.borrowed.status().size) ?? 0
        var digest = TreeDigest()
        let decoder = try ArchiveDecoder(sink: sink, limits: limits, threads: 0)
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
            throw AssetPackError(.io, "Could not read \"\(path)\": \(error).", cause: nil)
        }
        return (digest.length, digest.finish())
    }
}

/// Hands entries on and drops their contents.
private final class EntryLister: ArchiveSink {
    private let body: (EntryHeader) throws -> Void

    init(body: @escaping (EntryHeader) throws -> Void) { self.body = body }

    func begin(_ entry: EntryHeader) throws { try body(entry) }
    func data(_ bytes: UnsafeRawBufferPointer) throws {}
    func end() throws {}
}
