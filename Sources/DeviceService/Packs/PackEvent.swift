// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import AssetPacks
import Kit

/// Something that happened to a pack's download. It is told once the database knows it.
package struct PackEvent: Sendable {
    package enum Change: Sendable {
        /// Began, or went on after a pause.
        case began
        case paused
        case progress(PackProgress)
        /// The pack is local now.
        case finished(LocalPack)
        /// Trouble that is waited out; the download goes on by itself.
        case waiting(retryInSeconds: Double, StoreError)
        /// Settings or conditions hold it back; it goes on when they do no more.
        case held(HoldReason)
        case failed(StoreError)
    }

    package var app: String
    package var pack: DownloadManifestPack
    package var kind: FetchKind
    package var change: Change

    package init(app: String, pack: DownloadManifestPack, kind: FetchKind, change: Change) {
        self.app = app
        self.pack = pack
        self.kind = kind
        self.change = change
    }
}

/// How far a download is, in bytes.
package struct PackProgress: Hashable, Sendable {
    /// Of the archive, since the last event.
    package var written: Int64
    /// Of the archive, in all.
    package var downloaded: Int64
    package var expected: Int64
    /// Of the files, unpacked.
    package var unpacked: Int64
    package var bytesPerSecond: Double

    package init(written: Int64, downloaded: Int64, expected: Int64, unpacked: Int64, bytesPerSecond: Double) {
        self.written = written
        self.downloaded = downloaded
        self.expected = expected
        self.unpacked = unpacked
        self.bytesPerSecond = bytesPerSecond
    }
}
