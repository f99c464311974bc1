// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import DeviceProtocol
internal import Foundation

extension AssetPack {
    /// Makes a download of the pack's archive, for an app that manages its packs by hand.
    ///
    /// - Parameter contentRequest: The request that a downloader extension answers; `nil` in an app. Only a download made for
    ///   an installation or an update that the pack's policy names is essential.
    public func download(for contentRequest: BAContentRequest?) -> BADownload {
        BADownload(
            content: DownloadDescription(
                identifier: id, uniqueIdentifier: UUID().uuidString, url: source ?? "",
                isEssential: policy.isEssential(for: contentRequest), fileSize: Int64(downloadSize),
                appGroup: appGroupID ?? "", isPack: true))
    }
}
