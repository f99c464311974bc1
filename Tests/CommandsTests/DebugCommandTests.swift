// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System
import TestSupport
import Testing

@Suite("backgroundassets-debug")
struct DebugCommandTests {
    private let name = "backgroundassets-debug"
    private static let reply: JSONValue = ["app": "a.b", "event": "update", "updating": ["x"], "removed": []]

    @Test(
        "sends each event to this device",
        arguments: [
            ("--app-install", "install"), ("--app-update", "update"), ("--app-periodic-check", "periodic"),
            ("--app-language-change", "languageChange"),
        ])
    func simulates(flag: String, event: String) async throws {
        try await FakeService.with({ _, _ in .result(Self.reply) }) { service, scratch in
            let outcome = await larder("-s", flag, "-b", "a.b", home: scratch.path, program: name)
            #expect(outcome.output == "a.b: 1 to come, 0 removed: x\n")
            #expect(service.requests == [["method": "simulate", "params": ["app": "a.b", "event": .string(event)]]])
            let json = await larder("-s", flag, "-b", "a.b", "--json", home: scratch.path, program: name)
            #expect(json.output == Self.reply.serialized() + "\n")
        }
    }

    @Test("needs one event, an app, and a device there is")
    func usage() async throws {
        try await Scratch.with { scratch in
            #expect(await larder(home: scratch.path, program: name).code == .usage)
            #expect(await larder("-s", home: scratch.path, program: name).code == .usage)
            #expect(await larder("-s", "--app-install", home: scratch.path, program: name).code == .usage)
            let both = await larder(
                "-s", "--app-install", "--app-update", "-b", "a.b", home: scratch.path, program: name)
            #expect(both.code == .usage)
            let elsewhere = await larder(
                "-s", "--app-install", "-b", "a.b", "-d", "other", home: scratch.path, program: name)
            #expect(elsewhere.code == .notFound)
            #expect(await larder("-l", home: scratch.path, program: name).output.contains("this machine"))
        }
    }

    @Test("reaches other devices through ssh, whose shell takes no word apart")
    func overSSH() async throws {
        try await Scratch.with { scratch in
            try scratch.write(
                #"{"devices": [{"id": "desk", "name": "The one on the desk", "ssh": "me@desk"}]}"#,
                to: "config/devices.json")
            // Do what ssh, the far side's shell and Larder there do with the words.
            let scripts = [
                "ssh": """
                if [ -e "\(scratch.path)/down" ]; then echo "no route" >&2; exit 255; fi
                while [ "$1" != -- ]; do shift; done
                shift 2
                exec sh -c "$*"
                """,
                name: """
                printf '%s|' "$@" > "\(scratch.path)/far"
                echo '\(Self.reply.serialized())'
                """,
            ]
            for (program, text) in scripts {
                let file = try scratch.write("#!/bin/sh\n" + text + "\n", to: "bin/\(program)")
                try FileDescriptor.currentDirectory.setPermissions(.ownerReadWriteExecute, at: file)
            }
            let path = ["PATH": "\(scratch.path)/bin:/usr/bin:/bin"]
            let odd = "a.b'; touch \(scratch.path)/harm; '"
            let outcome = await larder(
                "-s", "--app-update", "-b", odd, "-d", "desk", home: scratch.path, program: name, environment: path)
            #expect(outcome.output == "a.b: 1 to come, 0 removed: x\n", "\(outcome.errors)")
            let far = String(decoding: try File.read(scratch("far"), limit: 4096), as: UTF8.self)
            #expect(far == "--simulate|--app-update|--app-bundle-id|\(odd)|--json|")
            #expect(!FileDescriptor.currentDirectory.exists(at: scratch("harm")))
            #expect(await larder("-l", home: scratch.path, program: name).output.contains("desk  The one on the desk"))
            try scratch.write("", to: "down")
            let down = await larder(
                "-s", "--app-update", "-b", "a.b", "-d", "desk", home: scratch.path, program: name, environment: path)
            #expect(down.code != .success && down.errors.contains("no route"))
        }
    }

    @Test("refuses a destination that ssh would take for an option")
    func badDevices() async throws {
        try await Scratch.with { scratch in
            for text in ["{", #"{"devices": [{"id": "x", "name": "x", "ssh": "-oProxyCommand=id"}]}"#] {
                try scratch.write(text, to: "config/devices.json")
                let outcome = await larder("-l", home: scratch.path, program: name)
                #expect(outcome.code != .success && outcome.errors.contains("devices.json"))
            }
        }
    }

    @Test("developer mode is switched and asked for")
    func developerMode() async throws {
        try await FakeService.with({ _, _ in .result(["isOn": true]) }) { service, scratch in
            #expect(await larder("developer-mode", "on", home: scratch.path).output == "on\n")
            #expect(await larder("developer-mode", home: scratch.path).output == "on\n")
            #expect(
                service.requests == [
                    ["method": "developerMode", "params": ["isOn": true]], ["method": "developerMode", "params": [:]],
                ])
        }
    }
}
