// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit

/// What there is of an app's tags on this device.
extension ResourceCommands {
    private static let barWidth = 20

    static let status = Command(
        "status", summary: "Show every tag of an app with its size and state",
        discussion: """
            States are those of Xcode's disk gauge: not downloaded, partially downloaded, downloading, downloaded, in use \
            and purged. Without an app, all installed apps that have on-demand resources are shown. A tag's size is that of \
            all its packs, also of those that it shares with others.
            """,
        examples: [
            .init("larder odr status org.example.Levels", "lists the app's tags"),
            .init("larder odr status --watch", "shows all apps' tags, and how they change, until Ctrl-C"),
        ],
        options: [.flag("watch", short: "w", "Show it again whenever something changes."), .json],
        arguments: [.optionalApp]
    ) { arguments, context in
        let connection = try await Device.connect(context)
        let chosen = arguments.argument("app")
        guard arguments.flag("watch") else {
            try show(try await tags(chosen, connection), context)
            return .success
        }
        var last: [AppTags]?
        for try await _ in connection.stream(ResourceChangesRequest(app: chosen)) {
            let now = try await tags(chosen, connection)
            if now != last {
                if last != nil, context.isTerminal, !context.json { context.standardOutput.write("\u{1B}[H\u{1B}[2J") }
                try show(now, context)
            }
            last = now
        }
        if Task.isCancelled { return .interrupted }
        throw DeviceError(.unavailable, "The device service has ended. Start this again to go on watching.")
    }

    private struct AppTags: Codable, Hashable {
        var app: String
        var tags: [ResourceTagListing]
    }

    /// Apps without on-demand resources are passed over, unless one is asked for.
    private static func tags(_ chosen: String?, _ connection: DeviceConnection) async throws -> [AppTags] {
        if let chosen {
            return [AppTags(app: chosen, tags: try await connection.send(ResourceTagsRequest(app: chosen)).tags)]
        }
        var all: [AppTags] = []
        for app in try await connection.send(AppsRequest(measures: false)).apps {
            do {
                let reply = try await connection.send(ResourceTagsRequest(app: app.app))
                all.append(AppTags(app: app.app, tags: reply.tags))
            } catch let error as DeviceError where [.noResources, .appNotFound].contains(error.code) {}
        }
        return all
    }

    private static func show(_ apps: [AppTags], _ context: CommandContext) throws {
        if context.json {
            for app in apps { try context.print(encoding: app) }
            return
        }
        if apps.isEmpty { return context.print("No installed app has on-demand resources.") }
        for app in apps {
            var table = TextTable([
                ("TAG", .leading), ("STATE", .leading), ("", .leading), ("DOWNLOAD", .trailing), ("ON DISK", .trailing),
                ("KEPT", .trailing),
            ])
            for tag in app.tags {
                table.add([
                    tag.tag, tag.state.text, tag.bar(width: barWidth), ByteCount.formatted(tag.downloadSize),
                    tag.allocatedSize > 0 ? ByteCount.formatted(tag.allocatedSize) : "-",
                    "\((tag.preservationPriority * 100).rounded() / 100)",
                ])
            }
            if apps.count > 1 { context.print(app.app) }
            context.print(table.isEmpty ? "\(app.app) has no tags." : table.text)
        }
    }
}

extension ResourceTagState {
    /// As a person reads it.
    fileprivate var text: String {
        switch self {
        case .notDownloaded: "not downloaded"
        case .partiallyDownloaded: "partially downloaded"
        case .inUse: "in use"
        default: rawValue
        }
    }
}

extension ResourceTagListing {
    /// How far a tag is that is neither there nor missing.
    fileprivate func bar(width: Int) -> String {
        guard [.downloading, .partiallyDownloaded].contains(state), downloadSize > 0 else { return "" }
        let fraction = min(1, max(0, Double(downloaded) / Double(downloadSize)))
        let filled = Int(fraction * Double(width))
        return "[" + String(repeating: "=", count: filled) + String(repeating: " ", count: width - filled)
            + "] \(Int(fraction * 100))%"
    }
}
