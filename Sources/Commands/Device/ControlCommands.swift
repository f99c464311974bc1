// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit

extension DeviceCommands {
    private static let pack = CommandArgument("pack", "Only this pack, by its id.", isOptional: true)

    static let pause = Command(
        "pause", summary: "Pause an app's downloads, or one pack's",
        discussion: """
            The pause survives a restart of the service. What was fetched is kept. When nothing of the app is being \
            downloaded this says so, with the exit code 0; of a pack that is named, with 3.
            """,
        examples: [.init("larder pause com.example.coast", "pauses all of the app's downloads")],
        options: [.json], arguments: [.app, pack]
    ) { arguments, context in
        let app = try arguments.requiredArgument("app")
        let reply = try await Device.send(PauseRequest(app: app, pack: arguments.argument("pack")), context)
        return report("paused", "Paused", reply, arguments, context)
    }

    static let resume = Command(
        "resume", summary: "Go on after a pause",
        discussion: """
            When nothing of the app is being downloaded this says so, with the exit code 0; of a pack that is named, with 3.
            """,
        examples: [.init("larder resume com.example.coast music", "goes on with the pack music")],
        options: [.json], arguments: [.app, pack]
    ) { arguments, context in
        let app = try arguments.requiredArgument("app")
        let reply = try await Device.send(ResumeRequest(app: app, pack: arguments.argument("pack")), context)
        return report("resumed", "Going on with", reply, arguments, context)
    }

    static let cancel = Command(
        "cancel", summary: "Cancel an install, an update, or one pack's download",
        discussion: """
            What was there before stays as it was; what was fetched is deleted. A pack may be asked for again. When nothing of \
            the app is being downloaded this says so, with the exit code 0; of a pack that is named, with 3.
            """,
        examples: [
            .init("larder cancel com.example.coast", "cancels the install or update"),
            .init("larder cancel com.example.coast music", "cancels one download"),
        ],
        options: [.json], arguments: [.app, pack]
    ) { arguments, context in
        let app = try arguments.requiredArgument("app")
        let reply = try await Device.send(CancelRequest(app: app, pack: arguments.argument("pack")), context)
        return report("cancelled", "Cancelled", reply, arguments, context)
    }

    /// Nothing to steer is no failure: what was asked for is so already. It is said, though.
    private static func report(
        _ key: String, _ verb: String, _ reply: SteeringReply, _ arguments: ParsedArguments, _ context: CommandContext
    ) -> ExitCode {
        let app = arguments.argument("app") ?? ""
        let pack = arguments.argument("pack")
        let name = pack.map { "\($0) of \(app)" } ?? app
        if context.json {
            context.print(
                json: [
                    key: .string(app), "pack": pack.map { .string($0) } ?? .null,
                    "count": .integer(Int64(reply.count)),
                ])
        } else if reply.count == 0 {
            context.print("Nothing of \(name) is being downloaded.")
        } else {
            context.print("\(verb) \(name).")
        }
        return .success
    }

    static let check = Command(
        "check", summary: "Ask the server now what a periodic check would ask",
        discussion: "Updates of packs are scheduled and go on behind; packs the manifest no longer has are removed.",
        examples: [.init("larder check", "checks every installed app")],
        options: [.json], arguments: [.optionalApp]
    ) { arguments, context in
        let reply = try await Device.send(CheckRequest(app: arguments.argument("app")), context)
        for app in reply.apps {
            if context.json {
                try context.print(encoding: app)
            } else if let error = app.error {
                context.note("\(app.app): \(error.message)")
            } else {
                let parts = [
                    ("updating ", app.updating), ("being updated already: ", app.underWay ?? []),
                    ("removed ", app.removed),
                ].filter { !$0.1.isEmpty }.map { $0.0 + $0.1.joined(separator: ", ") }
                context.print("\(app.app): \(parts.isEmpty ? "up to date" : parts.joined(separator: "; "))")
            }
        }
        guard let failed = reply.apps.compactMap(\.error).first else { return .success }
        return failed.exitCode
    }

    static let stop = Command(
        "stop", summary: "End the device service, keeping everything for the next start",
        examples: [.init("larder stop", "ends larderd; the next command that needs it starts it again")],
        options: [.json]
    ) { _, context in
        let connection = try await Device.connect(context, startIfNeeded: false)
        do {
            _ = try await connection.send(StopRequest())
        } catch let error as DeviceError where error.code == .disconnected {
            // It ended before its answer was out: what was asked for.
        }
        if context.json { context.print(json: ["stopped": true]) } else { context.print("The device service ends.") }
        return .success
    }
}
