// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HostingClient
import HostingModel
import Kit

extension HostingCommands {
    static let review = Command(
        "review", summary: "Look at what publishers have submitted, and decide about it",
        discussion: """
            For who runs a host and reviews its packs; the key needs the role REVIEWER or ADMIN. A decision is about a submission for \
            the App Store with all items that are open in it, about one of its items, or about a version for external testers: each \
            has an identifier in the list.
            """,
        examples: [
            .init("larder review list", "shows what waits for a decision"),
            .init("larder review reject 5d0e... --message \"The music is not licensed.\"", "says no, and why"),
        ],
        subcommands: [reviewList, reviewApprove, reviewReject])

    private static let reviewList = Command(
        "list", summary: "Show what waits for a decision",
        examples: [.init("larder review list", "shows what waits, with identifiers")],
        options: HostConnection.options + [
            .value("app", short: "a", "bundle id", "Only of this app. Keys that may not review need it."),
            .flag("all", "Also what was decided."), .json,
        ]
    ) { arguments, context in
        let client = try await HostConnection(arguments, context).client()
        var listing = SubmissionListing(client, showsAll: arguments.flag("all"))
        let submissions = try await listing.submissions(ofApp: arguments.value("app"))
        if context.json {
            for submission in submissions { context.print(json: submission.json) }
            return .success
        }
        guard !submissions.isEmpty else {
            context.print("Nothing waits for a decision.")
            return .success
        }
        var table = TextTable(["id", "app", "for", "pack", "state", "submitted"].map { ($0, .leading) })
        for submission in submissions {
            table.add([
                submission.id, submission.app, submission.channel, "", submission.state, submission.submittedDate,
            ])
            for item in submission.items { table.add(["  \(item.id)", "", "", item.pack, item.state, ""]) }
        }
        context.print(table.text)
        return .success
    }

    private static let message = CommandOption.value(
        "message", short: "m", "text", "What the publisher is told; a rejection needs it.")
    private static let subject = CommandArgument(
        "id", "The submission, item or version for external testers, as 'larder review list' shows it.")

    private static let reviewApprove = Command(
        "approve", summary: "Let it go live",
        examples: [.init("larder review approve 5d0e...", "approves a submission with all its items")],
        options: HostConnection.options + [message, .json], arguments: [subject]
    ) { arguments, context in
        try await decide("APPROVED", arguments, context)
    }

    private static let reviewReject = Command(
        "reject", summary: "Send it back, and say why",
        examples: [
            .init("larder review reject 5d0e... --message \"The music is not licensed.\"", "says no, and why")
        ],
        options: HostConnection.options + [message, .json], arguments: [subject]
    ) { arguments, context in
        guard arguments.value("message") != nil else {
            throw UsageError("A rejection needs a reason for the publisher: --message \"...\".")
        }
        return try await decide("REJECTED", arguments, context)
    }

    private static func decide(
        _ verdict: String, _ arguments: ParsedArguments, _ context: CommandContext
    ) async throws -> ExitCode {
        let id = try arguments.requiredArgument("id")
        let client = try await HostConnection(arguments, context).client()
        var attributes: [String: JSONValue] = ["verdict": .string(verdict)]
        attributes["message"] = arguments.value("message").map { .string($0) }
        let (name, type) = try await kind(of: id, client)
        let decision = try await client.create(.reviewDecisions, attributes, [name: (type, id)])
        if context.json {
            context.print(json: decision)
        } else {
            context.print(verdict == "APPROVED" ? "Approved \(id)." : "Rejected \(id).")
        }
        return .success
    }

    /// What an identifier stands for, as relationships of decisions call it.
    private static func kind(of id: String, _ client: HostingClient) async throws -> (String, ResourceType) {
        for (name, type) in [
            ("reviewSubmission", ResourceType.reviewSubmissions),
            ("betaBackgroundAssetReviewSubmission", .betaReviewSubmissions),
            ("betaAppReviewSubmission", .buildBetaReviews),
        ] {
            do {
                _ = try await client.resource(type, id)
                return (name, type)
            } catch let error as HostingClientError where error.code == .notFound {}
        }
        return ("reviewSubmissionItem", .reviewSubmissionItems)
    }
}

/// What publishers have submitted, with the names that people know.
struct SubmissionListing {
    struct Item {
        let id: String
        /// `Tutorial 3`, or `2.0 of the app`.
        let pack: String
        let state: String

        var json: JSONValue { ["id": .string(id), "pack": .string(pack), "state": .string(state)] }
    }

    struct Submission {
        let id: String
        let app: String
        let channel: String
        let state: String
        let submittedDate: String
        let items: [Item]

        var json: JSONValue {
            [
                "id": .string(id), "app": .string(app), "channel": .string(channel), "state": .string(state),
                "submittedDate": .string(submittedDate), "items": .array(items.map(\.json)),
            ]
        }
    }

    private let client: HostingClient
    private let showsAll: Bool
    private var names: [String: String] = [:]

    init(_ client: HostingClient, showsAll: Bool) {
        self.client = client
        self.showsAll = showsAll
    }

    /// Those for the App Store, then those for external testers, oldest first.
    mutating func submissions(ofApp bundleID: String?) async throws -> [Submission] {
        let app = if let bundleID { try await client.app(.bundleID(bundleID)) } else { String?.none }
        return try await forAppStore(app) + forExternalTesters(app) + buildsForExternalTesters(app)
    }

    private mutating func forAppStore(_ app: String?) async throws -> [Submission] {
        var found: [Submission] = []
        let all =
            if let app {
                try await client.list("/v1/reviewSubmissions", ["filter[app]": app, "limit": "200"]).data
            } else {
                try await client.list("/v1/reviewSubmissions", ["limit": "200"]).data
            }
        for data in all {
            let state = data["attributes"]?["state"]?.stringValue ?? ""
            guard showsAll || ["WAITING_FOR_REVIEW", "IN_REVIEW"].contains(state) else { continue }
            let id = try data.identifier()
            var items: [Item] = []
            let (list, included) = try await client.list(
                "/v1/reviewSubmissions/\(PercentEncoding.encode(id))/items",
                ["include": "appStoreVersion,backgroundAssetVersion", "limit": "50"])
            for item in list {
                items.append(
                    Item(
                        id: try item.identifier(), pack: try await name(of: item, included),
                        state: item["attributes"]?["state"]?.stringValue ?? ""))
            }
            let appID = data["relationships"]?["app"]?["data"]?["id"]?.stringValue
            found.append(
                Submission(
                    id: id, app: try await name(ofApp: appID), channel: "App Store", state: state,
                    submittedDate: data["attributes"]?["submittedDate"]?.stringValue ?? "", items: items))
        }
        return found
    }

    private mutating func forExternalTesters(_ app: String?) async throws -> [Submission] {
        var found: [Submission] = []
        for data in try await client.list(
            "/v1/betaBackgroundAssetReviewSubmissions", ["limit": "200"]
        ).data {
            let state = data["attributes"]?["betaReviewState"]?.stringValue ?? ""
            guard showsAll || ["WAITING_FOR_REVIEW", "IN_REVIEW"].contains(state) else { continue }
            let id = try data.identifier()
            let (pack, owner) = try await name(
                ofVersion: data["relationships"]?["backgroundAssetVersion"]?["data"]?["id"]?.stringValue)
            guard app == nil || owner == app else { continue }
            found.append(
                Submission(
                    id: id, app: try await name(ofApp: owner), channel: "external testers", state: state,
                    submittedDate: data["attributes"]?["submittedDate"]?.stringValue ?? "",
                    items: [Item(id: id, pack: pack, state: state)]))
        }
        return found
    }

    /// Likewise builds.
    private mutating func buildsForExternalTesters(_ app: String?) async throws -> [Submission] {
        var found: [Submission] = []
        let builds = try await client.list(
            "/v1/builds",
            [
                "filter[betaAppReviewSubmission.betaReviewState]": "WAITING_FOR_REVIEW,IN_REVIEW,REJECTED,APPROVED",
                "include": "betaAppReviewSubmission", "limit": "200",
            ])
        for build in builds.data {
            let id = build["relationships"]?["betaAppReviewSubmission"]?["data"]?["id"]?.stringValue
            guard let id, let data = builds.included.first(where: { $0["id"]?.stringValue == id }) else { continue }
            let state = data["attributes"]?["betaReviewState"]?.stringValue ?? ""
            guard showsAll || ["WAITING_FOR_REVIEW", "IN_REVIEW"].contains(state) else { continue }
            let owner = build["relationships"]?["app"]?["data"]?["id"]?.stringValue
            guard app == nil || owner == app else { continue }
            let number = build["attributes"]?["version"]?.stringValue ?? "?"
            found.append(
                Submission(
                    id: id, app: try await name(ofApp: owner), channel: "external testers", state: state,
                    submittedDate: data["attributes"]?["submittedDate"]?.stringValue ?? "",
                    items: [Item(id: id, pack: "build \(number)", state: state)]))
        }
        return found
    }

    private mutating func name(ofApp id: String?) async throws -> String {
        guard let id else { return "" }
        if let known = names[id] { return known }
        let name = try await client.resource(.apps, id)["attributes"]?["bundleId"]?.stringValue ?? id
        names[id] = name
        return name
    }

    /// What an item is about.
    private func name(of item: JSONValue, _ included: [JSONValue]) async throws -> String {
        func id(_ relationship: String) -> String? {
            item["relationships"]?[relationship]?["data"]?["id"]?.stringValue
        }
        guard let version = id("appStoreVersion") else {
            return try await name(ofVersion: id("backgroundAssetVersion")).pack
        }
        let number = included.first { $0["id"]?.stringValue == version }?["attributes"]?["versionString"]?.stringValue
        return "\(number ?? "?") of the app"
    }

    /// The pack's identifier with the version's number, and the app's number.
    private func name(ofVersion id: String?) async throws -> (pack: String, app: String?) {
        guard let id else { return ("", nil) }
        let document = try await client.get(
            "/v1/backgroundAssetVersions/\(PercentEncoding.encode(id))", ["include": "backgroundAsset"])
        let pack = document["included"]?.arrayValue?.first
        let number = document["data"]?["attributes"]?["version"]?.stringValue ?? ""
        return (
            "\(pack?["attributes"]?["assetPackIdentifier"]?.stringValue ?? "?") \(number)",
            pack?["relationships"]?["app"]?["data"]?["id"]?.stringValue
        )
    }
}
