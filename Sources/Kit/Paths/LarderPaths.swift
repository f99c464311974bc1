// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Glibc
package import System

/// Where Larder keeps things on this machine, for this user or for the system.
///
/// `LARDER_HOME` puts everything under one folder; `LARDER_SYSTEM=1` takes the places of the file system hierarchy
/// standard; otherwise the XDG base directories count.
package struct LarderPaths: Hashable, Sendable {
    /// The database, apps and packs.
    package let state: FilePath
    /// The socket and what lives as long as the session.
    package let runtime: FilePath
    /// The person's settings and trusted certificates.
    package let configuration: FilePath

    package init(state: FilePath, runtime: FilePath, configuration: FilePath) {
        self.state = state
        self.runtime = runtime
        self.configuration = configuration
    }

    /// - Throws: `KitError` when neither `LARDER_HOME`, the XDG variables nor `HOME` tell where to go.
    package init(environment: [String: String] = Environment.current) throws {
        func absolute(_ name: String) throws -> FilePath? {
            guard let value = environment[name], !value.isEmpty else { return nil }
            let path = FilePath(value)
            // XDG: relative paths are invalid; saying so beats writing somewhere unexpected.
            guard path.isAbsolute else {
                throw KitError(.path, "\(name) is \"\(value)\", which is no absolute path. Set it to one, or unset it.")
            }
            return path
        }
        if let home = try absolute("LARDER_HOME") {
            self.init(
                state: home.appending("state"), runtime: home.appending("run"), configuration: home.appending("config"))
            return
        }
        if environment["LARDER_SYSTEM"] == "1" {
            self.init(state: "/var/lib/larder", runtime: "/run/larder", configuration: "/etc/larder")
            return
        }
        func base(_ name: String, below home: String) throws -> FilePath {
            if let path = try absolute(name) { return path.appending("larder") }
            guard let path = try absolute("HOME") else {
                throw KitError(
                    .path, "Neither HOME nor \(name) is set. Set HOME, or LARDER_HOME to a folder for all of Larder.")
            }
            return path.appending(home).appending("larder")
        }
        self.init(
            state: try base("XDG_STATE_HOME", below: ".local/state"),
            runtime: try absolute("XDG_RUNTIME_DIR").map { $0.appending("larder") }
                ?? FilePath("/tmp/larder-\(getuid())"),
            configuration: try base("XDG_CONFIG_HOME", below: ".config"))
    }

    package var socket: FilePath { runtime.appending("larderd.sock") }
    package var database: FilePath { state.appending("larder.sqlite") }
    /// Certificates that are trusted besides the system's.
    package var trust: FilePath { state.appending("trust") }
    package var apps: FilePath { state.appending("apps") }
    /// What archives of apps are looked at in; nothing in it outlives the look.
    package var incoming: FilePath { state.appending("incoming") }

    /// The folder of one app: `<state>/apps/<bundle id>`.
    package func appRoot(_ bundleID: String) -> FilePath { apps.appending(bundleID) }

    /// Where apps of one app group and their extensions share files: `<state>/groups/<group id>`. nil when the id is no name
    /// for a folder: other characters than letters, digits, `.`, `-` and `_`, or a dot at its start.
    package func groupFolder(_ group: String) -> FilePath? {
        let isName = group.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        guard isName, !group.isEmpty, group.utf8.count <= 200, !group.hasPrefix(".") else { return nil }
        return state.appending("groups").appending(group)
    }

    /// Makes the runtime folder, private to this user, and checks that nobody else made it first.
    /// - Throws: `KitError`, `Errno`
    package func prepareRuntime() throws {
        let here = FileDescriptor.currentDirectory
        let parent = runtime.removingLastComponent()
        if !parent.isEmpty { try here.makeDirectories(at: parent) }
        do {
            try here.makeDirectory(at: runtime, permissions: .directoryPrivate)
        } catch Errno.fileExists {}
        let status = try here.status(at: runtime)
        guard status.kind == .directory, status.userID == getuid() else {
            throw KitError(
                .path,
                "\(runtime) belongs to another user or is no folder. Remove it, or set XDG_RUNTIME_DIR or LARDER_HOME.")
        }
        guard status.permissions.rawValue & 0o022 == 0 else {
            throw KitError(.path, "\(runtime) may be written by others. Run: chmod 700 \(runtime)")
        }
    }

    /// Makes the state and configuration folders, private to this user.
    /// - Throws: `Errno`
    package func prepareState() throws {
        let here = FileDescriptor.currentDirectory
        try here.makeDirectories(at: state, permissions: .directoryPrivate)
        try here.makeDirectories(at: configuration, permissions: .directoryPrivate)
    }
}
