// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import Languages

extension DeviceCommands {
    static let languages = Command(
        "languages", summary: "Show or set the languages that localised packs are chosen by",
        discussion: """
            Of an app's localised packs only those of one language are fetched by themselves: that of the first language \
            here which the app has, be it in the variant of another region, or else the app's primary language. Without any \
            set here, those of the environment count (LANGUAGE, LC_ALL, LC_MESSAGES, LANG) in which an app was last \
            installed, updated or launched. They are the setting languages. When the choice changes, the packs of the new language are fetched and then \
            those of the old one are removed.
            """,
        examples: [
            .init("larder languages", "shows those in force"),
            .init("larder languages de-AT de en", "sets them, best first"),
            .init("larder languages --environment", "goes back to the environment's"),
        ],
        options: [.flag("environment", "Go back to what the environment says."), .json],
        arguments: [
            CommandArgument(
                "language", "BCP 47 tags such as de-AT, best first.", isOptional: true, isRepeating: true)
        ]
    ) { arguments, context in
        let connection = try await Device.connect(context)
        await Device.reportLanguages(connection, context)
        let tags = arguments.arguments("language")
        func set(_ value: String?) async throws {
            _ = try await connection.send(SettingsSetRequest(name: "languages", app: nil, value: value))
        }
        if arguments.flag("environment") {
            guard tags.isEmpty else { throw UsageError("Either languages or --environment, not both.") }
            try await set(nil)
        } else if !tags.isEmpty {
            try await set(tags.joined(separator: " "))
        }
        let reply = try await connection.send(LanguagesGetRequest())
        if context.json {
            try context.print(encoding: reply)
        } else if reply.languages.isEmpty {
            context.print("None; each app's primary language counts. 'larder languages TAG' sets one.")
        } else {
            context.print(reply.languages.joined(separator: " ") + (reply.isSet ? "" : " (from the environment)"))
        }
        return .success
    }
}

extension Device {
    /// Tells the service what this environment's languages are. That they cannot be told keeps nobody from anything.
    static func reportLanguages(_ connection: DeviceConnection, _ context: CommandContext) async {
        let languages = PreferredLanguages.of(context.environment).map(\.description)
        if !languages.isEmpty { _ = try? await connection.send(LanguagesReportRequest(languages: languages)) }
    }
}
