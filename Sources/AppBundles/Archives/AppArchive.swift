// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Kit
package import System

/// An Apple Archive that holds one `Name.app`.
package struct AppArchive: Sendable {
    package let path: FilePath
    /// How many files, folders and links it may hold: each may become one on the disk.
    package let maximumEntries: UInt64
    /// Bytes of all their names together: folders' names are kept until the end.
    package let maximumNameSize: UInt64

    package init(path: FilePath, maximumEntries: UInt64 = 1_000_000, maximumNameSize: UInt64 = 64 << 20) {
        self.path = path
        self.maximumEntries = maximumEntries
        self.maximumNameSize = maximumNameSize
    }

    /// What an archive holds, known without writing it out.
    package struct Survey: Sendable {
        /// The bundle as the checks see it; its path is gone.
        package let bundle: AppBundle
        /// `Name.app`
        package let folder: String
        /// Bytes of the bundle's files.
        package let size: Int64
    }

    /// Reads the whole archive and checks the bundle in it as a folder is checked. Only the files that the checks look at
    /// are written, below `scratch`, and are gone afterwards. Blocks.
    /// - Parameters:
    ///   - scratch: a folder, made when it is missing.
    ///   - limit: how many bytes the bundle may have.
    ///   - isCancelled: asked while reading.
    /// - Throws: `BundleError`; `CancellationError`
    package func survey(scratch: FilePath, limit: Int64, isCancelled: @escaping () -> Bool) throws -> Survey {
        let here = FileDescriptor.currentDirectory
        try here.makeDirectories(at: scratch, permissions: .directoryPrivate)
        let skeleton = try TemporaryDirectory(prefix: "app", in: scratch)
        let folder = try OwnedDescriptor(skeleton.path, .readOnly, options: .directory)
        let sink = AppArchiveSink(
            folder.borrowed, name: name, extent: .checkedFiles, limit: limit, maximumFolders: maximumEntries)
        let app = try read(into: sink) { if isCancelled() { throw CancellationError() } }
        do {
            let bundle = try AppBundleReader.bundle(at: skeleton.path.appending(app))
            return Survey(bundle: bundle, folder: app, size: sink.size)
        } catch let error as BundleError {
            // The place is of no interest: what is wrong is in the archive.
            let message = error.message.replacingEach(skeleton.path.string + "/", with: "")
            throw BundleError(error.code, "\(name): \(message)", cause: error.cause, findings: error.findings)
        }
    }

    /// Writes the bundle into an empty folder, with modes and links. Blocks.
    /// - Parameters:
    ///   - limit: what `survey` found; more is refused.
    ///   - progress: told the bytes written so far; what it throws ends the unpacking.
    /// - Returns: `Name.app`
    /// - Throws: `BundleError`, `Errno`, and what `progress` throws.
    package func unpack(to folder: FilePath, limit: Int64, progress: @escaping (Int64) throws -> Void) throws -> String
    {
        let target = try OwnedDescriptor(folder, .readOnly, options: .directory)
        let sink = AppArchiveSink(
            target.borrowed, name: name, extent: .everything, limit: limit, maximumFolders: maximumEntries)
        let app = try read(into: sink) { try progress(sink.written) }
        try progress(sink.written)
        return app
    }

    private var name: String { path.lastComponent?.string ?? path.string }

    private func read(into sink: AppArchiveSink, step: @escaping () throws -> Void) throws -> String {
        do {
            let file = try OwnedDescriptor(path, .readOnly)
            var limits = ArchiveLimits.default
            limits.maximumEntries = maximumEntries
            limits.maximumNameSize = maximumNameSize
            try ArchiveExtraction.read(file.borrowed, into: sink, limits: limits) { _ in try step() }
            return try sink.finish()
        } catch let error as ArchiveError {
            if let cause = error.cause as? Errno { throw AppArchive.explain(cause, error.message, path) }
            throw BundleError(.init(name: error.codeName), "\(name): \(error.message)")
        } catch let error as Errno {
            throw AppArchive.explain(error, "It cannot be read.", path)
        }
    }

    private static func explain(_ errno: Errno, _ what: String, _ path: FilePath) -> any Error {
        // The caller says what a full disk means.
        if [.noSpace, .diskQuotaExceeded].contains(errno) { return errno }
        return BundleError(.invalid, "\(path): \(what) \(errno)")
    }
}
