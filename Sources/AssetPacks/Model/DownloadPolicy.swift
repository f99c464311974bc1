// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// When a device fetches a pack (A2, BA 2.3).
package enum DownloadPolicy: Hashable, Sendable {
    /// As part of the app's installation: the app cannot be launched before it is there.
    case essential(Set<InstallationEventType>)
    /// From the installation on, in the background; may end after the first launch.
    case prefetch(Set<InstallationEventType>)
    /// Only when the app asks.
    case onDemand

    /// The key that stands for the policy in manifests.
    package var name: String {
        switch self {
        case .essential: "essential"
        case .prefetch: "prefetch"
        case .onDemand: "onDemand"
        }
    }

    package static let names = ["essential", "prefetch", "onDemand"]

    /// The events at which the pack is fetched by itself; empty for `onDemand`.
    package var installationEventTypes: Set<InstallationEventType> {
        switch self {
        case .essential(let events), .prefetch(let events): events
        case .onDemand: []
        }
    }
}

extension DownloadPolicy: CustomStringConvertible {
    package var description: String {
        let events = installationEventTypes.sorted().map(\.rawValue)
        return events.isEmpty ? name : "\(name) (\(events.joined(separator: ", ")))"
    }
}
