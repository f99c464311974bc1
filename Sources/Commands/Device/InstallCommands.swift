// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import System

extension DeviceCommands {
    private static let goals: [InstallGoal] = [.accepted, .launchable, .complete]

    private static let until = CommandOption.value(
        "until", "goal", "How far to wait: accepted, essential packs there, or prefetch packs there too.",
        default: InstallGoal.launchable.rawValue, completion: .choices(goals.map(\.rawValue)))

    private static func goal(_ arguments: ParsedArguments) -> InstallGoal {
        InstallGoal(rawValue: arguments.value("until") ?? InstallGoal.launchable.rawValue)
    }

    /// The bundle's absolute path; the service has its own working folder.
    private static func bundlePath(_ arguments: ParsedArguments, _ context: CommandContext) throws -> String {
        let name = try arguments.requiredArgument("bundle")
        let path = context.resolve(name)
        guard FileDescriptor.currentDirectory.exists(at: path) else {
            throw CommandError(
                "bundle.notFound",
                "There is no app bundle at \(name). Give the path of a Name.app folder or an archive of one.")
        }
        return try context.absolute(path).string
    }

    /// Whether an argument names a file, not an app by its bundle id.
    private static func isBundle(_ name: String, _ context: CommandContext) -> Bool {
        name.contains("/") || name.hasSuffix(".app") || name.hasSuffix(".aar")
            || FileDescriptor.currentDirectory.exists(at: context.resolve(name))
    }

    static let install = Command(
        "install", summary: "Install an app with its essential packs",
        discussion: """
            Copies the app, fetches the essential packs and unpacks them while they come. The app may be launched when this \
            ends; prefetch packs go on behind. One progress figure covers all of it. Ctrl-C leaves the install to the service.
            An archive holds one Name.app, as `larder archive Name.app -o Name.aar` makes it, and is unpacked to its place.

            With --from the app comes from a hosting service (larder-host), which is asked for the build of a channel. From \
            then on app and packs follow that channel: `larder update` asks at once, the service from time to time.

            When the service dies meanwhile it is started again, and the install goes on where it was. Installing the same \
            bundle again meanwhile follows what is going on; another bundle takes over once only prefetch packs still come.

            An essential pack that fails for good does not keep the app from being launched: the install ends, says which \
            and why, and the exit code is 9.
            """,
        examples: [
            .init("larder install TheCoast.app", "installs, with a progress bar on a terminal"),
            .init("larder install TheCoast.aar", "installs from an archive of the bundle"),
            .init(
                "larder install com.example.coast --from https://packs.example.com --channel internalBeta --token ...",
                "installs what internal testers get"),
            .init(
                "larder install --until complete --json TheCoast.app", "waits for the prefetch packs too, as JSON lines"
            ),
        ],
        options: [
            until,
            .value("from", "address", "The hosting service to install from, as https://packs.example.com."),
            .value(
                "channel", "name", "With --from: internalBeta, externalBeta or appStore.", default: "appStore",
                completion: .choices(["internalBeta", "externalBeta", "appStore"])),
            .value("token", "text", "With --from: what lets this device into a beta channel."),
            .json,
        ],
        arguments: [
            CommandArgument(
                "bundle", "The Name.app folder or an archive (.aar) of it; with --from the app's bundle id.",
                completion: .file)
        ]
    ) { arguments, context in
        let goal = goal(arguments)
        guard let host = arguments.value("from") else {
            guard arguments.value("token") == nil else { throw UsageError("--token belongs to --from.") }
            let path = try bundlePath(arguments, context)
            try await show("Installed", InstallRequest(path: path, until: goal), until: goal, context)
            return .success
        }
        let app = try arguments.requiredArgument("bundle")
        let origin = AppOrigin(
            host: host, channel: arguments.value("channel") ?? "appStore", token: arguments.value("token"))
        let request = HostedInstallRequest(app: app, origin: origin, until: goal)
        try await show("Installed", request, until: goal, of: app, idle: "\(app) is what the channel has.", context)
        return .success
    }

    static let update = Command(
        "update", summary: "Replace an installed app by a newer bundle and update its packs",
        discussion: """
            What the app has open stays whole. The old version stays in place until the new one is ready.

            Without a bundle, apps that were installed with --from are brought to what their channel has; given the bundle id \
            of one, only that. Where only packs are newer, they are updated and waited for, unless --until is accepted; `larder \
            packs --updates` shows beforehand what that takes.
            """,
        examples: [
            .init("larder update build/TheCoast.app", "updates the app of that bundle id"),
            .init("larder update", "brings all hosted apps to what their channels have"),
        ],
        options: [until, .json],
        arguments: [
            CommandArgument(
                "bundle", "The newer Name.app folder or an archive (.aar) of it, or the bundle id of a hosted app.",
                isOptional: true, completion: .file)
        ]
    ) { arguments, context in
        let goal = goal(arguments)
        let name = arguments.argument("bundle")
        if let name, isBundle(name, context) {
            let path = try bundlePath(arguments, context)
            try await show("Updated", UpdateRequest(path: path, until: goal), until: goal, context)
            return .success
        }
        let apps =
            if let name { [name] } else { try await Device.send(OriginsRequest(), context).origins.keys.sorted() }
        if apps.isEmpty, !context.json {
            context.print("No app was installed from a hosting service. Give the newer bundle to update from.")
        }
        for app in apps {
            let request = HostedInstallRequest(app: app, origin: nil, until: goal)
            let before = try await PackFollower.versions(of: app, context)
            guard try await show("Updated", request, until: goal, of: app, idle: nil, context) == nil else { continue }
            var packs = PackFollower(app, context)
            try await packs.follow(from: before, until: goal)
        }
        return .success
    }

    static let watch = Command(
        "watch", summary: "Show an install or update that is going on",
        examples: [.init("larder watch com.example.coast", "shows the progress until the app may be launched")],
        options: [until, .json], arguments: [.app]
    ) { arguments, context in
        let app = try arguments.requiredArgument("app")
        let goal = goal(arguments)
        try await show("Finished", WatchInstallRequest(app: app, until: goal), until: goal, of: app, context)
        return .success
    }

    /// - Parameters:
    ///   - app: what is only looked at; a mistyped name must not pass for an app with nothing going on.
    ///   - idle: what is said when nothing is going on; nil for nothing.
    /// - Returns: the last event; nil when nothing is going on.
    @discardableResult
    private static func show<Request: DeviceStreamRequest>(
        _ verb: String, _ request: Request, until goal: InstallGoal, of app: String? = nil,
        idle: String? = "Nothing is going on.", _ context: CommandContext
    ) async throws -> InstallEvent? where Request.Event == InstallEvent {
        await Device.reportLanguages(try await Device.connect(context), context)
        var follower = InstallFollower(context, InstallDisplay(context), until: goal)
        let last = try await follower.follow(request)
        if last == nil, let app { _ = try await Device.send(PacksRequest(app: app), context) }
        if !context.json {
            let summary = last.map {
                follower.display.summary($0.phase.isFinal || $0.phase == .launchable ? verb : "Accepted", $0)
            }
            if let line = summary ?? idle { context.print(line) }
            for warning in last?.warnings ?? [] { context.note("warning: \(warning)") }
        }
        if let last, last.phase.isFinal || last.phase == .launchable, let error = InstallDisplay.missing(last) {
            throw error
        }
        return last
    }

    static let uninstall = Command(
        "uninstall", aliases: ["remove"], summary: "Remove an app, its packs and all that is known of it",
        examples: [.init("larder uninstall com.example.coast", "removes that app")],
        options: [.json], arguments: [.app]
    ) { arguments, context in
        let app = try arguments.requiredArgument("app")
        _ = try await Device.send(UninstallRequest(app: app), context)
        if context.json { context.print(json: ["uninstalled": .string(app)]) } else { context.print("Removed \(app).") }
        return .success
    }
}

extension CommandContext {
    /// The path from the root on.
    func absolute(_ path: FilePath) throws -> FilePath {
        if path.isAbsolute { return path.lexicallyNormalized() }
        let here = try FileDescriptor.currentDirectory.readLink(at: "/proc/self/cwd")
        return FilePath(here).appending(path.string).lexicallyNormalized()
    }
}
