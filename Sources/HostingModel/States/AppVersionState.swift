// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// An app's version in the App Store: the life of a pack's version there, and the same events.
package enum AppVersionState: String, StateMachine {
    case prepareForSubmission = "PREPARE_FOR_SUBMISSION"
    case readyForReview = "READY_FOR_REVIEW"
    case waitingForReview = "WAITING_FOR_REVIEW"
    case inReview = "IN_REVIEW"
    case accepted = "ACCEPTED"
    case rejected = "REJECTED"
    case processingForDistribution = "PROCESSING_FOR_DISTRIBUTION"
    case readyForDistribution = "READY_FOR_DISTRIBUTION"
    case replaced = "REPLACED_WITH_NEW_VERSION"

    package typealias Event = AppStoreReleaseState.Event

    package static let initial = AppVersionState.prepareForSubmission

    package func next(_ event: Event) -> AppVersionState? {
        release.next(event).map { AppVersionState($0) }
    }

    private init(_ release: AppStoreReleaseState) {
        switch release {
        case .prepareForSubmission: self = .prepareForSubmission
        case .readyForReview: self = .readyForReview
        case .waitingForReview: self = .waitingForReview
        case .inReview: self = .inReview
        case .accepted: self = .accepted
        case .rejected: self = .rejected
        case .processingForDistribution: self = .processingForDistribution
        case .readyForDistribution: self = .readyForDistribution
        case .superseded: self = .replaced
        }
    }

    private var release: AppStoreReleaseState {
        switch self {
        case .prepareForSubmission: .prepareForSubmission
        case .readyForReview: .readyForReview
        case .waitingForReview: .waitingForReview
        case .inReview: .inReview
        case .accepted: .accepted
        case .rejected: .rejected
        case .processingForDistribution: .processingForDistribution
        case .readyForDistribution: .readyForDistribution
        case .replaced: .superseded
        }
    }

    /// Whether what is in the version may still be changed.
    package var isEditable: Bool { self == .prepareForSubmission || self == .rejected }

    /// Whether the store has or had it.
    package var wasApproved: Bool { self == .readyForDistribution || self == .replaced }

    /// The older name of the state, which clients still read.
    package var storeState: String {
        switch self {
        case .processingForDistribution: "PROCESSING_FOR_APP_STORE"
        case .readyForDistribution: "READY_FOR_SALE"
        default: rawValue
        }
    }

    /// What may be asked for: Apple's, of which some never come here.
    package static let names =
        allCases.map(\.rawValue) + [
            "DEVELOPER_REJECTED", "INVALID_BINARY", "METADATA_REJECTED", "PENDING_APPLE_RELEASE",
            "PENDING_DEVELOPER_RELEASE", "WAITING_FOR_EXPORT_COMPLIANCE",
        ]

    /// Likewise by their older names.
    package static let storeStates =
        allCases.map(\.storeState) + [
            "DEVELOPER_REJECTED", "DEVELOPER_REMOVED_FROM_SALE", "INVALID_BINARY", "METADATA_REJECTED",
            "NOT_APPLICABLE", "PENDING_APPLE_RELEASE", "PENDING_CONTRACT", "PENDING_DEVELOPER_RELEASE",
            "PREORDER_READY_FOR_SALE", "REMOVED_FROM_SALE", "WAITING_FOR_EXPORT_COMPLIANCE",
        ]
}
