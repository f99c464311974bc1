// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

public import Foundation

extension AssetPackManager {
    /// One step in the download of an asset pack. (BA 1.11)
    ///
    /// Cases may be added; switch over updates with an `@unknown default`.
    public enum DownloadStatusUpdate: Sendable {
        /// The download began, or went on after a pause.
        case began(AssetPack)
        /// The download was paused.
        case paused(AssetPack)
        /// Bytes arrived. Each update carries a progress of its own, counted in bytes of the archive; cancelling any of them
        /// cancels the download.
        case downloading(AssetPack, Progress)
        /// The pack's files are on the device.
        case finished(AssetPack)
        /// The download ended without the pack. After `cancel()` the error is `URLError.cancelled`.
        case failed(AssetPack, any Error)
    }
}

extension AssetPackManager.DownloadStatusUpdate {
    /// The pack that the update is about.
    package var pack: AssetPack {
        switch self {
        case .began(let pack), .paused(let pack), .downloading(let pack, _), .finished(let pack), .failed(let pack, _):
            pack
        }
    }

    /// Whether the download is over.
    package var isFinal: Bool {
        switch self {
        case .finished, .failed: true
        case .began, .paused, .downloading: false
        }
    }
}
