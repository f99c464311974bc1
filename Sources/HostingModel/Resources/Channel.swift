// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Who gets a pack: each channel has at most one live version of it (E2).
package enum Channel: String, CaseIterable, Hashable, Sendable {
    case internalBeta
    case externalBeta
    case appStore

    /// The relationship of a pack that names its live version.
    package var liveVersion: String { "\(rawValue)Version" }

    /// The relationship of a version that names its release.
    package var release: String { "\(rawValue)Release" }

    package var releaseType: ResourceType {
        switch self {
        case .internalBeta: .internalBetaReleases
        case .externalBeta: .externalBetaReleases
        case .appStore: .appStoreReleases
        }
    }

    /// The state in which a new version's release is made.
    package var initialState: String {
        switch self {
        case .internalBeta: InternalBetaReleaseState.initial.rawValue
        case .externalBeta: ExternalBetaReleaseState.initial.rawValue
        case .appStore: AppStoreReleaseState.initial.rawValue
        }
    }
}
