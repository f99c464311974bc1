// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import HostingModel
internal import Kit

extension HostCommands {
    static let channels = Command(
        "channels", summary: "Let devices into beta channels",
        discussion: """
            The App Store's channel is open to all. Devices follow internalBeta and externalBeta with a token of the app, which \
            'larder install --from ... --token' is given once.
            """,
        examples: [
            .init("larder-host channels token com.example.coast internalBeta --name QA", "for the testers"),
            .init("larder-host channels list", "shows all tokens, without their secrets"),
        ],
        subcommands: [createToken, listTokens, revokeToken])

    private static let betaChannels = Channel.allCases.filter { $0 != .appStore }.map(\.rawValue)

    private static let createToken = Command(
        "token", summary: "Make a token for a channel of an app, and print it this once",
        examples: [.init("larder-host channels token com.example.coast internalBeta --name QA", "for the testers")],
        options: [data, database, .value("name", "text", "Whom it is for, for the list."), .json],
        arguments: [
            CommandArgument("bundle-id", "The app's bundle identifier."),
            CommandArgument("channel", "internalBeta or externalBeta.", completion: .choices(betaChannels)),
        ]
    ) { arguments, context in
        let bundleID = try arguments.requiredArgument("bundle-id")
        guard let channel = Channel(rawValue: try arguments.requiredArgument("channel")), channel != .appStore else {
            throw UsageError("The channel must be internalBeta or externalBeta. The App Store's needs no token.")
        }
        return try await administer(arguments, context) { host in
            let (id, secret) = try await host.createChannelToken(
                bundleID: bundleID, channel: channel, name: arguments.value("name") ?? "")
            if context.json {
                context.print(json: ["id": .string(id), "token": .string(secret)])
            } else {
                context.print("Id:    \(id)")
                context.print("Token: \(secret)")
            }
        }
    }

    private static let listTokens = Command(
        "list", summary: "List the tokens",
        examples: [.init("larder-host channels list", "shows all tokens, without their secrets")],
        options: [data, database, .json]
    ) { arguments, context in
        try await administer(arguments, context) { host in
            var table = TextTable(["id", "app", "channel", "name", "made", "revoked"].map { ($0, .leading) })
            for token in try await host.channelTokens() {
                if context.json {
                    context.print(json: [
                        "id": .string(token.id), "app": .string(token.bundleID),
                        "channel": .string(token.channel.rawValue),
                        "name": .string(token.name), "createdDate": .string(token.createdDate),
                        "revokedDate": token.revokedDate.map { .string($0) } ?? .null,
                    ])
                } else {
                    table.add([
                        token.id, token.bundleID, token.channel.rawValue, token.name, token.createdDate,
                        token.revokedDate ?? "",
                    ])
                }
            }
            if !context.json { context.print(table.text) }
        }
    }

    private static let revokeToken = Command(
        "revoke", summary: "Let no device in with a token any more",
        examples: [.init("larder-host channels revoke 3f2a...", "takes back a token that got about")],
        options: [data, database],
        arguments: [CommandArgument("id", "The token's identifier.")]
    ) { arguments, context in
        let id = try arguments.requiredArgument("id")
        return try await administer(arguments, context) { host in
            try await host.revokeChannelToken(id)
            context.print("Revoked \(id).")
        }
    }
}
