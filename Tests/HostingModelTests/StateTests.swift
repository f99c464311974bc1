// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HostingModel
import Testing

/// Every state and every event of every resource: what is in a table is legal, everything else is not.
@Suite struct StateTests {
    /// Checks a machine against the table of its legal steps.
    private func check<State: StateMachine>(_ initial: State, _ steps: [(State, State.Event, State)]) {
        #expect(State.initial == initial)
        var known: Set<[String]> = []
        for (state, event, next) in steps {
            #expect(known.insert([state.rawValue, "\(event)"]).inserted, "\(state) \(event) stands twice")
            #expect(state.step(event) == .success(next))
        }
        for state in State.allCases {
            for event in State.Event.allCases where !known.contains([state.rawValue, "\(event)"]) {
                #expect(state.step(event) == .failure(IllegalStep(state: state.rawValue, event: "\(event)")))
            }
        }
        // Every state but the first can be come to.
        let reached = Set(steps.map(\.2)).union([initial])
        #expect(reached == Set(State.allCases))
    }

    @Test func versions() {
        check(
            VersionState.awaitingUpload,
            [
                (.awaitingUpload, .uploaded, .processing), (.awaitingUpload, .failed, .failed),
                (.processing, .processed, .complete), (.processing, .failed, .failed),
            ])
    }

    @Test func uploadFiles() {
        check(
            UploadFileState.awaitingUpload,
            [
                (.awaitingUpload, .committed, .uploadComplete), (.awaitingUpload, .failed, .failed),
                (.uploadComplete, .processed, .complete), (.uploadComplete, .failed, .failed),
            ])
    }

    @Test func internalBetaReleases() {
        check(InternalBetaReleaseState.readyForTesting, [(.readyForTesting, .superseded, .superseded)])
    }

    @Test func externalBetaReleases() {
        check(
            ExternalBetaReleaseState.readyForBetaSubmission,
            [
                (.readyForBetaSubmission, .submitted, .waitingForReview),
                (.waitingForReview, .withdrawn, .readyForBetaSubmission),
                (.waitingForReview, .reviewStarted, .inReview),
                (.waitingForReview, .approved, .processingForTesting), (.waitingForReview, .rejected, .rejected),
                (.inReview, .withdrawn, .readyForBetaSubmission), (.inReview, .approved, .processingForTesting),
                (.inReview, .rejected, .rejected), (.rejected, .submitted, .waitingForReview),
                (.rejected, .withdrawn, .readyForBetaSubmission),
                (.processingForTesting, .distributed, .readyForTesting), (.readyForTesting, .superseded, .superseded),
            ])
    }

    @Test func appStoreReleases() {
        check(
            AppStoreReleaseState.prepareForSubmission,
            [
                (.prepareForSubmission, .added, .readyForReview), (.readyForReview, .withdrawn, .prepareForSubmission),
                (.readyForReview, .submitted, .waitingForReview),
                (.waitingForReview, .withdrawn, .prepareForSubmission), (.waitingForReview, .reviewStarted, .inReview),
                (.waitingForReview, .accepted, .accepted), (.waitingForReview, .rejected, .rejected),
                (.inReview, .withdrawn, .prepareForSubmission), (.inReview, .accepted, .accepted),
                (.inReview, .rejected, .rejected), (.accepted, .withdrawn, .prepareForSubmission),
                (.accepted, .released, .processingForDistribution), (.rejected, .submitted, .waitingForReview),
                (.rejected, .withdrawn, .prepareForSubmission),
                (.processingForDistribution, .distributed, .readyForDistribution),
                (.readyForDistribution, .superseded, .superseded),
            ])
    }

    @Test func appVersions() {
        check(
            AppVersionState.prepareForSubmission,
            [
                (.prepareForSubmission, .added, .readyForReview), (.readyForReview, .withdrawn, .prepareForSubmission),
                (.readyForReview, .submitted, .waitingForReview),
                (.waitingForReview, .withdrawn, .prepareForSubmission), (.waitingForReview, .reviewStarted, .inReview),
                (.waitingForReview, .accepted, .accepted), (.waitingForReview, .rejected, .rejected),
                (.inReview, .withdrawn, .prepareForSubmission), (.inReview, .accepted, .accepted),
                (.inReview, .rejected, .rejected), (.accepted, .withdrawn, .prepareForSubmission),
                (.accepted, .released, .processingForDistribution), (.rejected, .submitted, .waitingForReview),
                (.rejected, .withdrawn, .prepareForSubmission),
                (.processingForDistribution, .distributed, .readyForDistribution),
                (.readyForDistribution, .superseded, .replaced),
            ])
        #expect(AppVersionState.readyForDistribution.storeState == "READY_FOR_SALE")
        #expect(AppVersionState.allCases.filter(\.wasApproved) == [.readyForDistribution, .replaced])
        #expect(AppVersionState.allCases.filter(\.isEditable) == [.prepareForSubmission, .rejected])
    }

    @Test func reviewSubmissions() {
        check(
            ReviewSubmissionState.readyForReview,
            [
                (.readyForReview, .submitted, .waitingForReview), (.readyForReview, .canceled, .canceling),
                (.waitingForReview, .reviewStarted, .inReview), (.waitingForReview, .canceled, .canceling),
                (.inReview, .approved, .completing), (.inReview, .rejected, .unresolvedIssues),
                (.inReview, .canceled, .canceling), (.unresolvedIssues, .submitted, .waitingForReview),
                (.unresolvedIssues, .canceled, .canceling), (.canceling, .finished, .complete),
                (.completing, .finished, .complete),
            ])
    }

    @Test func reviewItems() {
        check(
            ReviewItemState.readyForReview,
            [
                (.readyForReview, .accepted, .accepted), (.readyForReview, .rejected, .rejected),
                (.readyForReview, .removed, .removed), (.accepted, .approved, .approved),
                (.accepted, .removed, .removed), (.rejected, .resolved, .readyForReview),
                (.rejected, .removed, .removed),
            ])
    }

    @Test func betaReviews() {
        check(
            BetaReviewState.waitingForReview,
            [
                (.waitingForReview, .reviewStarted, .inReview), (.waitingForReview, .approved, .approved),
                (.waitingForReview, .rejected, .rejected), (.inReview, .approved, .approved),
                (.inReview, .rejected, .rejected),
            ])
    }

    @Test func itemsDecideTheirSubmission() {
        #expect(ReviewSubmissionState.verdict(of: []) == nil)
        #expect(ReviewSubmissionState.verdict(of: [.removed]) == nil)
        #expect(ReviewSubmissionState.verdict(of: [.accepted, .readyForReview]) == nil)
        #expect(ReviewSubmissionState.verdict(of: [.rejected, .readyForReview]) == nil)
        #expect(ReviewSubmissionState.verdict(of: [.accepted, .removed]) == .approved)
        #expect(ReviewSubmissionState.verdict(of: [.accepted, .rejected]) == .rejected)
    }
}
