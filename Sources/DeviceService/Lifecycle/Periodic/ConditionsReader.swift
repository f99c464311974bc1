// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System

/// Reads the machine's conditions when a decision needs them. Nothing is watched unless it is asked for, so nothing wakes an
/// idle service.
struct ConditionsReader: Sendable {
    /// In whose place `/` is looked at. For tests.
    var root: FilePath = "/"
    /// The program that asks D-Bus; nil looks for `busctl` in `PATH`.
    var busProgram: FilePath?

    /// How long the network manager may take to answer.
    private static let busLimit = Duration.seconds(2)

    /// Listens to the machine until the watch is told to stop.
    /// - Parameter onChange: called, from anywhere, when conditions may have changed, and once it listens.
    /// - Throws: `Errno`, `KitError`
    func watch(_ onChange: @escaping @Sendable () -> Void) throws -> ConditionsWatch {
        let watch = try ConditionsWatch(root: root, onChange: onChange)
        try watch.start()
        return watch
    }

    /// Blocks.
    func read(_ settings: PersonSettings) -> Conditions {
        Conditions(
            power: neededPower(settings), isMetered: !settings.allowsMeteredUse && isMetered(), settings: settings)
    }

    /// The part that costs little. Blocks.
    func isLowPower(_ settings: PersonSettings) -> Bool {
        Conditions(power: neededPower(settings), isMetered: false, settings: settings).isLowPower
    }

    /// Who asks nobody is told nothing: it is not looked at when the answer would not count.
    private func neededPower(_ settings: PersonSettings) -> Conditions.Power {
        settings.lowPower == .auto ? power() : Conditions.Power()
    }

    /// From `/sys/class/power_supply` and the firmware's profile.
    func power() -> Conditions.Power {
        var power = Conditions.Power()
        power.sparesPower = text("sys/firmware/acpi/platform_profile") == "low-power"
        let folder = root.pushing("sys/class/power_supply")
        var isPluggedIn = false
        for entry in (try? FileDescriptor.currentDirectory.entries(at: folder)) ?? [] {
            let supply = "sys/class/power_supply/\(entry.name)"
            switch text("\(supply)/type") {
            case "Battery":
                // A mouse has a battery, too.
                guard text("\(supply)/scope") != "Device" else { continue }
                if text("\(supply)/status") == "Discharging" { power.isDischarging = true }
                if let charge = text("\(supply)/capacity").flatMap({ Int($0) }) {
                    power.charge = max(power.charge ?? 0, charge)
                }
            case .some: isPluggedIn = isPluggedIn || text("\(supply)/online") == "1"
            case nil: continue
            }
        }
        if isPluggedIn { power.isDischarging = false }
        return power
    }

    private func text(_ path: String) -> String? {
        guard let bytes = try? File.read(root.pushing(FilePath(path)), limit: 4096) else { return nil }
        return String(String(decoding: bytes, as: UTF8.self).prefix { $0 != "\n" })
    }

    /// What NetworkManager says of the way out, asked through systemd's own program: a library for one question would have to
    /// be loaded at every start. Unmetered where there is no NetworkManager.
    func isMetered() -> Bool {
        guard FileDescriptor.currentDirectory.exists(at: root.pushing("run/dbus/system_bus_socket")),
            let program = Environment.findExecutable(busProgram?.string ?? "busctl")
        else { return false }
        let output = try? ChildProcess.run(
            executable: program,
            arguments: [
                "--system", "--auto-start=no", "get-property", "org.freedesktop.NetworkManager",
                "/org/freedesktop/NetworkManager", "org.freedesktop.NetworkManager", "Metered",
            ], atMost: Self.busLimit)
        guard let output, output.exitCode == 0 else { return false }
        return Self.isMetered(output.outputText)
    }

    /// `u 1` is yes, `u 3` a guess at yes; 0, 2 and 4 are unknown, no, and a guess at no.
    static func isMetered(_ answer: String) -> Bool {
        let words = answer.split { $0 == " " || $0 == "\n" }
        return words.count == 2 && words[0] == "u" && (words[1] == "1" || words[1] == "3")
    }
}
