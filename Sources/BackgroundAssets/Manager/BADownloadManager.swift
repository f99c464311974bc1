// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import DeviceProtocol
public import Foundation
internal import Kit

/// Schedules downloads that the app or its extension chose themselves. (BA 1.3)
///
/// Calls that throw block until the device service has answered; do not make them on the main thread.
public final class BADownloadManager: NSObject, Sendable {
    /// The manager of this process's app.
    public static let shared = BADownloadManager(client: .current(), isInBackground: isInBackground)

    let client: DownloadClient
    private let feed: DownloadFeed
    private let isInBackground: Bool

    init(client: DownloadClient, isInBackground: Bool = false) {
        self.client = client
        self.isInBackground = isInBackground
        feed = DownloadFeed(client: client)
        super.init()
    }

    /// Whether whoever started this process said that no person has it before them.
    private static var isInBackground: Bool { Environment.current["LARDER_BACKGROUND"] == "1" }

    /// Hears what becomes of the downloads. While one is set the app's extension is not woken for them.
    public weak var delegate: (any BADownloadManagerDelegate)? {
        get { feed.delegate }
        set { feed.delegate = newValue }
    }

    // MARK: - Downloads

    /// The downloads that are scheduled or under way, whether app or extension scheduled them.
    /// - Throws: ``BAError``
    public func fetchCurrentDownloads() throws -> [BADownload] {
        try client.ask { CurrentDownloadsRequest(app: $0) }.downloads.map(BADownload.make)
    }

    /// As ``fetchCurrentDownloads()``, without blocking. The handler is called on a queue of the system's.
    public func fetchCurrentDownloads(
        completionHandler: @escaping @Sendable (_ downloads: [BADownload], _ error: (any Error)?) -> Void
    ) {
        Task {
            do {
                completionHandler(try await currentDownloads, nil)
            } catch {
                completionHandler([], error)
            }
        }
    }

    /// The downloads that are scheduled or under way, whether app or extension scheduled them.
    public var currentDownloads: [BADownload] {
        get async throws { try await offload { try self.fetchCurrentDownloads() } }
    }

    /// Schedules a download; the system decides when it starts.
    /// - Throws: ``BAError``: `downloadAlreadyScheduled` when the identifier is in use.
    public func scheduleDownload(_ download: BADownload) throws {
        var isRepeated = false
        let content = Self.ticketed(download)
        do {
            _ = try client.ask {
                ScheduleDownloadRequest(app: $0, download: content)
            } onRepeat: {
                isRepeated = true
            }
        } catch let error as BAError where error.code == .downloadAlreadyScheduled && isRepeated {
            // A service that was killed may have taken it before it could say so.
            guard try fetchCurrentDownloads().contains(download) else { throw error }
        }
        feed.setForeground(download.identifier, false)
    }

    /// Starts a download at once, or brings one that is scheduled to the foreground. It stays there until the app ends; a
    /// service that is restarted meanwhile puts it there again.
    /// - Throws: ``BAError``: in an extension `callFromExtensionNotAllowed`, in the background
    ///   `callFromInactiveProcessNotAllowed`.
    public func startForegroundDownload(_ download: BADownload) throws {
        feed.showPresence()
        let content = Self.ticketed(download)
        _ = try client.ask {
            StartForegroundDownloadRequest(app: $0, download: content, isInFront: !isInBackground)
        }
        feed.setForeground(download.identifier, true)
    }

    /// The download as this one call asks for it.
    private static func ticketed(_ download: BADownload) -> DownloadDescription {
        var content = download.content
        content.ticket = UUID().uuidString
        return content
    }

    /// Takes a download out of the queue and deletes what there is of it.
    /// - Throws: ``BAError``: `downloadNotScheduled` when it is not scheduled or has ended.
    public func cancel(_ download: BADownload) throws {
        _ = try client.ask { RemoveDownloadRequest(app: $0, identifier: download.identifier) }
        feed.setForeground(download.identifier, false)
    }
}
