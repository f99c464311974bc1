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

    package init(
        manifest: PackManifest, archiveSize: Int64, digest: String, installedSize: Int64, fileCount: Int,
        linkCount: Int, directoryCount: Int, warnings: [String]
    ) {
        self.manifest = manifest
        self.archiveSize = archiveSize
        self.digest = digest
        self.installedSize = installedSize
        self.fileCount = fileCount
        self.linkCount = linkCount
        self.directoryCount = directoryCount
        self.warnings = warnings
    }
}

/// Reads asset packs without unpacking them.
package enum PackInspector {
    /// Decodes a whole archive, checks that it is a sound asset pack, and takes its digest on the way. Blocks.
    /// - Parameters:
    ///   - witness: is shown what is read, too.
    ///   - isCancelled: asked now and then; true ends reading with `CancellationError`.
    ///   - progress: called with the bytes read so far and the archive's size.
    /// - Throws: `ArchiveError` or `AssetPackError`, which name the file.
    package static func inspect(
        _ path: FilePath, limits: ArchiveLimits = .default, witness: (any ArchiveWitness)? = nil,
        isCancelled: () -> Bool = { false }, progress: (_ completed: Int64, _ total: Int64) -> Void = { _, _ in }
    ) throws -> PackContents {
        let checker = PackChecker(source: path.string, limits: limits)
        let sink: any ArchiveSink = if let witness { ArchiveSinkPair(checker, witness) } else { checker }
        let reading = try ArchiveReading.read(
            path, into: sink, limits: limits, witness: witness, isCancelled: isCancelled, progress: progress)
        return try checker.contents(archiveSize: reading.size, digest: reading.digest.hex)
    }

    /// Shows every entry of any archive to `body`, in the archive's order. Blocks.
    /// - Throws: `ArchiveError` or `AssetPackError`, which name the file, and what `body` throws. Entries that get in each
    ///   other's way are all shown before that is an error.
    package static func forEachEntry(
        of path: FilePath, limits: ArchiveLimits = .default, _ body: @escaping (EntryHeader) throws -> Void
    ) throws {
        let lister = EntryLister(body: body)
        try ArchiveReading.read(path, into: lister, limits: limits)
        guard let problem = lister.problem else { return }
        throw AssetPackError(.verification, "\(path): \(problem); the archive cannot be extracted.")
    }

    /// Opens an archive of which parts are read here and there.
    /// - Throws: `AssetPackError` that names it, also when it is a pipe or a device.
    package static func open(_ path: FilePath) throws -> OwnedDescriptor {
        do {
            // A pipe is not opened: that would wait for who writes to it.
            switch try FileDescriptor.currentDirectory.status(at: path, followingLinks: true).kind {
            case .regular, .directory: return try openStream(path)
            case .symbolicLink, .other:
                throw AssetPackError(
                    .io,
                    "\"\(path)\" is a pipe or a device, where an archive must stand, of which parts are read here and there. "
                        + "Write it to a file first.")
            }
        } catch let error as Errno {
            throw unopened(path, error)
        }
    }

    /// Opens an archive that is read from its beginning to its end; it may come through a pipe.
    /// - Throws: `AssetPackError` that names it.
    package static func openStream(_ path: FilePath) throws -> OwnedDescriptor {
        do {
            let file = try OwnedDescriptor(path, .readOnly)
            guard try file.borrowed.status().kind != .directory else { throw Errno.isDirectory }
            return file
        } catch let error as Errno {
            throw unopened(path, error)
        }
    }

    private static func unopened(_ path: FilePath, _ error: Errno) -> AssetPackError {
        switch error {
        case .noSuchFileOrDirectory: AssetPackError(.notFound, "There is no archive at \"\(path)\".")
        case .isDirectory: AssetPackError(.io, "\"\(path)\" is a folder, where an archive must stand.")
        default: AssetPackError(.io, "Could not open \"\(path)\": \(error.clause).")
        }
    }
}

/// Hands entries on, drops their contents, and notices the first that cannot be beside an earlier one.
private final class EntryLister: ArchiveSink {
    private let body: (EntryHeader) throws -> Void
    private var isFolder: [String: Bool] = [:]
    private(set) var problem: String?

    init(body: @escaping (EntryHeader) throws -> Void) { self.body = body }

    func begin(_ entry: EntryHeader) throws {
        try body(entry)
        guard problem == nil, !entry.path.isEmpty else { return }
        if let blocker = nearestBlocker(of: entry.path) {
            problem = "\"\(entry.path)\" passes through \"\(blocker)\", which is no folder"
        } else if isFolder.updateValue(entry.type == .directory, forKey: entry.path) != nil {
            problem = "the path \"\(entry.path)\" stands twice"
        }
    }

    /// The nearest entry above `path`, when it is something else than a folder.
    private func nearestBlocker(of path: String) -> Substring? {
        var parent = path[...]
        while let slash = parent.utf8.lastIndex(of: UInt8(ascii: "/")) {
            parent = parent[..<slash]
            if let isFolder = isFolder[String(parent)] { return isFolder ? nil : parent }
        }
        return nil
    }

    func data(_ bytes: UnsafeRawBufferPointer) throws {}
    func end() throws {}
}
