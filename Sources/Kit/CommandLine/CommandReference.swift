// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// The reference of command trees as one Markdown document.
package struct CommandReference: Sendable {
    private let roots: [Command]

    package init(_ roots: [Command]) { self.roots = roots }

    package var markdown: String {
        var parts = ["# Commands", "Written by `larder reference` from the commands' own declarations."]
        for root in roots { parts += section(path: [root]) }
        parts.append("## Exit codes")
        let rows = ExitCode.documented.map { "| \($0.code.rawValue) | \($0.meaning) |" }
        parts.append((["| code | meaning |", "|---|---|"] + rows).joined(separator: "\n"))
        return parts.joined(separator: "\n\n") + "\n"
    }

    private func section(path: [Command]) -> [String] {
        guard let command = path.last, !command.isHidden else { return [] }
        let name = path.map(\.name).joined(separator: " ")
        var parts = [(path.count == 1 ? "## `" : "### `") + name + "`", command.summary + "."]
        parts.append("```\n\(CommandSynopsis(path: path).text)\n```")
        if !command.discussion.isEmpty { parts.append(command.discussion) }
        let arguments = command.arguments.map { "- `<\($0.name)>`: \($0.summary)" }
        let options = command.options.map { option in
            let spelling = HelpPage.spelling(option).drop { $0 == " " }
            return "- `\(spelling)`: \(HelpPage.meaning(option))"
        }
        if !(arguments + options).isEmpty { parts.append((arguments + options).joined(separator: "\n")) }
        for example in command.examples { parts.append("    \(example.line)\n\n\(example.meaning).") }
        var known: [String] = []
        for subcommand in command.subcommands where !subcommand.isHidden {
            if isInFirstRoot(subcommand, path) {
                known.append("- `\(name) \(subcommand.name)` is `\(roots[0].name) \(subcommand.name)`.")
            } else {
                parts += section(path: path + [subcommand])
            }
        }
        if !known.isEmpty { parts.append(known.joined(separator: "\n")) }
        return parts
    }

    /// Whether a further program only repeats a command of the first.
    private func isInFirstRoot(_ command: Command, _ path: [Command]) -> Bool {
        guard let first = roots.first, path.count == 1, path[0].name != first.name else { return false }
        return first.subcommand(command.name)?.summary == command.summary
    }
}
