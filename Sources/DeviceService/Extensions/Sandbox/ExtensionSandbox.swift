// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import System

/// Starts extensions in bubblewrap: without network, without the home folder, alone in their process namespace.
struct ExtensionSandbox: Sendable {
    /// Whether extensions may run outside it.
    enum Mode: String, Codable, Sendable {
        /// Without bubblewrap no extension runs.
        case required
        /// A person decided that extensions run with their own rights.
        case off
    }

    var mode = Mode.required
    /// The program; nil looks for `bwrap` in `PATH`.
    var program: FilePath?

    /// The descriptor of the extension's end of the socket pair.
    static let channel: Int32 = 3
    private static let filter: Int32 = 4

    static let installAdvice = "Install bubblewrap (Debian: apt install bubblewrap)."

    /// Starts the extension; it has the descriptors 0 to 3 and nothing else of this process. To be called on the thread that
    /// stays until the extension has ended: bubblewrap ends with it.
    /// - Parameter largestFile: bytes that a file may have which it writes; nil for any.
    /// - Throws: `DeviceError` when bubblewrap is missing; `KitError`, `Errno`.
    func start(
        _ subject: ExtensionSubject, channel: FileDescriptor, errors: FileDescriptor, largestFile: Int64? = nil
    ) throws -> ChildProcess {
        let limits =
            SandboxPlan.limits + (largestFile.map { [ResourceLimit(.fileSize, UInt64(clamping: $0))] } ?? [])
        try prepare(subject)
        let null = try OwnedDescriptor("/dev/null", .readWrite)
        var descriptors = [0: null.borrowed, 1: null.borrowed, 2: errors, Self.channel: channel]
        guard mode == .required else {
            return try ChildProcess.spawn(
                executable: subject.executable, environment: environment(subject), descriptors: descriptors,
                newSession: true, workingDirectory: subject.folder, diesWithParent: true, limits: limits)
        }
        let filter = try SystemCallFilter.sandbox()
        descriptors[Self.filter] = filter.borrowed
        var plan = Self.base
        plan.files += subject.files
        plan.files += NeededLibraries.files(of: subject.executable, visible: subject.bundle)
        plan.readable = [subject.bundle]
        plan.writable = [subject.scratch] + (subject.group.map { [$0] } ?? []) + subject.folders
        plan.workingDirectory = subject.folder
        return try ChildProcess.spawn(
            executable: try found(), arguments: plan.arguments(filter: Self.filter) + [subject.executable.string],
            environment: environment(subject), descriptors: descriptors, newSession: true, diesWithParent: true,
            limits: limits)
    }

    /// Empties the scratch folder again.
    func cleanUp(_ subject: ExtensionSubject) { try? FileDescriptor.currentDirectory.removeTree(at: subject.scratch) }

    private func prepare(_ subject: ExtensionSubject) throws {
        let here = FileDescriptor.currentDirectory
        try here.removeTree(at: subject.scratch)
        try here.makeDirectories(at: subject.scratch)
        if let group = subject.group { try here.makeDirectories(at: group) }
    }

    /// Nothing of the service's own environment.
    private func environment(_ subject: ExtensionSubject) -> [String: String] {
        var variables = [
            "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": subject.scratch.string,
            "TMPDIR": "/tmp", "LARDER_EXTENSION_FD": "\(Self.channel)", "LARDER_BUNDLE_ID": subject.app,
        ]
        variables["LARDER_APP_GROUP_FOLDER"] = subject.group?.string
        return variables
    }

    private func found() throws -> FilePath {
        if let path = Environment.findExecutable(program?.string ?? "bwrap") { return path }
        throw DeviceError(
            .noSandbox, "bubblewrap, which confines extensions, is not installed. \(Self.installAdvice)")
    }

    /// What every extension sees of the machine.
    private static var base: SandboxPlan {
        let here = FileDescriptor.currentDirectory
        let root = NeededLibraries.systemFolders.compactMap { path -> SandboxPlan.RootEntry? in
            guard let status = try? here.status(at: path) else { return nil }
            if status.kind == .symbolicLink, let target = try? here.readLink(at: path) {
                return .link(path, target: target)
            }
            return .folder(path)
        }
        let files: [FilePath] = ["/etc/ld.so.cache", "/etc/localtime"]
        return SandboxPlan(root: root, files: files.filter { here.exists(at: $0) })
    }

    /// Starts a program in the sandbox to see whether this machine lets it. Blocks.
    /// - Returns: what is wrong, and what to do; nil when extensions can run.
    func trouble() -> (message: String, advice: String)? {
        guard mode == .required else {
            return (
                "Extensions run with your rights, unconfined, as the setting extensionSandbox says.",
                "Run `larder settings set extensionSandbox required`."
            )
        }
        do {
            let filter = try SystemCallFilter.sandbox()
            let errors = try CapturedText(limit: 4096)
            let null = try OwnedDescriptor("/dev/null", .readWrite)
            let child = try ChildProcess.spawn(
                executable: try found(), arguments: Self.base.arguments(filter: Self.filter) + ["/bin/true"],
                environment: [:],
                descriptors: [
                    0: null.borrowed, 1: null.borrowed, 2: errors.descriptor, Self.filter: filter.borrowed,
                ], newSession: true, diesWithParent: true)
            if try child.wait(atMost: .seconds(10)) == 0 { return nil }
            child.kill()
            return (
                "bubblewrap cannot make a sandbox here, so no extension runs: \(errors.text)",
                "Allow user namespaces (sysctl user.max_user_namespaces), or run the service outside of a container."
            )
        } catch {
            return ("No extension runs: \(error)", Self.installAdvice)
        }
    }
}
