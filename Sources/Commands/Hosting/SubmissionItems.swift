// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HostingClient
import HostingModel
import Kit

/// What is in a submission that is being put together, and how more comes into it. Doing it again after a failure, or after a
/// rejection, does only what is left to do.
struct SubmissionItems: Sendable {
    /// What an item is about: a version of a pack, or one of the app.
    struct Subject: Hashable, Sendable {
        /// As items name it.
        let relationship: String
        let type: ResourceType
        let version: String
        /// The pack that the version is of; nil for the app.
        let pack: String?

        static func app(_ version: String) -> Subject {
            Subject(relationship: "appStoreVersion", type: .appStoreVersions, version: version, pack: nil)
        }

        static func pack(_ version: String, _ client: HostingClient) async throws -> Subject {
            let data = try await client.resource(.backgroundAssetVersions, version)
            return Subject(
                relationship: "backgroundAssetVersion", type: .backgroundAssetVersions, version: version,
                pack: data["relationships"]?["backgroundAsset"]?["data"]?["id"]?.stringValue)
        }

        /// Whether a submission has room for one of the two only.
        func excludes(_ other: Subject) -> Bool { relationship == other.relationship && pack == other.pack }
    }

    struct Item: Hashable, Sendable {
        let id: String
        let isRejected: Bool
        let subject: Subject
    }

    /// What brings a subject into a submission.
    enum Step: Hashable, Sendable {
        case nothing
        /// It was rejected, and what it was rejected for is mended.
        case resolve(item: String)
        /// Another version is there in its place.
        case replace(item: String)
        case add
    }

    private let submission: String
    private let client: HostingClient
    let items: [Item]

    init(_ submission: String, _ client: HostingClient) async throws {
        self.submission = submission
        self.client = client
        let list = try await client.list(
            "/v1/reviewSubmissions/\(PercentEncoding.encode(submission))/items",
            ["include": "appStoreVersion,backgroundAssetVersion", "limit": "50"]
        ).data
        var items: [Item] = []
        for data in list where data["attributes"]?["state"] != "REMOVED" {
            func version(_ name: String) -> String? { data["relationships"]?[name]?["data"]?["id"]?.stringValue }
            let subject: Subject
            if let pack = version("backgroundAssetVersion") {
                subject = try await .pack(pack, client)
            } else if let app = version("appStoreVersion") {
                subject = .app(app)
            } else {
                continue
            }
            items.append(
                Item(
                    id: try data.identifier(), isRejected: data["attributes"]?["state"] == "REJECTED",
                    subject: subject))
        }
        self.items = items
    }

    static func step(for subject: Subject, among items: [Item]) -> Step {
        guard let present = items.first(where: { $0.subject.excludes(subject) }) else { return .add }
        guard present.subject == subject else { return .replace(item: present.id) }
        return present.isRejected ? .resolve(item: present.id) : .nothing
    }

    /// Brings a subject into the submission, unless it is there.
    func put(_ subject: Subject) async throws {
        switch Self.step(for: subject, among: items) {
        case .nothing: return
        case .resolve(let item): _ = try await client.change(.reviewSubmissionItems, item, ["resolved": true])
        case .replace(let item):
            _ = try await client.change(.reviewSubmissionItems, item, ["removed": true])
            try await add(subject)
        case .add: try await add(subject)
        }
    }

    private func add(_ subject: Subject) async throws {
        _ = try await client.create(
            .reviewSubmissionItems, [:],
            [
                "reviewSubmission": (.reviewSubmissions, submission),
                subject.relationship: (subject.type, subject.version),
            ])
    }

    /// - Throws: `HostingClientError` when something that was rejected is in the submission and is not what comes now.
    func checkNothingRejectedStays(beside subjects: [Subject]) throws {
        let staying = items.filter { item in item.isRejected && !subjects.contains { $0.excludes(item.subject) } }
        guard !staying.isEmpty else { return }
        throw HostingClientError(
            .badRequest,
            "The submission \(submission) came back with something rejected that this command does not name; "
                + "'larder review list --all' shows it. Name it, too, or take everything back with "
                + "'larder review cancel \(submission)'.")
    }
}
