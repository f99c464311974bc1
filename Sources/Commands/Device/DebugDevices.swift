// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Glibc
import Kit
import System

/// A device that events can be sent to: this machine, or one that is reached over SSH.
struct DebugDevice: Codable, Hashable {
    var id: String
    var name: String
    /// What `ssh` is given; nil for this machine.
    var ssh: String?
}

/// The devices `backgroundassets-debug` knows: this machine, then those of `devices.json` in the configuration folder.
enum DebugDevices {
    static let fileName = "devices.json"
    private static let sizeLimit = 1 << 20

    private struct List: Codable {
        var devices: [DebugDevice]
    }

    /// Blocks.
    /// - Throws: `CommandError` that names the file.
    static func all(_ paths: LarderPaths) throws -> [DebugDevice] {
        let here = DebugDevice(id: localIdentifier, name: "this machine")
        let file = paths.configuration.appending(fileName)
        let others: [DebugDevice]
        do {
            others = try JSONCoder.decode(List.self, from: try File.read(file, limit: sizeLimit)).devices
        } catch Errno.noSuchFileOrDirectory {
            others = []
        } catch {
            throw CommandError(
                "devices.bad",
                "\(file) is not a list of devices: \(error) Write {\"devices\": [{\"id\": \"desk\", \"name\": \"The one on the "
                    + "desk\", \"ssh\": \"user@host\"}]}.")
        }
        for device in others where device.id.isEmpty || !(device.ssh.map(isDestination) ?? false) {
            throw CommandError(
                "devices.bad",
                "\(file): the device \"\(device.name)\" needs an id, and an ssh destination such as user@host.")
        }
        return [here] + others
    }

    /// What begins with a hyphen would be an option to `ssh`.
    private static func isDestination(_ text: String) -> Bool {
        !text.isEmpty && !text.hasPrefix("-") && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
    }

    /// The machine's own id; stable over restarts.
    private static var localIdentifier: String {
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

extension DebugDevice {
    private static let limit = Duration.seconds(300)

    /// Runs `backgroundassets-debug` there, which answers in JSON lines. Blocks.
    /// - Throws: `CommandError` with what the device said when it did not do it.
    func run(_ arguments: [String], environment: [String: String]) throws -> [SimulateRequest.Reply] {
        // The far side's shell takes the words apart again.
        let words = (["backgroundassets-debug"] + arguments + ["--json"]).map(Self.quoted).joined(separator: " ")
        guard let program = Environment.findExecutable("ssh", environment) else {
            throw CommandError(
                "device.unreachable", "\(name) is reached over SSH, and there is no ssh. Install openssh-client.")
        }
        let output = try ChildProcess.run(
            executable: program, arguments: ["-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "--", ssh ?? "", words],
            environment: environment, atMost: Self.limit)
        guard output.exitCode == 0 else {
            let said = output.errorText.split(separator: "\n").map(String.init).joined(separator: " ")
            let why = output.exitCode == 255 ? "cannot be reached" : "did not do it"
            throw CommandError(
                output.exitCode == 255 ? "device.unreachable" : "device.failed",
                "\(name) (\(ssh ?? "")) \(why): \(said.isEmpty ? "exit code \(output.exitCode)" : said)")
        }
        return try output.outputText.split(separator: "\n").map { line in
            do {
                return try JSONCoder.decode(SimulateRequest.Reply.self, from: line.utf8)
            } catch {
                throw CommandError(
                    "device.failed", "\(name) answered with something else than an event: \(line.prefix(200))")
            }
        }
    }

    private static func quoted(_ word: String) -> String {
        "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
