// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// When the system downloads a pack by itself. (BA 2.3, 3.2)
package enum DownloadPolicy: Sendable, Hashable {
    /// As part of installing or updating the app, which cannot be opened before.
    case essential(Set<InstallationEvent>)
    /// Starts with installing or updating, and may finish after the app was opened.
    case prefetch(Set<InstallationEvent>)
    /// Only when the app asks.
    case onDemand

    /// An event that a policy can name.
    package enum InstallationEvent: String, Sendable, Hashable, CaseIterable {
        case firstInstallation
        case subsequentUpdate
    }

    /// Whether a download for `request` belongs to the installation itself.
    package func isEssential(for request: BAContentRequest?) -> Bool {
        guard case .essential(let events) = self, let request else { return false }
        switch request {
        case .install: return events.contains(.firstInstallation)
        case .update: return events.contains(.subsequentUpdate)
        default: return false
        }
    }
}
