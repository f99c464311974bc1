// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit

extension DeviceCommands {
    private static let values = """
        inAppContent on|off (packs and files come before an app's first launch), backgroundRefresh on|off (apps are looked \
        after while they are closed; also for one app), meteredUse on|off (also on networks that cost by volume), lowPowerMode \
        auto|on|off, extensionSandbox required|off, resourcesInUse off|a size such as 2GiB (on-demand resources that one app \
        uses at once), bandwidth, bandwidthPerApp and bandwidthPerHost off|a size such as 2MiB \
        (bytes a second, of all transfers, of each app's, from each host), updateReports on|off (hosting services are told whether \
        versions that go to some devices first came well; off unless you turn it on), languages "de-AT de en" (what you read, best \
        first; see larder languages).
        """

    static let settings = Command(
        "settings", summary: "Show and change what the device service may do by itself",
        discussion: """
            The settings are \(values) They are kept in settings.json in the configuration folder, which the service reads when \
            it starts.
            """,
        examples: [
            .init("larder settings", "lists all settings"),
            .init("larder settings set meteredUse on", "lets apps be looked after on a phone's network"),
            .init(
                "larder settings set backgroundRefresh off --app org.example.TheCoast",
                "leaves one app alone while it is closed"),
        ],
        subcommands: [settingsList, settingsGet, settingsSet, settingsReset], defaultSubcommand: "list")

    static let close = Command(
        "close", summary: "Leave an app alone until it is launched again",
        discussion: """
            For an app that is closed for good: no periodic requests are made for it, and its extension is not woken by updates.
            """,
        examples: [.init("larder close org.example.TheCoast", "until the next 'larder launch'")], options: [.json],
        arguments: [CommandArgument("app", "The app's bundle id.")]
    ) { arguments, context in
        let app = try arguments.requiredArgument("app")
        _ = try await Device.send(CloseRequest(app: app), context)
        if context.json { context.print(json: ["app": .string(app), "closed": true]) }
        return .success
    }

    private static let nameArgument = CommandArgument("name", "The setting's name.")
    private static let appOption = CommandOption.value("app", "bundle id", "For this app only.")

    private static let settingsList = Command(
        "list", summary: "List all settings",
        examples: [.init("larder settings list --json", "one JSON object a line")], options: [.json]
    ) { _, context in
        try report(try await Device.send(SettingsListRequest(), context).settings, context)
        return .success
    }

    private static let settingsGet = Command(
        "get", summary: "Print the value of a setting",
        examples: [.init("larder settings get lowPowerMode", "prints auto, on or off")],
        options: [appOption, .json], arguments: [nameArgument]
    ) { arguments, context in
        let (name, app) = (try arguments.requiredArgument("name"), arguments.value("app"))
        let all = try await Device.send(SettingsListRequest(), context).settings.filter { $0.name == name }
        // What is not set for one app is as for all.
        guard let setting = all.first(where: { $0.app == app }) ?? all.first(where: { $0.app == nil }) else {
            throw CommandError("setting.bad", "There is no setting \"\(name)\". 'larder settings' lists them.")
        }
        if context.json { try context.print(encoding: setting) } else { context.print(setting.value) }
        return .success
    }

    private static let settingsSet = Command(
        "set", summary: "Change a setting",
        examples: [.init("larder settings set lowPowerMode on", "spares power, whatever the battery says")],
        options: [appOption, .json], arguments: [nameArgument, CommandArgument("value", "What it is to be.")]
    ) { arguments, context in
        try await change(arguments, to: try arguments.requiredArgument("value"), context)
    }

    private static let settingsReset = Command(
        "reset", summary: "Bring a setting's default back",
        examples: [.init("larder settings reset lowPowerMode", "lets the battery decide again")],
        options: [appOption, .json], arguments: [nameArgument]
    ) { arguments, context in try await change(arguments, to: nil, context) }

    private static func change(
        _ arguments: ParsedArguments, to value: String?, _ context: CommandContext
    ) async throws -> ExitCode {
        let (name, app) = (try arguments.requiredArgument("name"), arguments.value("app"))
        let reply = try await Device.send(SettingsSetRequest(name: name, app: app, value: value), context)
        let changed = reply.settings.filter { $0.name == name && ($0.app == app || value == nil && $0.app == nil) }
        try report(changed, context)
        return .success
    }

    private static func report(_ settings: [SettingListing], _ context: CommandContext) throws {
        for setting in settings {
            if context.json {
                try context.print(encoding: setting)
            } else {
                let name = setting.app.map { "\(setting.name) (\($0))" } ?? setting.name
                context.print("\(name): \(setting.value)\(setting.isSet ? "" : " (default)")")
            }
        }
    }
}
