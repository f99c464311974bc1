// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import Kit
import System

/// What is to be installed: a folder `Name.app`, or an archive of one.
struct AppSource: Sendable {
    /// Checked; of an archive, its path is gone.
    var bundle: AppBundle
    /// Bytes of the bundle's files.
    var size: Int64
    /// `Name.app` in an archive; nil for a folder.
    var folder: String?
    /// When anything of the folder, or the archive, changed last.
    var lastChange: Timestamp?

    /// Reads and checks what is at `path`.
    /// - Parameter sweeper: who knows what is free.
    /// - Throws: `BundleError`, `DeviceError` saying what must be put right.
    static func look(at path: FilePath, paths: LarderPaths, sweeper: Sweeper) async throws -> AppSource {
        try await offloadCancellable { isCancelled in
            let here = FileDescriptor.currentDirectory
            guard let status = try? here.status(at: path, followingLinks: true), status.kind == .regular else {
                let size = try TreeSize.measure(path)
                return AppSource(
                    bundle: try AppBundleReader.bundle(at: path), size: size.logical, lastChange: size.lastChange)
            }
            // The real planning follows; an archive that claims more than the disk has is not even read to its end.
            let room = try sweeper.space(at: paths.state).available
            let survey = try AppArchive(path: path).survey(
                scratch: paths.incoming, limit: room, isCancelled: isCancelled)
            return AppSource(
                bundle: survey.bundle, size: survey.size, folder: survey.folder, lastChange: status.changeTime)
        }
    }
}
