// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import System

/// `backgroundassets-debug` (BA 3.6): events for an app, without waiting for the system to send them.
enum DebugCommand {
    private static let events = [
        "app-install": "install", "app-update": "update", "app-periodic-check": "periodic",
        "app-language-change": "languageChange",
    ]

    static let tree = Command(
        "backgroundassets-debug", summary: "Send an app the events that otherwise come by themselves",
        discussion: """
            The app must be installed, and the device in developer mode ('larder developer-mode on'). A simulated event gives the \
            extension its run time of the day back, and comes, with all it brings, on metered networks and in low power, too. \
            An install or update does what a real one does beside the base app: manifest, extension, essential packs or \
            downloads, then the others; 'larder watch APP' shows it. An install is one on a device that knows nothing of the \
            app yet: the restrictions before the first launch hold, and what they hold back comes with the next launch. \
            Other devices are reached over SSH; devices.json in the configuration folder lists them \
            as {"devices": [{"id": "desk", "name": "The one on the desk", "ssh": "user@host"}]}, and Larder must \
            be in PATH there.
            """,
        examples: [
            .init("backgroundassets-debug --list-devices", "lists the devices that can be reached"),
            .init(
                "backgroundassets-debug --simulate --app-periodic-check -b com.example.coast",
                "has the app's packs checked as a periodic check would"),
            .init(
                "backgroundassets-debug -s --app-install -b com.example.coast -d desk",
                "asks the extension on another device what an install is to bring"),
        ],
        options: [
            .flag("list-devices", short: "l", "List the devices."),
            .flag("simulate", short: "s", "Simulate an event."),
            .flag("app-install", "The event: the app was installed."),
            .flag("app-update", "The event: the app was updated."),
            .flag("app-periodic-check", "The event: a periodic check for updates."),
            .flag("app-language-change", "The event: the person prefers another language."),
            .value("app-bundle-id", short: "b", "bundle id", "The app, not its extension."),
            .value("device-id", short: "d", "id", "The device; this one by default."), .json,
        ]
    ) { arguments, context in
        let paths = try LarderPaths(environment: context.environment)
        let devices = try await offload { try DebugDevices.all(paths) }
        if arguments.flag("list-devices") {
            list(devices, context)
            return .success
        }
        guard arguments.flag("simulate") else { throw UsageError("Say --list-devices or --simulate.") }
        let chosen = events.keys.sorted().filter { arguments.flag($0) }
        guard chosen.count == 1, let flag = chosen.first, let event = events[flag] else {
            throw UsageError("Which event? Say one of --\(events.keys.sorted().joined(separator: ", --")).")
        }
        let app = try arguments.required("app-bundle-id")
        guard let device = arguments.value("device-id").map({ id in devices.first { $0.id == id } }) ?? devices.first
        else {
            throw CommandError(
                "device.notFound",
                "There is no device \(arguments.value("device-id") ?? ""). 'backgroundassets-debug --list-devices' lists them."
            )
        }
        if device.ssh != nil {
            let environment = context.environment
            let lines = try await offload {
                try device.run(["--simulate", "--\(flag)", "--app-bundle-id", app], environment: environment)
            }
            for line in lines { try report(line, context) }
        } else {
            let reply = try await Device.send(SimulateRequest(app: app, event: event), context)
            try report(reply, context)
        }
        return .success
    }

    static let mode = Command(
        "developer-mode", summary: "Let events be simulated on this device, or not",
        discussion: "Off until switched on. 'backgroundassets-debug' sends events only to devices in developer mode.",
        examples: [.init("larder developer-mode on", "lets backgroundassets-debug send events")],
        subcommands: [
            switching("on", "Switch developer mode on", true), switching("off", "Switch developer mode off", false),
            switching("status", "Say whether developer mode is on", nil),
        ], defaultSubcommand: "status")

    private static func switching(_ name: String, _ summary: String, _ isOn: Bool?) -> Command {
        Command(
            name, summary: summary, examples: [.init("larder developer-mode \(name)", "on this device")],
            options: [.json]
        ) { _, context in
            let reply = try await Device.send(DeveloperModeRequest(isOn: isOn), context)
            if context.json {
                try context.print(encoding: reply)
            } else {
                context.print(reply.isOn ? "on" : "off")
            }
            return .success
        }
    }

    private static func list(_ devices: [DebugDevice], _ context: CommandContext) {
        for device in devices {
            if context.json {
                context.print(json: [
                    "device": .string(device.id), "name": .string(device.name),
                    "ssh": device.ssh.map { .string($0) } ?? .null,
                ])
            } else {
                context.print("\(device.id)  \(device.name)\(device.ssh.map { " (\($0))" } ?? "")")
            }
        }
    }

    private static func report(_ reply: SimulateRequest.Reply, _ context: CommandContext) throws {
        if context.json { return try context.print(encoding: reply) }
        var text = "\(reply.app): \(reply.updating.count) to come, \(reply.removed.count) removed"
        if !reply.updating.isEmpty { text += ": \(reply.updating.joined(separator: ", "))" }
        context.print(text)
        for note in reply.notes ?? [] { context.note("note: \(note)") }
    }
}
