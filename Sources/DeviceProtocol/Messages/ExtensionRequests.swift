// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// What the service asks a managed downloader extension: is this pack to be downloaded now (BA 1.13)?
///
/// It goes over the socket pair between the service and the extension's process, not over the service's own socket.
package struct ShouldDownloadRequest: DeviceRequest {
    package static let method = "shouldDownload"
    package var assetPack: PackDescription
    /// The name of the content request: `install`, `update`, `periodic` or `languageChange`.
    package var event: String

    package init(assetPack: PackDescription, event: String) {
        self.assetPack = assetPack
        self.event = event
    }

    package struct Reply: Codable, Hashable, Sendable {
        package var download: Bool
        package init(download: Bool) { self.download = download }
    }
}

/// Asks an extension what it wants downloaded (BA 1.5 `downloads(for:manifestURL:extensionInfo:)`).
package struct ContentRequest: DeviceRequest {
    package static let method = "downloads"
    /// The name of the content request.
    package var event: String
    /// The file with the app's manifest, which goes when the answer is there.
    package var manifest: String
    /// Bytes left of `BADownloadAllowance` and `BAEssentialDownloadAllowance`; nil: not restricted.
    package var downloadSizeRemaining: Int64?
    package var essentialDownloadSizeRemaining: Int64?

    package init(
        event: String, manifest: String, downloadSizeRemaining: Int64?, essentialDownloadSizeRemaining: Int64?
    ) {
        self.event = event
        self.manifest = manifest
        self.downloadSizeRemaining = downloadSizeRemaining
        self.essentialDownloadSizeRemaining = essentialDownloadSizeRemaining
    }

    package struct Reply: Codable, Hashable, Sendable {
        package var downloads: [DownloadDescription]
        package init(downloads: [DownloadDescription]) { self.downloads = downloads }
    }
}

/// Tells an extension that a download ended (BA 1.5 `backgroundDownload(…)`); the answer is the acknowledgement.
package struct BackgroundDownloadRequest: DeviceRequest {
    package static let method = "backgroundDownload"
    package typealias Reply = EmptyReply
    package var step: DownloadStep
    package init(step: DownloadStep) { self.step = step }
}

/// Tells the extension that its time is nearly up (BA 1.5 `extensionWillTerminate`). It has no answer, and comes at any moment,
/// also while a request is being answered.
package struct ExtensionWillTerminateNotice: DeviceMessage {
    package static let method = "extensionWillTerminate"
    package init() {}
}
