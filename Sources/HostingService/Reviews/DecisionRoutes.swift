// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database
internal import HTTP
internal import HostingModel
internal import Kit

/// What reviewers decide: about one item, about all that is open in a submission, or about a version for external testers.
struct DecisionRoutes: Sendable {
    private static let verdicts = ["APPROVED", "REJECTED"]

    let context: HostContext
    let reader: ResourceReader

    func addRoutes(to router: inout Router) {
        reader.addList(.reviewDecisions, to: &router)
        reader.addGet(.reviewDecisions, to: &router)
        router.add("POST", "/v1/\(ResourceType.reviewDecisions)", .needs(.review)) { try await decide($0) }
    }

    private func decide(_ request: RouteRequest) async throws -> HTTPServerResponse {
        let subjects: [(String, ResourceType)] = [
            ("reviewSubmissionItem", .reviewSubmissionItems), ("reviewSubmission", .reviewSubmissions),
            ("betaBackgroundAssetReviewSubmission", .betaReviewSubmissions),
            ("betaAppReviewSubmission", .buildBetaReviews),
        ]
        let body = try RequestDocument(
            request.http.body, type: .reviewDecisions, attributes: ["message", "verdict"],
            relationships: Set(subjects.map(\.0)))
        let verdict = try body.required("verdict", body.choice("verdict", of: Self.verdicts))
        let message = try body.text("message", maximumLength: 4000)
        guard verdict == "APPROVED" || message != nil else {
            throw APIError.attribute("REQUIRED", "message", "A rejection needs a 'message' that says why.")
        }
        var found: [(name: String, type: ResourceType, id: String)] = []
        for (name, type) in subjects {
            if let id = try body.link(name, to: type) { found.append((name, type, id)) }
        }
        guard found.count == 1, let (name, type, id) = found.first else {
            throw APIError.relationship(
                "REQUIRED", subjects[0].0, "A decision is about one of \(subjects.map(\.0).joined(separator: ", ")).")
        }
        let decision = try await context.database.write { store in
            var subject = try store.require(type, id, as: name, for: request.caller)
            let isApproved = verdict == "APPROVED"
            switch type {
            case .reviewSubmissionItems: try Review(context).decide(&subject, isApproved: isApproved, in: store)
            case .reviewSubmissions: try Review(context).decide(subject, isApproved: isApproved, in: store)
            case .buildBetaReviews:
                try BuildBetaReviewRoutes.decide(&subject, isApproved: isApproved, now: context.now, in: store)
            default: try BetaReview.decide(&subject, isApproved: isApproved, in: store)
            }
            var decision = ResourceRecord(
                .reviewDecisions, id: Identifier.random(), app: subject.app,
                values: [
                    "app": .string(subject.app), "verdict": .string(verdict), "createdDate": .string(context.now),
                    name: .string(id),
                ])
            decision["message"] = message.map { .string($0) }
            try store.insert(decision)
            return decision
        }
        return try await reader.show(decision, status: 201)
    }
}
