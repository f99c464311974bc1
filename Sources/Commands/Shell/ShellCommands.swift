// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// Commands about the commands.
enum ShellCommands {
    static let all = [completions, man, reference, links]

    private static let program = CommandOption.value(
        "program", "name", "Under which name.", default: "larder", completion: .choices(CommandTrees.names))

    static let completions = Command(
        "completions", summary: "Print a completion script for a shell",
        discussion: """
            For bash, put it into ~/.local/share/bash-completion/completions; for zsh, as _larder into a folder of \
            $fpath; for fish, into ~/.config/fish/completions.
            """,
        examples: [
            .init("larder completions bash > ~/.local/share/bash-completion/completions/larder", "sets up bash")
        ],
        options: [program],
        arguments: [
            CommandArgument(
                "shell", "bash, zsh or fish.", completion: .choices(ShellCompletion.allCases.map(\.rawValue)))
        ]
    ) { arguments, context in
        let name = try arguments.requiredArgument("shell")
        let known = ShellCompletion.allCases.map(\.rawValue)
        guard let shell = ShellCompletion(rawValue: name) else {
            throw UsageError(
                "There are completions for \(known.joined(separator: ", ")), not for \"\(name)\".",
                suggestion: Spelling.closest(to: name, among: known))
        }
        let tree = CommandTrees.tree(for: arguments.value("program") ?? "larder")
        context.standardOutput.write(shell.script(for: tree))
        return .success
    }

    static let man = Command(
        "man", summary: "Print a manual page in roff",
        examples: [
            .init("larder man | man -l -", "reads the manual page"),
            .init("larder man --program ba-package > ba-package.1", "writes the page of ba-package"),
        ],
        options: [program],
        arguments: [CommandArgument("command", "Only this command.", isOptional: true, isRepeating: true)]
    ) { arguments, context in
        var path = [CommandTrees.tree(for: arguments.value("program") ?? "larder")]
        for name in arguments.arguments("command") {
            guard let next = path[path.count - 1].subcommand(name) else {
                let names = path[path.count - 1].subcommands.map(\.name)
                throw UsageError(
                    "There is no command \"\(name)\".", suggestion: Spelling.closest(to: name, among: names))
            }
            path.append(next)
        }
        context.standardOutput.write(ManPage(path: path, version: LarderVersion.current).text)
        return .success
    }

    static let reference = Command(
        "reference", summary: "Print the reference of all commands in Markdown", isHidden: true
    ) { _, context in
        context.standardOutput.write(CommandReference(CommandTrees.all).markdown)
        return .success
    }

    static let links = Command(
        "links", summary: "Print the names that are links to this program, one per line", isHidden: true
    ) { _, context in
        for name in CommandTrees.names.dropFirst() { context.print(name) }
        return .success
    }
}
