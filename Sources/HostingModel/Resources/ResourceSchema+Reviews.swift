// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

// Submissions for review, their items, and what reviewers decide. `reviewDecisions` is Larder's own: here the operator
// reviews.

extension ResourceType {
    package static let reviewSubmissions = ResourceType("reviewSubmissions")
    package static let reviewSubmissionItems = ResourceType("reviewSubmissionItems")
    package static let betaReviewSubmissions = ResourceType("betaBackgroundAssetReviewSubmissions")
    package static let reviewDecisions = ResourceType("reviewDecisions")
    package static let actors = ResourceType("actors")
    package static let buildBetaReviews = ResourceType("betaAppReviewSubmissions")
}

extension ResourceSchema {
    package static let reviewSubmissions = ResourceSchema(
        .reviewSubmissions,
        attributes: [.text("platform"), .text("submittedDate"), .text("state")],
        relationships: [
            .toOne("app", .apps, links: .empty),
            .toMany("items", .reviewSubmissionItems, inverse: "reviewSubmission", isIncludable: true),
            .toOne("appStoreVersionForReview", .appStoreVersions, links: .empty), .toOne("submittedByActor", .actors),
            .toOne("lastUpdatedByActor", .actors),
        ],
        filters: [
            Filter("app"), Filter("platform", choices: Platform.names), Filter("state", ReviewSubmissionState.self),
        ])

    /// Who did something: a key of this host.
    package static let actors = ResourceSchema(
        .actors, attributes: [.text("actorType"), .text("apiKeyId")],
        absentFields: ["userEmail", "userFirstName", "userLastName"])

    package static let reviewSubmissionItems = ResourceSchema(
        .reviewSubmissionItems,
        attributes: [.text("state")],
        relationships: [
            .toOne("appStoreVersion", .appStoreVersions, links: .empty),
            .toOne("backgroundAssetVersion", .backgroundAssetVersions),
            Relationship.toOne("reviewSubmission", .reviewSubmissions).hidden,
        ],
        absentFields: absentFromItems, absentIncludes: absentFromItems)

    private static let absentFromItems: Set<String> = [
        "appCustomProductPageVersion", "appEvent", "appStoreVersionExperiment", "appStoreVersionExperimentV2",
        "gameCenterAchievementVersion", "gameCenterActivityVersion", "gameCenterChallengeVersion",
        "gameCenterLeaderboardSetVersion", "gameCenterLeaderboardVersion", "inAppPurchaseVersion",
        "subscriptionGroupVersion", "subscriptionVersion",
    ]

    package static let betaReviewSubmissions = ResourceSchema(
        .betaReviewSubmissions,
        attributes: [.text("betaReviewState"), .text("submittedDate")],
        relationships: [.toOne("backgroundAssetVersion", .backgroundAssetVersions)],
        filters: [Filter("backgroundAssetVersion"), Filter("betaReviewState", BetaReviewState.self)])

    /// A build on its way to external testers.
    package static let buildBetaReviews = ResourceSchema(
        .buildBetaReviews,
        attributes: [.text("betaReviewState"), .text("submittedDate")],
        relationships: [.toOne("build", .builds, links: .full)],
        filters: [Filter("betaReviewState", BetaReviewState.self), Filter("build")])

    package static let reviewDecisions = ResourceSchema(
        .reviewDecisions,
        attributes: [.text("createdDate"), .text("message"), .text("verdict")],
        relationships: [
            .toOne("app", .apps),
            .toOne("reviewSubmission", .reviewSubmissions),
            .toOne("reviewSubmissionItem", .reviewSubmissionItems),
            .toOne("betaAppReviewSubmission", .buildBetaReviews),
            .toOne("betaBackgroundAssetReviewSubmission", .betaReviewSubmissions),
        ],
        filters: [
            Filter("betaAppReviewSubmission"), Filter("betaBackgroundAssetReviewSubmission"),
            Filter("reviewSubmission"), Filter("reviewSubmissionItem"),
        ])
}
