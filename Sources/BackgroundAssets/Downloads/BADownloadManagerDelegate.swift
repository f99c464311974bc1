// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

public import Foundation

#if FoundationNetworking
    public import FoundationNetworking
#endif

/// Hears what becomes of the app's downloads while the app runs. (BA 1.4) Every method is optional.
///
/// They are called one after the other, on a queue that is not the main one.
public protocol BADownloadManagerDelegate: AnyObject {
    /// Bytes are asked for.
    func downloadDidBegin(_ download: BADownload)
    /// The download lost its place, was paused or met trouble that is waited out; it goes on by itself or when resumed.
    func downloadDidPause(_ download: BADownload)
    /// Bytes came.
    /// - Parameters:
    ///   - bytesWritten: since the last call.
    ///   - totalBytesWritten: in all.
    ///   - totalBytesExpectedToWrite: of the whole file; -1 when nobody knows.
    func download(
        _ download: BADownload, didWriteBytes bytesWritten: Int64, totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64)
    #if FoundationNetworking
        /// A server wants to know who asks, or is not trusted. Only this download waits for the answer, for a minute at most;
        /// without one the system handles the challenge as it does by default.
        ///
        /// One of the two forms is enough; this one is called, and leaves it to the other where it is not there.
        func download(
            _ download: BADownload, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)
        /// A server wants to know who asks, or is not trusted.
        func download(
            _ download: BADownload, didReceive challenge: URLAuthenticationChallenge
        ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)
    #endif
    /// The download has ended without a file.
    func download(_ download: BADownload, failedWithError error: any Error)
    /// The file is there. Move it before the method returns; otherwise it is deleted.
    func download(_ download: BADownload, finishedWithFileURL fileURL: URL)
}

extension BADownloadManagerDelegate {
    /// Does nothing.
    public func downloadDidBegin(_ download: BADownload) {}
    /// Does nothing.
    public func downloadDidPause(_ download: BADownload) {}
    /// Does nothing.
    public func download(
        _ download: BADownload, didWriteBytes bytesWritten: Int64, totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {}
    #if FoundationNetworking
        /// Leaves the answer to the form that returns it.
        public func download(
            _ download: BADownload, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            // The delegate's methods come on a queue of the system's in any case: what it shares is its own to make safe.
            nonisolated(unsafe) let delegate: any BADownloadManagerDelegate = self
            Task {
                let (disposition, credential) = await delegate.download(download, didReceive: challenge)
                completionHandler(disposition, credential)
            }
        }
        /// Leaves the answer to the system.
        public func download(
            _ download: BADownload, didReceive challenge: URLAuthenticationChallenge
        ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) { (.performDefaultHandling, nil) }
    #endif
    /// Does nothing.
    public func download(_ download: BADownload, failedWithError error: any Error) {}
    /// Does nothing, so the file goes.
    public func download(_ download: BADownload, finishedWithFileURL fileURL: URL) {}
}
