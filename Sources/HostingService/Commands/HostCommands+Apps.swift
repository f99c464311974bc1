// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Kit

extension HostCommands {
    static let app = Command(
        "app", summary: "Make and list the apps that packs belong to",
        examples: [.init("larder-host app create com.example.coast --name \"The Coast\"", "makes an app")],
        subcommands: [createApp, listApps])

    private static let createApp = Command(
        "create", summary: "Make an app",
        examples: [
            .init(
                "larder-host app create com.example.coast --name \"The Coast\"", "makes an app, and prints its number")
        ],
        options: [
            data, database,
            .value("name", "name", "What people call it; the bundle identifier by default."),
            .value("primary-locale", "tag", "The language that packs fall back to, as en-US."),
            .value("sku", "text", "The publisher's own name for it; the bundle identifier by default."),
            .json,
        ],
        arguments: [CommandArgument("bundle-id", "The app's bundle identifier.")]
    ) { arguments, context in
        let bundleID = try arguments.requiredArgument("bundle-id")
        return try await administer(arguments, context) { host in
            let app = try await host.createApp(
                bundleID: bundleID, name: arguments.value("name"), locale: arguments.value("primary-locale"),
                sku: arguments.value("sku"))
            if context.json {
                context.print(json: ["id": .string(app.id), "bundleId": .string(app.bundleID)])
            } else {
                context.print("App: \(app.id) (\(app.bundleID))")
            }
        }
    }

    private static let listApps = Command(
        "list", summary: "List the apps",
        examples: [.init("larder-host app list", "shows all apps with their numbers")],
        options: [data, database, .json]
    ) { arguments, context in
        try await administer(arguments, context) { host in
            let apps = try await host.apps()
            if context.json {
                for app in apps {
                    context.print(json: [
                        "id": .string(app.id), "bundleId": .string(app.bundleID), "name": .string(app.name),
                    ])
                }
                return
            }
            var table = TextTable(["id", "bundle id", "name"].map { ($0, .leading) })
            for app in apps { table.add([app.id, app.bundleID, app.name]) }
            context.print(table.text)
        }
    }
}
