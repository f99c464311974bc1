// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import DeviceProtocol
package import Kit

/// Downloads an app's asset packs, tells how far they are, and gives the app the files in them. (BA 1.11)
///
/// All packs on the device look like one folder, the one that their sources were packed from:
/// ```swift
/// let video = try AssetPackManager.shared.contents(at: "Videos/Introduction.m4v")
/// ```
/// Reading asks nobody. It works while the device service is down, and what was opened stays whole through any update or
/// removal. Where two packs have one path, the pack whose identifier comes first in byte order is read, unless the call names
/// another.
///
/// A mistake in the app's set-up is an error of the call that needs what is missing; it never ends the process.
public actor AssetPackManager {
    /// The manager of this app's packs.
    public static let shared = AssetPackManager()

    nonisolated let local: LocalPacks
    nonisolated let feed: StatusFeed
    nonisolated let service: ServiceClient
    nonisolated let bundleID: String

    /// - Parameters:
    ///   - identity: which app this is, or why that is not known; the error is thrown by the calls that need to know.
    ///   - patience: how long updates of one pack wait for a service that has gone.
    ///   - connect: opens a connection to the device service.
    package init(
        identity: Result<AppIdentity, any Error>, patience: RetryPolicy = .service,
        connect: @escaping @Sendable (AppIdentity) async throws -> DeviceConnection
    ) {
        let service = ServiceClient { try await connect(identity.get()) }
        local = LocalPacks(root: identity.map(\.root))
        bundleID = (try? identity.get().bundleID) ?? ""
        feed = StatusFeed(bundleID: bundleID, service: service, local: local, patience: patience)
        self.service = service
    }

    private init() {
        self.init(identity: Result { try AppIdentity.current() }) { identity in
            try await DeviceConnection.connect(for: identity)
        }
    }

    /// Asks the service, once all subscriptions made so far are known to it.
    func ask<Request: DeviceRequest>(
        _ request: Request, aboutPackWithID id: String? = nil, repeatedly: Bool = true
    ) async throws -> Request.Reply {
        await feed.settle()
        do {
            return repeatedly ? try await service.sendRepeatedly(request) : try await service.send(request)
        } catch {
            throw clientError(error, forPackWithID: id)
        }
    }
}
