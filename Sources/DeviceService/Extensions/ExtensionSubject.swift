// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import Kit
import System

/// The extension that is to be run, and the places that belong to it.
struct ExtensionSubject: Hashable, Sendable {
    /// The app's bundle id.
    let app: String
    /// The app's folder, which holds the extension.
    let bundle: FilePath
    let downloader: DownloaderExtension
    /// Where it may write while it runs; emptied before and after.
    let scratch: FilePath
    /// What it shares with its app; nil when the app names no usable group.
    let group: FilePath?
    /// What may be in the group's folder before the app's first launch, in bytes; nil where nothing restricts it.
    let groupAllowance: Int64?
    /// Further files that it may read, such as the manifest it is to look at.
    var files: [FilePath] = []
    /// Further folders that it may write: of groups with downloads that it is told of.
    var folders: [FilePath] = []

    /// - Parameter bundle: the app; during an install or update, the one that is being installed. nil without an extension.
    init?(_ bundle: AppBundle, paths: LarderPaths) {
        guard let downloader = bundle.downloader else { return nil }
        app = bundle.identifier
        self.bundle = bundle.path
        self.downloader = downloader
        scratch = paths.appRoot(bundle.identifier).appending("scratch")
        group = bundle.backgroundAssets.appGroupID.flatMap { paths.groupFolder($0) }
        groupAllowance = FolderBound.allowance(bundle.backgroundAssets)
    }

    var executable: FilePath { bundle.pushing(downloader.relativeExecutable) }
    var folder: FilePath { bundle.pushing(downloader.relativePath) }
}
