// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HostingClient
import HostingModel
import Kit

extension HostingCommands {
    static let rollout = Command(
        "rollout", summary: "Give a version to a share of the devices first, and take it back if need be",
        discussion: """
            A rollout is of one version in one channel. Begin it before the version is live: before it is approved for \
            externalBeta and appStore. Devices that are not reached keep the version before. The key needs the role APP_MANAGER \
            or ADMIN.
            """,
        examples: [
            .init(
                "larder rollout start Tutorial --app com.example.coast --channel appStore --percentage 10 "
                    + "--failure-threshold 5",
                "a tenth of the devices; stops when more than 5 percent of those that report have failed"),
            .init("larder rollout set 7c41... --percentage 50", "goes on to half of them"),
            .init("larder rollout rollback 7c41...", "brings the version before back"),
        ],
        subcommands: [
            rolloutList, rolloutStart, rolloutSet, rolloutHalt, rolloutResume, rolloutRollback, rolloutComplete,
            rolloutPin, rolloutUnpin,
        ])

    private static let rolloutArgument = CommandArgument("id", "The rollout, as 'larder rollout list' shows it.")
    private static let reportOptions: [CommandOption] = [
        .value(
            "failure-threshold", "percent",
            "Halt it when more of the devices that report than so many percent have failed; 100 never does."),
        .value(
            "minimum-reports", "number", "So many devices must have reported before that is looked at; 20 by default."),
    ]

    // MARK: Rollouts

    private static let rolloutList = Command(
        "list", summary: "Show rollouts, how far they are and what devices report",
        examples: [.init("larder rollout list --app com.example.coast", "shows those that go on")],
        options: HostConnection.options + [
            .value("app", short: "a", "bundle id", "Only of this app."),
            .flag("all", "Also those that are complete or rolled back."), .json,
        ]
    ) { arguments, context in
        let client = try await HostConnection(arguments, context).client()
        try await RolloutListing(client, context).print(
            app: arguments.value("app"), showsAll: arguments.flag("all"))
        return .success
    }

    private static let rolloutStart = Command(
        "start", summary: "Begin the rollout of a version in a channel",
        examples: [
            .init(
                "larder rollout start Tutorial --app com.example.coast --channel appStore --percentage 10",
                "the newest version goes to a tenth of the devices once it is approved")
        ],
        options: HostConnection.options + PackVersionReference.options + [
            .value(
                "channel", "name", "internalBeta, externalBeta or appStore.",
                completion: .choices(Channel.allCases.map(\.rawValue))),
            .value("percentage", "number", "Of the devices, from 0 to 100."),
        ] + reportOptions + [.json],
        arguments: [PackVersionReference.argument]
    ) { arguments, context in
        guard let channel = try arguments.choice("channel", of: Channel.allCases.map(\.rawValue)) else {
            throw UsageError("In which channel? Give it with --channel.")
        }
        guard let percentage = try arguments.integer("percentage", in: 0...100) else {
            throw UsageError("To how many of the devices? Give it with --percentage.")
        }
        var attributes = try reportAttributes(arguments)
        attributes["channel"] = .string(channel)
        attributes["percentage"] = .integer(Int64(percentage))
        let client = try await HostConnection(arguments, context).client()
        let version = try await PackVersionReference(arguments).version(client)
        let rollout = try await client.create(
            .rollouts, attributes, ["backgroundAssetVersion": (.backgroundAssetVersions, version)])
        return try show(rollout, context)
    }

    private static let rolloutSet = Command(
        "set", summary: "Change how far a rollout goes, and when it stops by itself",
        examples: [.init("larder rollout set 7c41... --percentage 50", "goes on to half of the devices")],
        options: HostConnection.options + [.value("percentage", "number", "Of the devices, from 0 to 100.")]
            + reportOptions + [.json],
        arguments: [rolloutArgument]
    ) { arguments, context in
        var attributes = try reportAttributes(arguments)
        if let percentage = try arguments.integer("percentage", in: 0...100) {
            attributes["percentage"] = .integer(Int64(percentage))
        }
        guard !attributes.isEmpty else { throw UsageError("What is to change? Give --percentage or another option.") }
        return try await change(attributes, arguments, context)
    }

    private static func reportAttributes(_ arguments: ParsedArguments) throws -> [String: JSONValue] {
        var attributes: [String: JSONValue] = [:]
        attributes["failureThreshold"] = try arguments.integer("failure-threshold", in: 0...100).map {
            .integer(Int64($0))
        }
        attributes["minimumReports"] = try arguments.integer("minimum-reports", in: 1...1_000_000).map {
            .integer(Int64($0))
        }
        return attributes
    }

    private static let rolloutHalt = step(
        "halt", .halted, "Stop: who has the version keeps it, and nobody else gets it", "nobody else gets the version")
    private static let rolloutResume = step(
        "resume", .active, "Go on, and count reports anew", "goes on where it stood")
    private static let rolloutRollback = step(
        "rollback", .rolledBack, "Take the version back: every device gets the one before",
        "brings the version before back")
    private static let rolloutComplete = step(
        "complete", .complete, "Give the version to all devices", "all devices get the version")

    private static func step(_ name: String, _ state: RolloutState, _ summary: String, _ example: String) -> Command {
        Command(
            name, summary: summary, examples: [.init("larder rollout \(name) 7c41...", example)],
            options: HostConnection.options + [.json], arguments: [rolloutArgument]
        ) { arguments, context in
            try await change(["state": .string(state.rawValue)], arguments, context)
        }
    }

    private static func change(
        _ attributes: [String: JSONValue], _ arguments: ParsedArguments, _ context: CommandContext
    ) async throws -> ExitCode {
        let id = try arguments.requiredArgument("id")
        let client = try await HostConnection(arguments, context).client()
        return try show(try await client.change(.rollouts, id, attributes), context)
    }

    private static func show(_ rollout: JSONValue, _ context: CommandContext) throws -> ExitCode {
        if context.json {
            context.print(json: rollout)
            return .success
        }
        let attributes = rollout["attributes"]
        context.print("Rollout: \(PackSupport.printable(try rollout.identifier()))")
        context.print("State:   \(PackSupport.printable(attributes?["state"]?.stringValue ?? ""))")
        context.print("Devices: \(RolloutListing.devices(attributes))")
        return .success
    }

    // MARK: App versions

    private static let rolloutPin = Command(
        "pin", summary: "Say which versions of the app a version of a pack suits",
        discussion: """
            A device gets the newest version of the pack that suits its app. What an app version is compared with are whole numbers \
            with dots between, as 2.0.1; an app that has another kind gets versions that suit all.
            """,
        examples: [
            .init(
                "larder rollout pin Tutorial --app com.example.coast --minimum-app-version 2.0",
                "the newest version is for apps from 2.0 on")
        ],
        options: HostConnection.options + PackVersionReference.options + [
            .value("minimum-app-version", "version", "The least that it suits."),
            .value("maximum-app-version", "version", "The last that it suits."), .json,
        ],
        arguments: [PackVersionReference.argument]
    ) { arguments, context in
        var attributes: [String: JSONValue] = [:]
        attributes["minimumAppVersion"] = arguments.value("minimum-app-version").map { .string($0) } ?? .null
        attributes["maximumAppVersion"] = arguments.value("maximum-app-version").map { .string($0) } ?? .null
        guard attributes.values.contains(where: { $0 != .null }) else {
            throw UsageError("Which app versions? Give --minimum-app-version, --maximum-app-version, or both.")
        }
        let client = try await HostConnection(arguments, context).client()
        let version = try await PackVersionReference(arguments).version(client)
        // Changed in one step: a refusal leaves the range as it was, and at no moment does the version suit all.
        let range =
            if let present = try await range(of: version, client) {
                try await client.change(.appRanges, present, attributes)
            } else {
                try await client.create(
                    .appRanges, attributes, ["backgroundAssetVersion": (.backgroundAssetVersions, version)])
            }
        if context.json {
            context.print(json: range)
        } else {
            context.print("The version suits only these apps from now on.")
        }
        return .success
    }

    private static let rolloutUnpin = Command(
        "unpin", summary: "Have a version of a pack suit all versions of the app again",
        examples: [.init("larder rollout unpin Tutorial --app com.example.coast --number 3", "all apps get version 3")],
        options: HostConnection.options + PackVersionReference.options + [.json],
        arguments: [PackVersionReference.argument]
    ) { arguments, context in
        let client = try await HostConnection(arguments, context).client()
        let version = try await PackVersionReference(arguments).version(client)
        let present = try await range(of: version, client)
        if let present { try await client.delete(.appRanges, present) }
        if context.json {
            context.print(json: ["version": .string(version), "wasPinned": .bool(present != nil)])
        } else {
            context.print("The version suits all apps.")
        }
        return .success
    }

    private static func range(of version: String, _ client: HostingClient) async throws -> String? {
        try await client.list("/v1/\(ResourceType.appRanges)", ["filter[backgroundAssetVersion]": version]).data.first?
            .identifier()
    }
}
