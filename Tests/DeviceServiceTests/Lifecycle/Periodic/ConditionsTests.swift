// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System
import TestSupport
import Testing

@testable import DeviceService

/// What is read from the machine, in a root folder of the test's.
@Suite struct ConditionsTests {
    struct Case: Sendable, CustomStringConvertible {
        var name: String
        var files: [String: String]
        var isLow: Bool
        var description: String { name }
    }

    private static func battery(_ status: String, _ charge: Int, _ name: String = "BAT0") -> [String: String] {
        let folder = "sys/class/power_supply/\(name)"
        return ["\(folder)/type": "Battery\n", "\(folder)/status": "\(status)\n", "\(folder)/capacity": "\(charge)\n"]
    }
    private static func mains(_ online: Int) -> [String: String] {
        ["sys/class/power_supply/AC/type": "Mains\n", "sys/class/power_supply/AC/online": "\(online)\n"]
    }

    static let cases = [
        Case(name: "no battery", files: [:], isLow: false),
        Case(name: "full", files: battery("Discharging", 80), isLow: false),
        Case(name: "low", files: battery("Discharging", 20), isLow: true),
        Case(name: "low and charging", files: battery("Charging", 5), isLow: false),
        Case(name: "low and plugged in", files: battery("Discharging", 5).merging(mains(1)) { $1 }, isLow: false),
        Case(name: "low and unplugged", files: battery("Discharging", 5).merging(mains(0)) { $1 }, isLow: true),
        Case(
            name: "two batteries",
            files: battery("Discharging", 3).merging(battery("Unknown", 90, "BAT1")) { $1 }, isLow: false),
        Case(
            name: "a mouse",
            files: battery("Discharging", 3, "hid").merging(["sys/class/power_supply/hid/scope": "Device\n"]) { $1 },
            isLow: false),
        Case(name: "profile", files: ["sys/firmware/acpi/platform_profile": "low-power\n"], isLow: true),
        Case(name: "other profile", files: ["sys/firmware/acpi/platform_profile": "balanced\n"], isLow: false),
    ]

    @Test(arguments: cases) func lowPower(_ example: Case) throws {
        try Scratch.with { scratch in
            for (path, text) in example.files { try scratch.write(text, to: path) }
            let reader = ConditionsReader(root: scratch.path)
            #expect(reader.read(PersonSettings()).isLowPower == example.isLow)
            var settings = PersonSettings()
            settings.lowPowerMode = .off
            #expect(!reader.read(settings).isLowPower)
            settings.lowPowerMode = .on
            #expect(reader.read(settings).isLowPower)
        }
    }

    @Test(arguments: [("u 0", false), ("u 1", true), ("u 2", false), ("u 3", true), ("u 4", false), ("", false)])
    func metered(answer: String, isMetered: Bool) throws {
        try Scratch.with { scratch in
            let program = try scratch.write("#!/bin/sh\necho '\(answer)'\n", to: "bus")
            try FileDescriptor.currentDirectory.setPermissions(.ownerReadWriteExecute, at: program)
            let reader = ConditionsReader(root: scratch.path, busProgram: program)
            #expect(!reader.read(PersonSettings()).isMetered, "without a bus nobody is asked")
            try scratch.write("", to: "run/dbus/system_bus_socket")
            #expect(reader.read(PersonSettings()).isMetered == isMetered)
            var settings = PersonSettings()
            settings.meteredUse = true
            #expect(!reader.read(settings).isMetered, "it does not matter then")
        }
    }

    @Test func aBusThatFailsIsNoMeter() throws {
        try Scratch.with { scratch in
            let program = try scratch.write("#!/bin/sh\necho 'u 1'; exit 1\n", to: "bus")
            try FileDescriptor.currentDirectory.setPermissions(.ownerReadWriteExecute, at: program)
            try scratch.write("", to: "run/dbus/system_bus_socket")
            #expect(!ConditionsReader(root: scratch.path, busProgram: program).isMetered())
        }
    }
}
