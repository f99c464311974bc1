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

    static let install = Command(
        "install", summary: "Install an app with its essential packs",
        discussion: """
            Copies the app, fetches the essential packs and unpacks them while they come. The app may be launched when this \
            ends; prefetch packs go on behind. One progress figure covers all of it. Ctrl-C leaves the install to the service.
            An archive holds one Name.app, as `larder archive Name.app -o Name.aar` makes it, and is unpacked to its place.

            When the service dies meanwhile it is started again, and the install goes on where it was. Installing the same \
            bundle again meanwhile follows what is going on; another bundle takes over once only prefetch packs still come.

            An essential pack that fails for good does not keep the app from being launched: the install ends, says which \
            and why, and the exit code is 9.
            """,
        examples: [
            .init("larder install TheCoast.app", "installs, with a progress bar on a terminal"),
            .init("larder install TheCoast.aar", "installs from an archive of the bundle"),
            .init(
                "larder install --until complete --json TheCoast.app", "waits for the prefetch packs too, as JSON lines"
            ),
        ],
        options: [until, .json],
        arguments: [
            CommandArgument("bundle", "The Name.app folder, or an archive (.aar) of it.", completion: .file)
        ]
    ) { arguments, context in
        let path = try bundlePath(arguments, context)
        let goal = goal(arguments)
        return try await show("Installed", InstallRequest(path: path, until: goal), until: goal, context)
    }

    static let update = Command(
        "update", summary: "Replace an installed app by a newer bundle and update its packs",
        discussion: "What the app has open stays whole. The old version stays in place until the new one is ready.",
        examples: [.init("larder update build/TheCoast.app", "updates the app of that bundle id")],
        options: [until, .json],
        arguments: [
            CommandArgument("bundle", "The newer Name.app folder, or an archive (.aar) of it.", completion: .file)
        ]
    ) { arguments, context in
        let path = try bundlePath(arguments, context)
        let goal = goal(arguments)
        return try await show("Updated", UpdateRequest(path: path, until: goal), until: goal, context)
    }

    static let watch = Command(
        "watch", summary: "Show an install or update that is going on",
        examples: [.init("larder watch com.example.coast", "shows the progress until the app may be launched")],
        options: [until, .json], arguments: [.app]
    ) { arguments, context in
        let app = try arguments.requiredArgument("app")
        let goal = goal(arguments)
        return try await show("Finished", WatchInstallRequest(app: app, until: goal), until: goal, of: app, context)
    }

    /// - Parameter app: what is only looked at; a mistyped name must not pass for an app with nothing going on.
    private static func show<Request: DeviceStreamRequest>(
        _ verb: String, _ request: Request, until goal: InstallGoal, of app: String? = nil, _ context: CommandContext
    ) async throws -> ExitCode where Request.Event == InstallEvent {
        await Device.reportLanguages(try await Device.connect(context), context)
        var follower = InstallFollower(context, InstallDisplay(context), until: goal)
        let last = try await follower.follow(request)
        if last == nil, let app { _ = try await Device.send(PacksRequest(app: app), context) }
        if !context.json {
            context.print(
                last.map {
                    follower.display.summary($0.phase.isFinal || $0.phase == .launchable ? verb : "Accepted", $0)
                }
                    ?? "Nothing is going on.")
            for warning in last?.warnings ?? [] { context.note("warning: \(warning)") }
        }
        if let last, last.phase.isFinal || last.phase == .launchable, let error = InstallDisplay.missing(last) {
            throw error
        }
        return .success
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
