// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// A version among internal testers: live at once, until the next one is.
package enum InternalBetaReleaseState: String, StateMachine {
    case readyForTesting = "READY_FOR_TESTING"
    case superseded = "SUPERSEDED"

    package enum Event: CaseIterable, Hashable, Sendable {
        case superseded
    }

    package static let initial = InternalBetaReleaseState.readyForTesting

    package func next(_ event: Event) -> InternalBetaReleaseState? {
        switch (self, event) {
        case (.readyForTesting, .superseded): .superseded
        default: nil
        }
    }
}

/// A version among external testers: live after beta review.
package enum ExternalBetaReleaseState: String, StateMachine {
    case readyForBetaSubmission = "READY_FOR_BETA_SUBMISSION"
    case waitingForReview = "WAITING_FOR_REVIEW"
    case inReview = "IN_REVIEW"
    case rejected = "REJECTED"
    case processingForTesting = "PROCESSING_FOR_TESTING"
    case readyForTesting = "READY_FOR_TESTING"
    case superseded = "SUPERSEDED"

    package enum Event: CaseIterable, Hashable, Sendable {
        case submitted, withdrawn, reviewStarted, approved, rejected
        /// It is with the devices' servers.
        case distributed
        case superseded
    }

    package static let initial = ExternalBetaReleaseState.readyForBetaSubmission

    package func next(_ event: Event) -> ExternalBetaReleaseState? {
        switch (self, event) {
        case (.readyForBetaSubmission, .submitted), (.rejected, .submitted): .waitingForReview
        case (.waitingForReview, .withdrawn), (.inReview, .withdrawn), (.rejected, .withdrawn): .readyForBetaSubmission
        case (.waitingForReview, .reviewStarted): .inReview
        case (.waitingForReview, .approved), (.inReview, .approved): .processingForTesting
        case (.waitingForReview, .rejected), (.inReview, .rejected): .rejected
        case (.processingForTesting, .distributed): .readyForTesting
        case (.readyForTesting, .superseded): .superseded
        default: nil
        }
    }
}

/// A version in the App Store: part of a review submission first, live when that is through.
package enum AppStoreReleaseState: String, StateMachine {
    case prepareForSubmission = "PREPARE_FOR_SUBMISSION"
    case readyForReview = "READY_FOR_REVIEW"
    case waitingForReview = "WAITING_FOR_REVIEW"
    case inReview = "IN_REVIEW"
    case accepted = "ACCEPTED"
    case rejected = "REJECTED"
    case processingForDistribution = "PROCESSING_FOR_DISTRIBUTION"
    case readyForDistribution = "READY_FOR_DISTRIBUTION"
    case superseded = "SUPERSEDED"

    package enum Event: CaseIterable, Hashable, Sendable {
        /// Became an item of a submission.
        case added
        /// The submission was withdrawn, or the item taken out of it.
        case withdrawn
        case submitted, reviewStarted, accepted, rejected
        /// The whole submission is approved.
        case released
        /// It is with the devices' servers.
        case distributed
        case superseded
    }

    package static let initial = AppStoreReleaseState.prepareForSubmission

    package func next(_ event: Event) -> AppStoreReleaseState? {
        switch (self, event) {
        case (.prepareForSubmission, .added): .readyForReview
        case (.readyForReview, .withdrawn), (.waitingForReview, .withdrawn), (.inReview, .withdrawn),
            (.accepted, .withdrawn), (.rejected, .withdrawn):
            .prepareForSubmission
        case (.readyForReview, .submitted), (.rejected, .submitted): .waitingForReview
        case (.waitingForReview, .reviewStarted): .inReview
        case (.waitingForReview, .accepted), (.inReview, .accepted): .accepted
        case (.waitingForReview, .rejected), (.inReview, .rejected): .rejected
        case (.accepted, .released): .processingForDistribution
        case (.processingForDistribution, .distributed): .readyForDistribution
        case (.readyForDistribution, .superseded): .superseded
        default: nil
        }
    }
}
