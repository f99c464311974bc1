// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import PackNamespace
import System

extension ReadingCommands {
    static let run = Command(
        "run", summary: "Run a program with an app's packs as one folder",
        discussion: """
            The program finds in its environment LARDER_FILES, a folder that merges all local packs; LARDER_BUNDLE_ID; \
            LARDER_APP_ROOT. What it sees stays as it is until it ends, whatever is updated or removed meanwhile. Its exit \
            code is this command's.
            """,
        examples: [
            .init("larder run --app com.example.coast -- sh -c 'ls $LARDER_FILES'", "lists the merged folder"),
            .init(
                "larder run --app com.example.model -- python3 serve.py", "runs a program that reads its model there"),
        ],
        options: [.app],
        arguments: [CommandArgument("command", "The program and its arguments.", isVerbatim: true)]
    ) { arguments, context in
        let reader = try reader(arguments, context)
        let app = try context.app(arguments)
        let words = arguments.arguments("command")
        let handle = try reader.current()
        var environment = context.environment
        environment["LARDER_BUNDLE_ID"] = app
        environment["LARDER_APP_ROOT"] = handle.root.string
        environment["LARDER_SOCKET"] = try LarderPaths(environment: context.environment).socket.string
        let variables = environment
        let running = Locked<ChildProcess?>(nil)
        return try await withTaskCancellationHandler {
            try await offload {
                let folder = try TemporaryDirectory(prefix: "larder-files", in: temporaryFolder(context))
                let files = folder.path.appending("files")
                try MergedFolder(handle).make(at: files)
                // The handle holds the lease until the program has ended.
                return try withExtendedLifetime(handle) {
                    let child = try start(words, variables.merging(["LARDER_FILES": files.string]) { $1 }, context)
                    running.withLock { $0 = child }
                    if Task.isCancelled { child.terminate() }
                    guard let code = try child.wait() else { return ExitCode.failure }
                    return ExitCode(rawValue: code)
                }
            }
        } onCancel: {
            // Ctrl-C at a terminal reached the program, too; a signal to this process alone is passed on.
            running.withLock { $0 }?.terminate()
        }
    }

    private static func temporaryFolder(_ context: CommandContext) -> FilePath {
        FilePath(context.environment["XDG_RUNTIME_DIR"] ?? context.environment["TMPDIR"] ?? "/tmp")
    }

    private static func start(
        _ words: [String], _ environment: [String: String], _ context: CommandContext
    ) throws -> ChildProcess {
        guard let name = words.first else { throw UsageError("Which program?") }
        guard let executable = Environment.findExecutable(name, environment) else {
            throw CommandError("program.notFound", "\(name): no such program in PATH.")
        }
        return try ChildProcess.spawn(
            executable: executable, arguments: Array(words.dropFirst()), environment: environment,
            workingDirectory: context.workingDirectory == "." ? nil : context.workingDirectory)
    }
}
