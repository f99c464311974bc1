// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import System

extension DeviceCommands {
    static let launch = Command(
        "launch", summary: "Run an installed app in the foreground",
        discussion: """
            Waits until the essential packs are there, then becomes the app: its exit code is this command's. The app \
            finds its packs through LARDER_BUNDLE_ID, LARDER_APP_ROOT and LARDER_SOCKET in its environment.

            What only prints, with --print or --json, is no launch: it is not counted, and what waits for the first launch \
            goes on waiting.
            """,
        examples: [
            .init("larder launch com.example.coast", "runs the app"),
            .init("larder launch com.example.coast -- --level 3", "passes arguments on"),
            .init("larder launch --print com.example.coast", "prints what would be executed"),
        ],
        options: [.flag("print", "Print the executable and the environment instead of running it."), .json],
        arguments: [.app, CommandArgument("arguments", "Passed on to the app.", isOptional: true, isVerbatim: true)]
    ) { arguments, context in
        let app = try arguments.requiredArgument("app")
        // Whoever waits sees for what; there is nothing to see when nothing is going on.
        var quiet = context
        quiet.json = false
        var follower = InstallFollower(quiet, InstallDisplay(quiet, showsNotes: false), until: .launchable)
        _ = try await follower.follow(WatchInstallRequest(app: app))
        let connection = try await Device.connect(context)
        await Device.reportLanguages(connection, context)
        let isDryRun = context.json || arguments.flag("print")
        let reply = try await connection.send(LaunchRequest(app: app, isDryRun: isDryRun ? true : nil))
        if context.json {
            try context.print(encoding: reply)
            return .success
        }
        if isDryRun {
            for (name, value) in reply.environment.sorted(by: { $0.key < $1.key }) { context.print("\(name)=\(value)") }
            context.print(reply.executable)
            return .success
        }
        connection.close()
        try ChildProcess.replaceProcess(
            executable: FilePath(reply.executable), arguments: arguments.arguments("arguments"),
            environment: context.environment.merging(reply.environment) { $1 })
    }
}
