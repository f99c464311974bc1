// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

public import ExtensionFoundation
public import Foundation
internal import Kit

#if FoundationNetworking
    public import FoundationNetworking
#endif

/// An app's extension that downloads files before the app is opened and while it is closed. (BA 1.5)
///
/// An extension that conforms to this protocol decides itself what to download. For asset packs that the system manages,
/// conform to ``ManagedDownloaderExtension`` or to StoreKit's `StoreDownloaderExtension`.
public protocol BADownloaderExtension: AppExtension
where Configuration: BADownloaderExtensionConfiguration {
    /// What the app is to have now.
    ///
    /// The download manager takes nothing while this runs: whatever is wanted must be in the result.
    /// - Parameters:
    ///   - contentRequest: why the system asks.
    ///   - manifestURL: a file with what `BAManifestURL` serves. Read it; it is gone when this returns.
    ///   - extensionInfo: what may still be downloaded before the app is opened for the first time.
    func downloads(
        for contentRequest: BAContentRequest, manifestURL: URL, extensionInfo: BAAppExtensionInfo
    ) -> Set<BADownload>

    #if FoundationNetworking
        /// A server wants to know who asks, or is not trusted, and the app is not connected. Without an answer in time the
        /// system handles the challenge as it does by default.
        func backgroundDownload(
            _ download: BADownload, didReceive challenge: URLAuthenticationChallenge
        ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)
    #endif

    /// A download has ended without a file. It may be scheduled again from here.
    func backgroundDownload(_ failedDownload: BADownload, failedWithError error: any Error)

    /// A file is there. Move it before the method returns; otherwise it is deleted.
    func backgroundDownload(_ finishedDownload: BADownload, finishedWithFileURL fileURL: URL)

    /// The system is about to end the extension, because its run time is nearly used up. (BA 1.5, deprecated there)
    ///
    /// Advisory: it is called on another thread while the extension is busy, and not at all when the end comes at once.
    func extensionWillTerminate()
}

extension BADownloaderExtension {
    /// Wants nothing.
    public func downloads(
        for contentRequest: BAContentRequest, manifestURL: URL, extensionInfo: BAAppExtensionInfo
    ) -> Set<BADownload> { [] }

    #if FoundationNetworking
        /// Leaves the answer to the system.
        public func backgroundDownload(
            _ download: BADownload, didReceive challenge: URLAuthenticationChallenge
        ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) { (.performDefaultHandling, nil) }
    #endif

    /// Does nothing.
    public func backgroundDownload(_ failedDownload: BADownload, failedWithError error: any Error) {}

    /// Does nothing, so the file goes.
    public func backgroundDownload(_ finishedDownload: BADownload, finishedWithFileURL fileURL: URL) {}

    /// Does nothing.
    public func extensionWillTerminate() {}

    /// The configuration that hands the system's requests to the methods above.
    @MainActor @preconcurrency
    public var configuration: some BADownloaderExtensionConfiguration { UnmanagedConfiguration(extension: self) }
}

extension AppExtensionConnection {
    /// Has the extension told when its end is near.
    func tellOfTermination(_ downloader: some BADownloaderExtension) {
        // Safe as far as the extension makes it: its thread is busy when its time is up, so this method is called on another
        // one, as on Apple's systems. The protocol cannot ask for Sendable, which Apple's does not.
        nonisolated(unsafe) let tell: () -> Void = { downloader.extensionWillTerminate() }
        termination.withLock { $0 = { tell() } }
    }
}
