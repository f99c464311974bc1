// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Versions that go through review together.
package enum ReviewSubmissionState: String, StateMachine {
    case readyForReview = "READY_FOR_REVIEW"
    case waitingForReview = "WAITING_FOR_REVIEW"
    case inReview = "IN_REVIEW"
    case unresolvedIssues = "UNRESOLVED_ISSUES"
    case canceling = "CANCELING"
    case completing = "COMPLETING"
    case complete = "COMPLETE"

    package enum Event: CaseIterable, Hashable, Sendable {
        case submitted, reviewStarted
        /// All items have their verdict, and none is a rejection.
        case approved
        /// All items have their verdict, and one at least is a rejection.
        case rejected
        case canceled
        /// What follows from the end was done: releases made, or items let go.
        case finished
    }

    package static let initial = ReviewSubmissionState.readyForReview

    package func next(_ event: Event) -> ReviewSubmissionState? {
        switch (self, event) {
        case (.readyForReview, .submitted), (.unresolvedIssues, .submitted): .waitingForReview
        case (.waitingForReview, .reviewStarted): .inReview
        case (.inReview, .approved): .completing
        case (.inReview, .rejected): .unresolvedIssues
        case (.readyForReview, .canceled), (.waitingForReview, .canceled), (.inReview, .canceled),
            (.unresolvedIssues, .canceled):
            .canceling
        case (.canceling, .finished), (.completing, .finished): .complete
        default: nil
        }
    }

    /// What becomes of a submission whose items are in these states; nil while one has no verdict. Items that were taken
    /// out do not count.
    package static func verdict(of items: [ReviewItemState]) -> Event? {
        let present = items.filter { $0 != .removed }
        if present.isEmpty || present.contains(.readyForReview) { return nil }
        return present.contains(.rejected) ? .rejected : .approved
    }

    /// Whether items may be added and taken out.
    package var isOpen: Bool { self == .readyForReview || self == .unresolvedIssues }
}

/// One version in a submission.
package enum ReviewItemState: String, StateMachine {
    case readyForReview = "READY_FOR_REVIEW"
    case accepted = "ACCEPTED"
    case approved = "APPROVED"
    case rejected = "REJECTED"
    case removed = "REMOVED"

    package enum Event: CaseIterable, Hashable, Sendable {
        /// Nothing speaks against it; the rest of the submission is still looked at.
        case accepted
        /// The whole submission is through.
        case approved
        case rejected
        /// The developer says that what it was rejected for is mended.
        case resolved
        case removed
    }

    package static let initial = ReviewItemState.readyForReview

    package func next(_ event: Event) -> ReviewItemState? {
        switch (self, event) {
        case (.readyForReview, .accepted): .accepted
        case (.readyForReview, .rejected): .rejected
        case (.accepted, .approved): .approved
        case (.rejected, .resolved): .readyForReview
        case (.readyForReview, .removed), (.accepted, .removed), (.rejected, .removed): .removed
        default: nil
        }
    }
}

/// A version on its way to external testers.
package enum BetaReviewState: String, StateMachine {
    case waitingForReview = "WAITING_FOR_REVIEW"
    case inReview = "IN_REVIEW"
    case rejected = "REJECTED"
    case approved = "APPROVED"

    package enum Event: CaseIterable, Hashable, Sendable {
        case reviewStarted, approved, rejected
    }

    package static let initial = BetaReviewState.waitingForReview

    package func next(_ event: Event) -> BetaReviewState? {
        switch (self, event) {
        case (.waitingForReview, .reviewStarted): .inReview
        case (.waitingForReview, .approved), (.inReview, .approved): .approved
        case (.waitingForReview, .rejected), (.inReview, .rejected): .rejected
        default: nil
        }
    }
}
