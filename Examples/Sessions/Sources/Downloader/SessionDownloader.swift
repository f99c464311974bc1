// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import BackgroundAssets
import ExtensionFoundation
import SessionLibrary

/// Downloads the films before the app is opened and while it is closed.
@main
struct SessionDownloader: BADownloaderExtension {
    func downloads(
        for contentRequest: BAContentRequest, manifestURL: URL, extensionInfo: BAAppExtensionInfo
    ) -> Set<BADownload> {
        guard let library = try? SessionLibrary(), let manifest = try? SessionManifest(contentsOf: manifestURL) else {
            return []
        }
        try? library.keep(manifestAt: manifestURL)
        let mayBeEssential = contentRequest == .install || contentRequest == .update
        let missing = manifest.sessions.filter { !library.has($0) }
        return Set(missing.map { $0.download(mayBeEssential: mayBeEssential) })
    }

    func backgroundDownload(
        _ download: BADownload, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        (try? SessionLibrary().answer(challenge)) ?? (.performDefaultHandling, nil)
    }

    func backgroundDownload(_ finishedDownload: BADownload, finishedWithFileURL fileURL: URL) {
        BADownloadManager.shared.withExclusiveControl { acquired, _ in
            guard acquired else { return }
            try? SessionLibrary().keep(fileURL, as: finishedDownload.identifier)
        }
    }

    func backgroundDownload(_ failedDownload: BADownload, failedWithError error: any Error) {
        // What could not be part of the install may still come later.
        guard failedDownload.isEssential else { return }
        try? BADownloadManager.shared.scheduleDownload(failedDownload.removingEssential())
    }
}
