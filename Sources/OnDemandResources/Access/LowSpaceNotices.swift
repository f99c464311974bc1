// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import BackgroundAssets
internal import DeviceProtocol
internal import Foundation
internal import Kit

/// Posts the notification of low space when the service says so, while this process uses resources.
final class LowSpaceNotices: Sendable {
    private let app: String
    private let service: ServiceClient
    private let listening = Locked<Task<Void, Never>?>(nil)

    init(app: String, service: ServiceClient) {
        self.app = app
        self.service = service
    }

    func begin() {
        listening.withLock { listening in
            listening?.cancel()
            listening = Task { [app, service] in await Self.follow(app, service) }
        }
    }

    func end() {
        listening.withLock { listening in
            listening?.cancel()
            listening = nil
        }
    }

    /// Reads one stream after the other, through restarts of the service.
    private static func follow(_ app: String, _ service: ServiceClient) async {
        await RetryPolicy.service.keepingUp { retries in
            do {
                for try await notice in try await service.stream(ResourceNoticesRequest(app: app)) {
                    retries.reset()
                    guard notice == .lowDiskSpace else { continue }
                    NotificationCenter.default.post(name: .NSBundleResourceRequestLowDiskSpace, object: nil)
                }
            } catch {}
            return .again
        }
    }
}
