// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// At which event of an app's life a pack is fetched without being asked for (BA 3.2).
package enum InstallationEventType: String, CaseIterable, Hashable, Sendable, Comparable, Codable {
    /// The app comes to the device.
    case firstInstallation
    /// A newer version of the app replaces an older one.
    case subsequentUpdate

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
