// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import DeviceProtocol
public import ExtensionFoundation
internal import Foundation

#if FoundationNetworking
    internal import FoundationNetworking
#endif

/// How a downloader extension answers the system.
@MainActor @preconcurrency
public protocol BADownloaderExtensionConfiguration: AppExtensionConfiguration {}

/// Hands the system's requests to an extension that decides for itself.
struct UnmanagedConfiguration<Extension: BADownloaderExtension>: BADownloaderExtensionConfiguration {
    let `extension`: Extension

    func accept(connection: AppExtensionConnection) -> Bool {
        connection.handle(ContentRequest.self) { request in
            let information = BAAppExtensionInfo(
                downloadSizeRemaining: request.downloadSizeRemaining.map { Int($0) },
                essentialDownloadSizeRemaining: request.essentialDownloadSizeRemaining.map { Int($0) })
            let downloads = `extension`.downloads(
                for: BAContentRequest(name: request.event),
                manifestURL: URL(fileURLWithPath: request.manifest, isDirectory: false), extensionInfo: information)
            return ContentRequest.Reply(downloads: downloads.map(\.content).sorted { $0.identifier < $1.identifier })
        }
        connection.handle(BackgroundDownloadRequest.self) { request in
            let download = BADownload.make(request.step.download)
            let hearing = Hearing(request.step)
            if request.step.change == .finished {
                let file = URL(fileURLWithPath: request.step.file ?? "", isDirectory: false)
                `extension`.backgroundDownload(download, finishedWithFileURL: file)
            } else {
                let error = request.step.error ?? DeviceError(.failed, "The download failed.")
                `extension`.backgroundDownload(download, failedWithError: downloadError(error))
            }
            hearing.end(request.step)
            return EmptyReply()
        }
        #if FoundationNetworking
            // The extension is asked nothing else until it has answered.
            nonisolated(unsafe) let downloader = `extension`
            connection.handle(ChallengeRequest.self) { request in
                guard let challenge = URLAuthenticationChallenge(request.challenge) else { return .byDefault }
                let (disposition, credential) = await downloader.backgroundDownload(
                    BADownload.make(request.download), didReceive: challenge)
                return ChallengeAnswer(disposition, credential, to: request.challenge)
            }
        #endif
        connection.tellOfTermination(`extension`)
        return true
    }
}

extension BAContentRequest {
    /// Names that a newer service may send count as periodic: they ask what the app is to have now.
    init(name: String) {
        switch name {
        case "install": self = .install
        case "update": self = .update
        case "languageChange": self = .languageChange
        default: self = .periodic
        }
    }
}
