// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import DeviceProtocol
internal import ExtensionFoundation

/// How an extension for managed asset packs answers the system.
public protocol ManagedDownloaderExtensionConfiguration: BADownloaderExtensionConfiguration {}

/// Hands the system's questions to the extension.
struct ManagedConfiguration<Extension: ManagedDownloaderExtension>: ManagedDownloaderExtensionConfiguration {
    let `extension`: Extension

    func accept(connection: AppExtensionConnection) -> Bool {
        connection.handle(ShouldDownloadRequest.self) { request in
            ShouldDownloadRequest.Reply(download: `extension`.shouldDownload(AssetPack(request.assetPack)))
        }
        connection.tellOfTermination(`extension`)
        return true
    }
}
