// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HostingClient
import HostingModel
import Kit

extension HostingCommands {
    static let review = Command(
        "review", summary: "Look at what was submitted, and decide about it",
        discussion: """
            For who runs a host and reviews its packs; to decide, the key needs the role REVIEWER or ADMIN. A decision is about a submission for \
            the App Store with all items that are open in it, about one of its items, or about a version for external testers: each \
            has an identifier in the list.
            """,
        examples: [
            .init("larder review list", "shows what waits for a decision"),
            .init("larder review reject 5d0e... --message \"The music is not licensed.\"", "says no, and why"),
        ],
        subcommands: [reviewList, reviewApprove, reviewReject, reviewCancel])

    private static let reviewList = Command(
        "list", summary: "Show what waits for a decision",
        examples: [.init("larder review list", "shows what waits, with identifiers")],
        options: HostConnection.options + [
            .value("app", short: "a", "bundle id", "Only of this app."),
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
                submission.id, submission.app, submission.audience, "", submission.state, submission.submittedDate,
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

    private static let reviewCancel = Command(
        "cancel", summary: "Take back a submission for the App Store",
        discussion: "For publishers; the key needs the role APP_MANAGER or ADMIN. All its versions are free again.",
        examples: [.init("larder review cancel 5d0e...", "ends the submission without a decision")],
        options: HostConnection.options + [.json],
        arguments: [CommandArgument("id", "The submission, as 'larder review list' shows it.")]
    ) { arguments, context in
        let id = try arguments.requiredArgument("id")
        let client = try await HostConnection(arguments, context).client()
        let submission = try await client.change(.reviewSubmissions, id, ["canceled": true])
        if context.json {
            context.print(json: submission)
        } else {
            context.print("Canceled \(id).")
        }
        return .success
    }

    private static func decide(
        _ verdict: String, _ arguments: ParsedArguments, _ context: CommandContext
    ) async throws -> ExitCode {
        let id = try arguments.requiredArgument("id")
        let client = try await HostConnection(arguments, context).client()
        var attributes: [String: JSONValue] = ["verdict": .string(verdict)]
        attributes["message"] = arguments.value("message").map { .string($0) }
        let (name, type) = try await kind(of: id, client)
        let decision: JSONValue
        do {
            decision = try await client.create(.reviewDecisions, attributes, [name: (type, id)])
        } catch let error as HostingClientError where error.apiCode == "ENTITY_ERROR.RELATIONSHIP.INVALID" {
            throw CommandError(
                "hosting.notFound",
                "The host has no submission, no item of one, and no version for external testers \"\(id)\", or none that this "
                    + "key may see. 'larder review list' shows what waits.")
        }
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
