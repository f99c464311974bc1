// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database
internal import HostingModel
internal import Kit

/// The steps of a submission to the App Store. Each is part of one transaction, in which the submission, its items and what
/// they are about move together.
struct Review: Sendable {
    /// Packs that go through review together (BA 4.6).
    static let maximumPacks = 10

    private let context: HostContext

    init(_ context: HostContext) { self.context = context }

    /// Turns a step that must not be into a refusal.
    private func refusing<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let step as IllegalStep {
            throw APIError.state("This is not possible in the state \(step.state).")
        }
    }

    private func items(of submission: ResourceRecord, in store: borrowing Connection) throws -> [ResourceRecord] {
        try store.records(.reviewSubmissionItems, where: ["reviewSubmission": .text(submission.id)])
    }

    private func submission(of item: ResourceRecord, in store: borrowing Connection) throws -> ResourceRecord {
        guard let id = item.text("reviewSubmission"), let submission = try store.record(.reviewSubmissions, id) else {
            throw APIError.notFound(.reviewSubmissions, item.text("reviewSubmission") ?? "")
        }
        return submission
    }

    /// Takes what an item is about a step on.
    private func stepSubject(
        of item: ResourceRecord, _ event: AppStoreReleaseState.Event, in store: borrowing Connection
    ) throws {
        try ReviewSubject(of: item, in: store)?.step(event, in: store)
    }

    // MARK: The publisher's steps

    /// - Throws: `APIError`
    func add(
        _ subject: ReviewSubject, to submission: inout ResourceRecord, in store: borrowing Connection
    ) throws -> ResourceRecord {
        let version = subject.record
        guard version.app == submission.app else {
            throw APIError.relationship(
                "INVALID", subject.relationship, "The version belongs to another app than the submission.")
        }
        guard submission.state(ReviewSubmissionState.self)?.isOpen == true else {
            throw APIError.state("The submission takes no more items.")
        }
        let present = try items(of: submission, in: store).filter { $0.state(ReviewItemState.self) != .removed }
        switch subject {
        case .pack: try checkPack(version, among: present, in: store)
        case .app:
            try checkApp(version, submission, among: present)
            submission["appStoreVersionForReview"] = .string(version.id)
            try store.update(submission)
        }
        let item = ResourceRecord(
            .reviewSubmissionItems, id: Identifier.random(), app: submission.app,
            values: [
                "state": .string(ReviewItemState.initial.rawValue), "reviewSubmission": .string(submission.id),
                subject.relationship: .string(version.id),
            ])
        do {
            try subject.step(.added, in: store)
        } catch let step as IllegalStep {
            throw APIError.state(
                "The version cannot be submitted: in the App Store it is in the state \(step.state) already.")
        }
        try store.insert(item)
        return item
    }

    private func checkPack(
        _ version: ResourceRecord, among present: [ResourceRecord], in store: borrowing Connection
    ) throws {
        guard version.state(VersionState.self) == .complete else {
            throw APIError.state(
                "The version is in the state \(version.text("state") ?? ""), and only one that is COMPLETE can be submitted."
            )
        }
        let versions = present.compactMap { $0.text("backgroundAssetVersion") }
        guard versions.count < Self.maximumPacks else {
            throw APIError.state(
                "STATE_ERROR.LIMIT_REACHED", "A submission has at most \(Self.maximumPacks) packs.")
        }
        let others = try store.records(.backgroundAssetVersions, versions)
        guard !others.contains(where: { $0.text("backgroundAsset") == version.text("backgroundAsset") }) else {
            throw APIError.state("The submission has a version of this pack already.")
        }
    }

    private func checkApp(
        _ version: ResourceRecord, _ submission: ResourceRecord, among present: [ResourceRecord]
    ) throws {
        guard version.text("platform") == submission.text("platform") else {
            throw APIError.relationship(
                "INVALID", "appStoreVersion", "The version is for another platform than the submission.")
        }
        guard version.text("build") != nil else { throw APIError.state("The version has no build.") }
        guard !present.contains(where: { $0.text("appStoreVersion") != nil }) else {
            throw APIError.state("The submission has a version of the app already.")
        }
    }

    /// - Throws: `APIError`
    func remove(_ item: inout ResourceRecord, in store: borrowing Connection) throws {
        guard try submission(of: item, in: store).state(ReviewSubmissionState.self)?.isOpen == true else {
            throw APIError.state("Items of a submission in review stay. Cancel the submission instead.")
        }
        try refusing {
            try store.step(&item, ReviewItemState.self, .removed)
            try stepSubject(of: item, .withdrawn, in: store)
        }
        try forgetApp(of: item, in: store)
    }

    /// A submission whose app's version was taken out is about packs alone.
    private func forgetApp(of item: ResourceRecord, in store: borrowing Connection) throws {
        guard let id = item.text("appStoreVersion") else { return }
        var submission = try submission(of: item, in: store)
        guard submission.text("appStoreVersionForReview") == id else { return }
        submission["appStoreVersionForReview"] = nil
        try store.update(submission)
    }

    /// - Throws: `APIError`
    func resolve(_ item: inout ResourceRecord, in store: borrowing Connection) throws {
        try refusing { try store.step(&item, ReviewItemState.self, .resolved) }
    }

    /// - Throws: `APIError`
    func submit(_ submission: inout ResourceRecord, in store: borrowing Connection) throws {
        let present = try items(of: submission, in: store).filter { $0.state(ReviewItemState.self) != .removed }
        guard !present.isEmpty else { throw APIError.state("The submission has no items.") }
        guard !present.contains(where: { $0.state(ReviewItemState.self) == .rejected }) else {
            throw APIError.state("An item is rejected. Resolve it or take it out first.")
        }
        if try AppVersions.isFirstOnItsWay(of: submission.app, in: store),
            !present.contains(where: { $0.text("appStoreVersion") != nil })
        {
            throw APIError.state(
                "STATE_ERROR.APP_VERSION_REQUIRED",
                "No version of the app was approved yet: packs go through review together with the first one. Add it.")
        }
        submission["submittedDate"] = .string(context.now)
        try refusing {
            try store.step(&submission, ReviewSubmissionState.self, .submitted)
            for item in present where item.state(ReviewItemState.self) == .readyForReview {
                try stepSubject(of: item, .submitted, in: store)
            }
        }
        if context.reviewsAutomatically {
            for item in present where item.state(ReviewItemState.self) == .readyForReview {
                var item = item
                try decide(&item, isApproved: true, in: store)
            }
        } else {
            try settle(submission.id, in: store)
        }
        submission = try store.record(.reviewSubmissions, submission.id) ?? submission
    }

    /// - Throws: `APIError`
    func cancel(_ submission: inout ResourceRecord, in store: borrowing Connection) throws {
        try refusing {
            try store.step(&submission, ReviewSubmissionState.self, .canceled)
            for var item in try items(of: submission, in: store) where item.state(ReviewItemState.self) != .removed {
                try store.step(&item, ReviewItemState.self, .removed)
                try stepSubject(of: item, .withdrawn, in: store)
            }
            try store.step(&submission, ReviewSubmissionState.self, .finished)
        }
    }

    // MARK: The reviewer's steps

    /// Says yes or no to one item; the first word begins the review, the last one ends it.
    /// - Throws: `APIError`
    func decide(_ item: inout ResourceRecord, isApproved: Bool, in store: borrowing Connection) throws {
        var submission = try submission(of: item, in: store)
        try refusing {
            if submission.state(ReviewSubmissionState.self) == .waitingForReview {
                try store.step(&submission, ReviewSubmissionState.self, .reviewStarted)
                for other in try items(of: submission, in: store)
                where other.state(ReviewItemState.self) == .readyForReview {
                    try stepSubject(of: other, .reviewStarted, in: store)
                }
            }
            guard submission.state(ReviewSubmissionState.self) == .inReview else {
                throw APIError.state("The submission is not in review.")
            }
            try store.step(&item, ReviewItemState.self, isApproved ? .accepted : .rejected)
            try stepSubject(of: item, isApproved ? .accepted : .rejected, in: store)
        }
        try settle(submission.id, in: store)
    }

    /// Likewise to all items that have no verdict.
    /// - Throws: `APIError`
    func decide(_ submission: ResourceRecord, isApproved: Bool, in store: borrowing Connection) throws {
        let open = try items(of: submission, in: store).filter { $0.state(ReviewItemState.self) == .readyForReview }
        guard !open.isEmpty else { throw APIError.state("There is nothing to decide.") }
        for var item in open { try decide(&item, isApproved: isApproved, in: store) }
    }

    /// Ends the review when every item has its verdict: what is approved goes live.
    private func settle(_ id: String, in store: borrowing Connection) throws {
        guard var submission = try store.record(.reviewSubmissions, id) else { return }
        let all = try items(of: submission, in: store)
        guard let verdict = ReviewSubmissionState.verdict(of: all.compactMap { $0.state(ReviewItemState.self) }) else {
            return
        }
        try refusing {
            // Everything was accepted before, and what was rejected has been taken out.
            if submission.state(ReviewSubmissionState.self) == .waitingForReview {
                try store.step(&submission, ReviewSubmissionState.self, .reviewStarted)
            }
            try store.step(&submission, ReviewSubmissionState.self, verdict)
            guard verdict == .approved else { return }
            for var item in all where item.state(ReviewItemState.self) == .accepted {
                try store.step(&item, ReviewItemState.self, .approved)
                try stepSubject(of: item, .released, in: store)
                try stepSubject(of: item, .distributed, in: store)
                try ReviewSubject(of: item, in: store)?.goLive(now: context.now, in: store)
            }
            try store.step(&submission, ReviewSubmissionState.self, .finished)
        }
    }
}
