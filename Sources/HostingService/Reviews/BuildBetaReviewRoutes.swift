// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database
internal import HTTP
internal import HostingModel
internal import Kit

/// The way of a build to external testers: it is submitted, alone, and what they install once it is approved.
struct BuildBetaReviewRoutes: Sendable {
    let context: HostContext
    let reader: ResourceReader

    func addRoutes(to router: inout Router) {
        reader.addList(.buildBetaReviews, required: ["build"], to: &router)
        reader.addGet(.buildBetaReviews, to: &router)
        reader.addRelated(.buildBetaReviews, "build", to: &router)
        reader.addRelated(.builds, "betaAppReviewSubmission", to: &router)
        router.add("POST", "/v1/\(ResourceType.buildBetaReviews)", .needs(.manage)) { try await submit($0) }
    }

    private func submit(_ request: RouteRequest) async throws -> HTTPServerResponse {
        let body = try RequestDocument(request.http.body, type: .buildBetaReviews, relationships: ["build"])
        let buildID = try body.requiredLink("build", to: .builds)
        let submission = try await context.database.write { store in
            var build = try store.require(.builds, buildID, as: "build", for: request.caller)
            guard build.text("processingState") == "VALID", !build.flag("expired") else {
                throw APIError.state("STATE_ERROR.BUILD_UNUSABLE", "The build cannot be submitted.")
            }
            if let before = try build.text("betaAppReviewSubmission").flatMap({
                try store.record(.buildBetaReviews, $0)
            }), before.state(BetaReviewState.self, in: "betaReviewState") != .rejected {
                throw APIError.state(
                    "STATE_ERROR.SUBMISSION_IN_PROGRESS",
                    "The build was submitted before, and is in the state \(before.text("betaReviewState") ?? "").")
            }
            var submission = ResourceRecord(
                .buildBetaReviews, id: Identifier.random(), app: build.app,
                values: [
                    "betaReviewState": .string(BetaReviewState.initial.rawValue),
                    "submittedDate": .string(context.now), "build": .string(build.id),
                ])
            try store.insert(submission)
            build["betaAppReviewSubmission"] = .string(submission.id)
            try store.update(build)
            if context.reviewsAutomatically {
                try Self.decide(&submission, isApproved: true, now: context.now, in: store)
            }
            return submission
        }
        return try await reader.show(submission, status: 201)
    }

    /// The reviewer's word: what is approved is what external testers install.
    /// - Throws: `APIError`
    static func decide(
        _ submission: inout ResourceRecord, isApproved: Bool, now: String, in store: borrowing Connection
    ) throws {
        do {
            try store.step(
                &submission, BetaReviewState.self, isApproved ? .approved : .rejected, in: "betaReviewState")
        } catch let step as IllegalStep {
            throw APIError.state("This is not possible in the state \(step.state).")
        }
        guard isApproved, let build = try submission.text("build").flatMap({ try store.record(.builds, $0) }),
            !build.flag("expired"),
            let version = try build.text("preReleaseVersion").flatMap({ try store.record(.preReleaseVersions, $0) })
        else { return }
        _ = try BuildReleases.release(
            build, .externalBeta, platform: version.text("platform") ?? "", now: now, in: store)
    }
}
