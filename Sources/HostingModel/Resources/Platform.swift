// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Systems as App Store Connect spells them; `LINUX` is Larder's addition.
package enum Platform: String, CaseIterable, Hashable, Sendable {
    case iOS = "IOS"
    case macOS = "MAC_OS"
    case tvOS = "TV_OS"
    case visionOS = "VISION_OS"
    case linux = "LINUX"

    package static let names = allCases.map(\.rawValue)

    /// The system that manifests and devices call so: `iOS`, `Linux`.
    package init?(manifestName: String) {
        switch manifestName {
        case "iOS": self = .iOS
        case "macOS": self = .macOS
        case "tvOS": self = .tvOS
        case "visionOS": self = .visionOS
        case "Linux": self = .linux
        default: return nil
        }
    }
}
