// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit

extension DeviceCommands {
    static let apps = Command(
        "apps", aliases: ["list-apps"], summary: "List the installed apps",
        examples: [.init("larder apps --json", "lists them as JSON lines")], options: [.json]
    ) { _, context in
        let reply = try await Device.send(AppsRequest(), context)
        if context.json {
            for app in reply.apps { try context.print(encoding: app) }
            return .success
        }
        var table = TextTable([
            ("APP", .leading), ("NAME", .leading), ("VERSION", .leading), ("STATE", .leading), ("PACKS", .trailing),
            ("ON DISK", .trailing), ("", .leading),
        ])
        for app in reply.apps {
            table.add([
                app.app, app.displayName, app.version, app.state, "\(app.localPacks)",
                ByteCount.formatted(app.allocatedSize), app.note ?? "",
            ])
        }
        context.print(table.isEmpty ? "No app is installed. 'larder install Name.app' installs one." : table.text)
        return .success
    }

    static let packs = Command(
        "packs", summary: "List an app's packs: local, on their way and available",
        discussion: """
            With --updates the server is asked what it has, and for each local pack it is shown what bringing it up to date \
            would take: by which method, how much would be moved over the network, and how much written; what is on the \
            device already is linked. Nothing but manifest, indexes and the beginnings of patches is fetched for that.
            """,
        examples: [
            .init("larder packs com.example.coast", "lists the packs with states, versions and sizes"),
            .init("larder packs com.example.coast --updates", "shows what updates would move and write"),
        ],
        options: [.flag("updates", "Ask the server what updates of local packs would take."), .json], arguments: [.app]
    ) { arguments, context in
        let app = try arguments.requiredArgument("app")
        if arguments.flag("updates") { return try await updates(app, context) }
        let reply = try await Device.send(PacksRequest(app: app), context)
        if context.json {
            for pack in reply.packs { try context.print(encoding: pack) }
            return .success
        }
        context.print(reply.packs.isEmpty ? "\(app) has no packs." : table(reply.packs).text)
        for pack in reply.packs {
            pack.error.map { context.note("\(pack.id): \($0)") }
            pack.waitsFor.map { context.note("\(pack.id) waits for \($0).") }
        }
        if reply.collisionCount > 0 {
            context.note("\(reply.collisionCount) paths are in more than one local pack; the first pack named is read:")
            for collision in reply.collisions.prefix(10) {
                context.note("  \(collision.path): \(([collision.winner] + collision.losers).joined(separator: ", "))")
            }
            if reply.collisionCount > 10 { context.note("  ...") }
        }
        return .success
    }

    private static func updates(_ app: String, _ context: CommandContext) async throws -> ExitCode {
        let packs = try await Device.send(UpdateForecastsRequest(app: app), context).packs
        if context.json {
            for pack in packs { try context.print(encoding: pack) }
            return .success
        }
        context.print(packs.isEmpty ? "No pack of \(app) is local." : table(packs).text)
        for pack in packs {
            guard let note = pack.note else { continue }
            context.note(pack.method == nil ? "\(pack.id): \(note)" : "\(pack.id) is fetched whole: \(note).")
        }
        return .success
    }

    static func table(_ packs: [PackUpdateForecast]) -> TextTable {
        var table = TextTable([
            ("PACK", .leading), ("VERSION", .trailing), ("UPDATE", .leading), ("TO MOVE", .trailing),
            ("OF", .trailing), ("TO WRITE", .trailing),
        ])
        for pack in packs {
            let isOutdated = pack.availableVersion.map { $0 != pack.localVersion } ?? false
            let version = isOutdated ? " -> \(pack.availableVersion ?? 0)" : ""
            let update = pack.availableVersion == nil ? "removed" : isOutdated ? pack.method ?? "unknown" : "up to date"
            let sizes = [pack.toMove, pack.downloadSize, pack.toWrite].map {
                pack.method == nil ? "-" : ByteCount.formatted($0)
            }
            table.add([pack.id, "\(pack.localVersion)\(version)", update] + sizes)
        }
        return table
    }

    static func table(_ packs: [PackListing]) -> TextTable {
        let isLocalised = packs.contains { $0.language != nil }
        var table = TextTable(
            [("PACK", .leading)] + (isLocalised ? [("LANGUAGE", .leading)] : []) + [
                ("POLICY", .leading), ("STATE", .leading), ("VERSION", .trailing), ("DOWNLOAD", .trailing),
                ("ON DISK", .trailing),
            ])
        for pack in packs {
            var version = pack.localVersion.map { "\($0)" } ?? "-"
            if let available = pack.availableVersion, available != pack.localVersion { version += " -> \(available)" }
            var state = pack.state.rawValue
            if pack.state != .local, pack.downloaded > 0, pack.downloadSize > 0 {
                state += " \(Int(Double(pack.downloaded) / Double(pack.downloadSize) * 100))%"
            }
            table.add(
                [pack.id] + (isLocalised ? [pack.language ?? "-"] : []) + [
                    pack.policy.rawValue, state, version, ByteCount.formatted(pack.downloadSize),
                    pack.allocatedSize > 0 ? ByteCount.formatted(pack.allocatedSize) : "-",
                ])
        }
        return table
    }

    static let status = Command(
        "status", summary: "Show the service, what it is doing and what went wrong lately",
        examples: [.init("larder status", "shows installs and transfers that are going on")], options: [.json]
    ) { _, context in
        let reply = try await Device.send(StatusRequest(), context)
        if context.json {
            try context.print(encoding: reply)
            return .success
        }
        context.print("larderd \(reply.version), process \(reply.processID), state in \(reply.stateFolder)")
        if let degraded = reply.degraded { context.print(degraded) }
        for event in reply.installs {
            let line = ProgressLine(
                phase: InstallDisplay.text(event), completed: event.completed,
                total: event.total > 0 ? event.total : nil, rate: event.bytesPerSecond)
            context.print(line.rendered(width: 100))
            for note in event.notes { context.print("  \(note)") }
        }
        var table = TextTable([
            ("APP", .leading), ("PACK", .leading), ("STATE", .leading), ("DONE", .trailing), ("OF", .trailing),
            ("RATE", .trailing), ("", .leading),
        ])
        for transfer in reply.transfers {
            table.add([
                transfer.app, transfer.pack, transfer.state.rawValue, ByteCount.formatted(transfer.completed),
                ByteCount.formatted(transfer.total),
                transfer.bytesPerSecond > 0 ? ByteCount.formatted(perSecond: transfer.bytesPerSecond) : "-",
                transfer.error ?? transfer.waitsFor.map { "waits for \($0)" } ?? "",
            ])
        }
        if !table.isEmpty { context.print(table.text) }
        if table.isEmpty, reply.installs.isEmpty { context.print("Nothing is going on.") }
        for note in reply.notes {
            let app = note.app.map { " \($0):" } ?? ""
            context.print("\(Timestamp(seconds: note.time).formatted)\(app) \(note.message)")
        }
        return .success
    }
}
