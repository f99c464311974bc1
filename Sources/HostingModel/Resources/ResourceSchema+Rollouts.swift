// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

// How far a version goes, and which app versions it suits (G3). Both are Larder's own, beside Apple's versions: App Store
// Connect has neither for packs.

extension ResourceType {
    package static let rollouts = ResourceType("backgroundAssetVersionRollouts")
    package static let appRanges = ResourceType("backgroundAssetVersionAppRanges")
}

extension ResourceSchema {
    /// A version goes to a share of a channel's devices first. There is at most one of a version in each channel.
    package static let rollouts = ResourceSchema(
        .rollouts,
        attributes: [
            .text("channel"), .text("createdDate"), .integer("failures"), .integer("failureThreshold"),
            .integer("minimumReports"), .integer("percentage"), .text("state"), .json("stateDetails"),
            .integer("successes"),
        ],
        relationships: [.toOne("app", .apps), .toOne("backgroundAssetVersion", .backgroundAssetVersions)],
        filters: [
            Filter("app"), Filter("backgroundAssetVersion"),
            Filter("channel", choices: Channel.allCases.map(\.rawValue)), Filter("state", RolloutState.self),
        ])

    /// The versions of its app that a version suits, both ends included. There is at most one of a version.
    package static let appRanges = ResourceSchema(
        .appRanges,
        attributes: [.text("maximumAppVersion"), .text("minimumAppVersion")],
        relationships: [.toOne("app", .apps), .toOne("backgroundAssetVersion", .backgroundAssetVersions)],
        filters: [Filter("app"), Filter("backgroundAssetVersion")])
}
