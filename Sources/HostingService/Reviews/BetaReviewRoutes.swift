// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database
internal import HTTP
internal import HostingModel
internal import Kit

/// The way to external testers: a version is submitted, alone, and live once it is approved. Apple's published interface
/// has no resource for it; this is the one that Apple's talk shows.
struct BetaReviewRoutes: Sendable {
    let context: HostContext
    let reader: ResourceReader

    func addRoutes(to router: inout Router) {
        reader.addList(.betaReviewSubmissions, to: &router)
        reader.addGet(.betaReviewSubmissions, to: &router)
        router.add("POST", "/v1/\(ResourceType.betaReviewSubmissions)", .needs(.manage)) { try await submit($0) }
    }

    private func submit(_ request: RouteRequest) async throws -> HTTPServerResponse {
        let body = try RequestDocument(
            request.http.body, type: .betaReviewSubmissions, relationships: ["backgroundAssetVersion"])
        let versionID = try body.requiredLink("backgroundAssetVersion", to: .backgroundAssetVersions)
        let submission = try await context.database.write { store in
            let version = try store.require(
                .backgroundAssetVersions, versionID, as: "backgroundAssetVersion", for: request.caller)
            var submission = ResourceRecord(
                .betaReviewSubmissions, id: Identifier.random(), app: version.app,
                values: [
                    "betaReviewState": .string(BetaReviewState.initial.rawValue),
                    "submittedDate": .string(context.now), "backgroundAssetVersion": .string(version.id),
                ])
            guard let id = version.text(Channel.externalBeta.release),
                var release = try store.record(.externalBetaReleases, id)
            else {
                throw APIError.state(
                    "The version is in the state \(version.text("state") ?? ""), and only one that is COMPLETE can be "
                        + "submitted.")
            }
            try checkIsAlone(version, in: store)
            do {
                try store.step(&release, ExternalBetaReleaseState.self, .submitted)
            } catch let step as IllegalStep {
                throw APIError.state("The version cannot be submitted: its release is in the state \(step.state).")
            }
            try store.insert(submission)
            if context.reviewsAutomatically {
                try BetaReview.decide(&submission, isApproved: true, in: store)
            }
            return submission
        }
        return try await reader.show(submission, status: 201)
    }

    /// Of each pack one version at a time is in review (BA 4.6).
    private func checkIsAlone(_ version: ResourceRecord, in store: borrowing Connection) throws {
        for other in try store.records(
            .backgroundAssetVersions, where: ["backgroundAsset": .text(version.text("backgroundAsset") ?? "")])
        where other.id != version.id {
            guard let id = other.text(Channel.externalBeta.release),
                let release = try store.record(.externalBetaReleases, id),
                let state = release.state(ExternalBetaReleaseState.self),
                state == .waitingForReview || state == .inReview
            else { continue }
            throw APIError.state(
                "STATE_ERROR.SUBMISSION_IN_PROGRESS",
                "Version \(other.integer("version") ?? 0) of this pack is in review. One version is reviewed at a time."
            )
        }
    }
}

/// The reviewer's word about a version for external testers.
enum BetaReview {
    /// - Throws: `APIError`
    static func decide(
        _ submission: inout ResourceRecord, isApproved: Bool, in store: borrowing Connection
    ) throws {
        do {
            try store.step(
                &submission, BetaReviewState.self, isApproved ? .approved : .rejected, in: "betaReviewState")
            guard let versionID = submission.text("backgroundAssetVersion"),
                let id = try store.record(.backgroundAssetVersions, versionID)?.text(Channel.externalBeta.release),
                var release = try store.record(.externalBetaReleases, id)
            else { return }
            try store.step(&release, ExternalBetaReleaseState.self, isApproved ? .approved : .rejected)
            guard isApproved else { return }
            try store.step(&release, ExternalBetaReleaseState.self, .distributed)
            try Publication.goLive(versionID, .externalBeta, in: store)
        } catch let step as IllegalStep {
            throw APIError.state("This is not possible in the state \(step.state).")
        }
    }
}
