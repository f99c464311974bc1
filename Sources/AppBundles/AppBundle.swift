// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import System

/// An app on the disk whose `Info.plist` and extensions were checked (C2).
package struct AppBundle: Hashable, Sendable {
    /// The `Name.app` folder.
    package let path: FilePath
    package let identifier: String
    package let displayName: String
    /// `CFBundleShortVersionString`, what people see; `CFBundleVersion` when there is none.
    package let version: String
    /// `CFBundleVersion`.
    package let build: String
    /// The executable's name inside the folder.
    package let executableName: String
    package let backgroundAssets: BackgroundAssetsKeys
    /// The downloader extension, if the app has one.
    package let downloader: DownloaderExtension?

    package var executable: FilePath { path.appending(executableName) }

    /// Where the resources of the app in a folder are: beside its `Info.plist`.
    package static func resources(of app: FilePath) -> FilePath { app }
}

/// An app extension of the downloader's extension point (BA 2.2).
package struct DownloaderExtension: Hashable, Sendable {
    /// `EXExtensionPointIdentifier` of downloader extensions.
    package static let pointIdentifier = "com.apple.background-asset-downloader-extension"

    /// The folder, relative to the app's, such as `Extensions/Downloader.appex`.
    package let relativePath: FilePath
    package let identifier: String
    package let executableName: String

    /// The executable, relative to the app's folder.
    package var relativeExecutable: FilePath { relativePath.appending(executableName) }
}
