// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import BackgroundAssets
import Foundation

final class AssetController: NSObject, BADownloadManagerDelegate {
    private let manager = BADownloadManager.shared

    override init() {
        super.init()
        manager.delegate = self
    }

    func play(_ url: URL) async throws {
        let current = try await manager.currentDownloads
        if let download = current.first(where: { $0.identifier == "Level-2" }) {
            guard download.state != .failed else { return try manager.cancel(download) }
            try manager.startForegroundDownload(download)
        } else {
            let download = BAURLDownload(
                identifier: "Level-2", request: URLRequest(url: url), fileSize: 12,
                applicationGroupIdentifier: "group.com.example.game")
            do {
                try manager.scheduleDownload(download)
            } catch BAError.downloadAlreadyScheduled {
                return
            }
        }
        let count = try await manager.withExclusiveControl { try manager.fetchCurrentDownloads().count }
        print(count)
        manager.withExclusiveControl(beforeDate: Date()) { acquired, error in print(acquired, error as Any) }
        manager.fetchCurrentDownloads { downloads, error in
            print(downloads.map(\.uniqueIdentifier), (error as NSError?)?.domain == BAErrorDomain)
        }
    }

    func downloadDidBegin(_ download: BADownload) {}
    func downloadDidPause(_ download: BADownload) {}

    func download(
        _ download: BADownload, didWriteBytes bytesWritten: Int64, totalBytesWritten: Int64,
        totalBytesExpectedToWrite totalExpectedBytes: Int64
    ) {
        print(Double(totalBytesWritten) / Double(totalExpectedBytes))
    }

    func download(
        _ download: BADownload, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        completionHandler(.performDefaultHandling, nil)
    }

    func download(_ download: BADownload, failedWithError error: Error) {}
    func download(_ download: BADownload, finishedWithFileURL fileURL: URL) {}
}

@main
enum UnmanagedGame {
    static func main() async throws {
        guard let url = URL(string: "https://assets.example.com/level-2.pak") else { return }
        try await AssetController().play(url)
    }
}
