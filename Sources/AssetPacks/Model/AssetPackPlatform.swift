// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// A system that a pack is meant for (BA 3.2). iPadOS counts as iOS; Linux is Larder's addition.
package enum AssetPackPlatform: String, CaseIterable, Hashable, Sendable, Comparable {
    case iOS
    case macOS
    case tvOS
    case visionOS
    case linux = "Linux"

    /// The option that names the platform on `ba-package`'s command line, without its dashes.
    package var optionName: String { rawValue.lowercased() }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
