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
