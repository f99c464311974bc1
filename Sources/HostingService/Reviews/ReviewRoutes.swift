// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database
internal import HTTP
internal import HostingModel
internal import Kit

/// Submissions for the App Store and their items, as publishers make and change them (BA 4.3).
struct ReviewRoutes: Sendable {
    let context: HostContext
    let reader: ResourceReader

    func addRoutes(to router: inout Router) {
        reader.addList(.reviewSubmissions, required: ["app"], to: &router)
        reader.addGet(.reviewSubmissions, to: &router)
        reader.addRelated(.reviewSubmissions, "items", to: &router)
        reader.addRelated(.apps, "reviewSubmissions", to: &router)
        router.add("POST", "/v1/reviewSubmissions", .needs(.manage)) { try await createSubmission($0) }
        router.add("PATCH", "/v1/reviewSubmissions/{id}", .needs(.manage)) { try await updateSubmission($0) }
        router.add("POST", "/v1/reviewSubmissionItems", .needs(.manage)) { try await createItem($0) }
        router.add("PATCH", "/v1/reviewSubmissionItems/{id}", .needs(.manage)) { try await updateItem($0) }
        router.add("DELETE", "/v1/reviewSubmissionItems/{id}", .needs(.manage)) { try await deleteItem($0) }
    }

    // MARK: Submissions

    private func createSubmission(_ request: RouteRequest) async throws -> HTTPServerResponse {
        let body = try RequestDocument(
            request.http.body, type: .reviewSubmissions, attributes: ["platform"], relationships: ["app"])
        let platform = try body.choice("platform", of: Platform.names)
        let appID = try body.requiredLink("app", to: .apps)
        var submission = ResourceRecord(
            .reviewSubmissions, id: Identifier.random(), app: appID,
            values: ["app": .string(appID), "state": .string(ReviewSubmissionState.initial.rawValue)])
        submission["platform"] = platform.map { .string($0) }
        let made = try await context.database.write { [submission] store in
            var submission = submission
            _ = try store.require(.apps, appID, as: "app", for: request.caller)
            try Self.checkIsAlone(submission, in: store)
            submission["lastUpdatedByActor"] = .string(try store.actor(request.caller))
            try store.insert(submission)
            return submission
        }
        return try await reader.show(made, status: 201)
    }

    /// There is one submission of an app and platform that is not complete.
    private static func checkIsAlone(_ submission: ResourceRecord, in store: borrowing Connection) throws {
        let others = try store.records(.reviewSubmissions, where: ["app": .text(submission.app)])
        if let open = others.first(where: {
            $0.id != submission.id && $0.state(ReviewSubmissionState.self) != .complete
                && $0.text("platform") == submission.text("platform")
        }) {
            throw APIError.state(
                "STATE_ERROR.SUBMISSION_IN_PROGRESS",
                "The submission \(open.id) of this app and platform is not complete. Go on with it, or cancel it.")
        }
    }

    private func updateSubmission(_ request: RouteRequest) async throws -> HTTPServerResponse {
        let body = try RequestDocument(
            request.http.body, type: .reviewSubmissions, id: request.id,
            attributes: ["canceled", "platform", "submitted"])
        let platform = try body.choice("platform", of: Platform.names)
        let (isSubmitted, isCanceled) = (try body.flag("submitted") ?? false, try body.flag("canceled") ?? false)
        guard !(isSubmitted && isCanceled) else {
            throw APIError.attribute("INVALID", "canceled", "A submission is submitted or canceled, not both.")
        }
        let submission = try await context.database.write { store in
            var submission = try store.require(.reviewSubmissions, request.id, for: request.caller)
            if let platform {
                guard submission.state(ReviewSubmissionState.self) == .readyForReview else {
                    throw APIError.state("The platform of a submission that was submitted stays as it is.")
                }
                submission["platform"] = .string(platform)
                try Self.checkIsAlone(submission, in: store)
                try store.update(submission)
            }
            let review = Review(context)
            let actor = try store.actor(request.caller)
            submission["lastUpdatedByActor"] = .string(actor)
            if isSubmitted { submission["submittedByActor"] = .string(actor) }
            try store.update(submission)
            if isSubmitted { try review.submit(&submission, in: store) }
            if isCanceled { try review.cancel(&submission, in: store) }
            return submission
        }
        return try await reader.show(submission)
    }

    // MARK: Items

    private func createItem(_ request: RouteRequest) async throws -> HTTPServerResponse {
        let body = try RequestDocument(
            request.http.body, type: .reviewSubmissionItems,
            relationships: ["reviewSubmission", "appStoreVersion", "backgroundAssetVersion"])
        let submissionID = try body.requiredLink("reviewSubmission", to: .reviewSubmissions)
        let appVersionID = try body.link("appStoreVersion", to: .appStoreVersions)
        let versionID = try body.link("backgroundAssetVersion", to: .backgroundAssetVersions)
        guard (appVersionID == nil) != (versionID == nil) else {
            throw APIError.relationship(
                "REQUIRED", "backgroundAssetVersion",
                "An item is about one of backgroundAssetVersion and appStoreVersion.")
        }
        let item = try await context.database.write { store in
            var submission = try store.require(
                .reviewSubmissions, submissionID, as: "reviewSubmission", for: request.caller)
            var subject: ReviewSubject?
            if let versionID {
                subject = .pack(
                    try store.require(
                        .backgroundAssetVersions, versionID, as: "backgroundAssetVersion", for: request.caller))
            }
            if let appVersionID {
                subject = .app(
                    try store.require(.appStoreVersions, appVersionID, as: "appStoreVersion", for: request.caller))
            }
            guard let subject else { throw APIError.unexpected }
            return try Review(context).add(subject, to: &submission, in: store)
        }
        return try await reader.show(item, status: 201)
    }

    private func updateItem(_ request: RouteRequest) async throws -> HTTPServerResponse {
        let body = try RequestDocument(
            request.http.body, type: .reviewSubmissionItems, id: request.id, attributes: ["removed", "resolved"])
        let (isRemoved, isResolved) = (try body.flag("removed") ?? false, try body.flag("resolved") ?? false)
        let item = try await context.database.write { store in
            var item = try store.require(.reviewSubmissionItems, request.id, for: request.caller)
            let review = Review(context)
            if isResolved { try review.resolve(&item, in: store) }
            if isRemoved { try review.remove(&item, in: store) }
            return item
        }
        return try await reader.show(item)
    }

    private func deleteItem(_ request: RouteRequest) async throws -> HTTPServerResponse {
        try await context.database.write { store in
            var item = try store.require(.reviewSubmissionItems, request.id, for: request.caller)
            do {
                try Review(context).remove(&item, in: store)
            } catch let error as APIError where error.status == 409 {
                // The interface has no 409 for a resource that is to go.
                throw APIError(
                    403, "FORBIDDEN_ERROR.STATE", "The resource cannot be deleted as things stand.", error.detail)
            }
            try store.delete(.reviewSubmissionItems, item.id)
        }
        return .noContent
    }
}
