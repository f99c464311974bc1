// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// What a webhook may be told of (BA 4.5).
package enum WebhookEventType: String, CaseIterable, Hashable, Sendable {
    case versionStateUpdated = "BACKGROUND_ASSET_VERSION_STATE_UPDATED"
    case internalBetaReleaseCreated = "BACKGROUND_ASSET_VERSION_INTERNAL_BETA_RELEASE_CREATED"
    case externalBetaReleaseStateUpdated = "BACKGROUND_ASSET_VERSION_EXTERNAL_BETA_RELEASE_STATE_UPDATED"
    case appStoreReleaseStateUpdated = "BACKGROUND_ASSET_VERSION_APP_STORE_RELEASE_STATE_UPDATED"
    /// Larder's own.
    case rolloutStateUpdated = "BACKGROUND_ASSET_VERSION_ROLLOUT_STATE_UPDATED"

    /// Those of Apple's that never happen here: they may be subscribed to.
    private static let absent = [
        "ALTERNATIVE_DISTRIBUTION_PACKAGE_AVAILABLE_UPDATED", "ALTERNATIVE_DISTRIBUTION_PACKAGE_VERSION_CREATED",
        "ALTERNATIVE_DISTRIBUTION_TERRITORY_AVAILABILITY_UPDATED", "APP_STORE_VERSION_APP_VERSION_STATE_UPDATED",
        "BETA_FEEDBACK_CRASH_SUBMISSION_CREATED", "BETA_FEEDBACK_SCREENSHOT_SUBMISSION_CREATED",
        "BUILD_BETA_DETAIL_EXTERNAL_BUILD_STATE_UPDATED", "BUILD_UPLOAD_STATE_UPDATED",
    ]

    /// What a webhook may name.
    package static let names = allCases.map(\.rawValue) + absent

    /// The event that a new state of such a resource is; nil when nobody is told.
    package init?(stateOf type: ResourceType) {
        switch type {
        case .backgroundAssetVersions: self = .versionStateUpdated
        case .externalBetaReleases: self = .externalBetaReleaseStateUpdated
        case .appStoreReleases: self = .appStoreReleaseStateUpdated
        case .rollouts: self = .rolloutStateUpdated
        default: return nil
        }
    }

    /// The name in a payload: `backgroundAssetVersionStateUpdated`.
    package var payloadType: String {
        let words = rawValue.lowercased().split(separator: "_")
        return words.enumerated().map { $0 == 0 ? String($1) : $1.prefix(1).uppercased() + $1.dropFirst() }.joined()
    }

    /// What is sent.
    package func payload(id: String, _ instance: ResourceRecord, old: String?, new: String?, time: String) -> String {
        var attributes: [String: JSONValue] = ["timestamp": .string(time)]
        attributes["oldValue"] = old.map { .string($0) }
        attributes["newValue"] = new.map { .string($0) }
        let payload: JSONValue = [
            "data": [
                "type": .string(payloadType), "id": .string(id), "version": 1, "attributes": .object(attributes),
                "relationships": [
                    "instance": [
                        "data": ["type": .string(instance.type.name), "id": .string(instance.id)],
                        "links": ["self": .string("/v1/\(instance.type)/\(instance.id)")],
                    ]
                ],
            ]
        ]
        return payload.serialized()
    }
}

/// Whether a webhook was told.
package enum WebhookDeliveryState: String, StateMachine {
    case pending = "PENDING"
    case succeeded = "SUCCEEDED"
    case failed = "FAILED"

    package enum Event: CaseIterable, Hashable, Sendable {
        case succeeded
        /// For the last time.
        case failed
    }

    package static let initial = WebhookDeliveryState.pending

    package func next(_ event: Event) -> WebhookDeliveryState? {
        switch (self, event) {
        case (.pending, .succeeded): .succeeded
        case (.pending, .failed): .failed
        default: nil
        }
    }
}
