// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Glibc
import Kit
import System

/// `backgroundassets-debug` (BA 3.6): events for an app, without waiting for the system to send them.
enum DebugCommand {
    static let tree = Command(
        "backgroundassets-debug", summary: "Send an app the events that otherwise come by themselves",
        examples: [
            .init("backgroundassets-debug --list-devices", "lists the devices that can be reached"),
            .init(
                "backgroundassets-debug --simulate --app-periodic-check -b com.example.coast",
                "has the app's packs checked as a periodic check would"),
        ],
        options: [
            .flag("list-devices", short: "l", "List the devices."),
            .flag("simulate", short: "s", "Simulate an event."),
            .flag("app-periodic-check", "The event: a periodic check for updates."),
            .value("app-bundle-id", short: "b", "bundle id", "The app, not its extension."),
            .value("device-id", short: "d", "id", "The device; this one by default."), .json,
        ]
    ) { arguments, context in
        let device = try deviceIdentifier()
        if arguments.flag("list-devices") {
            if context.json {
                context.print(json: ["device": .string(device), "name": "this machine"])
            } else {
                context.print("\(device)  this machine")
            }
            return .success
        }
        guard arguments.flag("simulate") else { throw UsageError("Say --list-devices or --simulate.") }
        guard arguments.flag("app-periodic-check") else {
            throw UsageError("Which event? --app-periodic-check simulates a periodic check.")
        }
        let app = try arguments.required("app-bundle-id")
        if let wanted = arguments.value("device-id"), wanted != device {
            throw CommandError(
                "device.notFound", "There is no device \(wanted). 'backgroundassets-debug --list-devices' lists them.")
        }
        let reply = try await Device.send(CheckRequest(app: app, isSimulated: true), context)
        for result in reply.apps {
            if let error = result.error { throw error }
            if context.json {
                try context.print(encoding: result)
            } else {
                context.print("\(result.app): \(result.updating.count) updates, \(result.removed.count) removals")
            }
        }
        return .success
    }

    /// The machine's own id; stable over restarts.
    private static func deviceIdentifier() throws -> String {
        for path in ["/etc/machine-id", "/var/lib/dbus/machine-id"] {
            if let bytes = try? File.read(.init(path), limit: 256) {
                let text = String(decoding: bytes, as: UTF8.self).filter { $0.isHexDigit }
                if !text.isEmpty { return text }
            }
        }
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "this-machine" }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
