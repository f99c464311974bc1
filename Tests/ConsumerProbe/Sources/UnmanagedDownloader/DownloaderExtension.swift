// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import BackgroundAssets
import ExtensionFoundation
import Foundation

@main
struct BackgroundDownloadHandler: BADownloaderExtension {
    private static let appGroupIdentifier = "group.com.example.game"

    func downloads(
        for request: BAContentRequest, manifestURL: URL, extensionInfo: BAAppExtensionInfo
    ) -> Set<BADownload> {
        guard let assetURL = URL(string: "https://assets.example.com/level-1.pak") else { return [] }
        switch request {
        case .install, .update:
            if let remaining = extensionInfo.restrictedEssentialDownloadSizeRemaining, remaining < 1_000_000 {
                return []
            }
            return [
                BAURLDownload(
                    identifier: "Level-1", request: URLRequest(url: assetURL), essential: true, fileSize: 1_000_000,
                    applicationGroupIdentifier: Self.appGroupIdentifier, priority: .default)
            ]
        case .periodic, .languageChange: return []
        @unknown default: return []
        }
    }

    func backgroundDownload(
        _ download: BADownload, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        (.performDefaultHandling, nil)
    }

    func backgroundDownload(_ failedDownload: BADownload, failedWithError error: Error) {
        guard type(of: failedDownload) == BAURLDownload.self else { return }
        if failedDownload.isEssential {
            do {
                let optionalDownload = failedDownload.removingEssential()
                try BADownloadManager.shared.scheduleDownload(optionalDownload)
            } catch {
                print("Failed to reschedule: \(error)")
            }
        }
    }

    func backgroundDownload(_ finishedDownload: BADownload, finishedWithFileURL fileURL: URL) {
        BADownloadManager.shared.withExclusiveControl { lockAcquired, error in
            guard lockAcquired else { return }
            guard
                let container = FileManager.default.containerURL(
                    forSecurityApplicationGroupIdentifier: Self.appGroupIdentifier)
            else { return }
            let destination = container.appendingPathComponent(finishedDownload.identifier)
            _ = try? FileManager.default.replaceItemAt(destination, withItemAt: fileURL)
        }
    }

    func extensionWillTerminate() {}
}
