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
            LARDER_APP_ROOT. What it sees stays as it is until it ends, whatever is updated or removed meanwhile. This \
            command becomes the program, so signals and the exit code are the program's own.
            """,
        examples: [
            .init("larder run --app com.example.coast -- sh -c 'ls $LARDER_FILES'", "lists the merged folder"),
            .init(
                "larder run --app com.example.model -- python3 serve.py", "runs a program that reads its model there"),
        ],
        options: [.app],
        arguments: [CommandArgument("command", "The program and its arguments.", isVerbatim: true)]
    ) { arguments, context in
        let paths = try LarderPaths(environment: context.environment)
        let reader = try reader(arguments, context)
        let app = try context.app(arguments)
        let words = arguments.arguments("command")
        guard let name = words.first else { throw UsageError("Which program?") }
        guard let executable = Environment.findExecutable(name, context.environment) else {
            throw CommandError("program.notFound", "\(name): no such program in PATH.")
        }
        return try await offload {
            let handle = try reader.current()
            try paths.prepareRuntime()
            let files = try RunFolders(paths.runtime.appending("files")).make { try MergedFolder(handle).make(at: $0) }
            var environment = context.environment
            environment["LARDER_BUNDLE_ID"] = app
            environment["LARDER_APP_ROOT"] = handle.root.string
            environment["LARDER_SOCKET"] = paths.socket.string
            environment["LARDER_FILES"] = files.string
            // From here on the program holds the lease, even when nothing of this process is left.
            _ = try handle.inheritableLease()
            try ChildProcess.replaceProcess(
                executable: executable, arguments: Array(words.dropFirst()), environment: environment)
        }
    }
}
