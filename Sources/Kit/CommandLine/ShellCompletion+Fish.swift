// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// fish: one `complete` line per option and subcommand, guarded by the words before it.
struct FishCompletion {
    let root: Command

    var script: String {
        var lines = ["# fish completion for \(root.name)", "complete -c \(root.name) -f"]
        for path in root.shownPaths { lines += commands(path) + options(path) }
        return lines.joined(separator: "\n") + "\n"
    }

    /// True in fish when the words so far name the commands of the path and none below the last.
    private func condition(_ path: [Command]) -> String {
        var tests = path.dropFirst().map { command in
            "__fish_seen_subcommand_from \(([command.name] + command.aliases).joined(separator: " "))"
        }
        let below = path.last?.subcommands.filter { !$0.isHidden }.flatMap { [$0.name] + $0.aliases } ?? []
        if !below.isEmpty { tests.append("not __fish_seen_subcommand_from \(below.joined(separator: " "))") }
        return tests.isEmpty ? "true" : tests.joined(separator: "; and ")
    }

    private func line(_ path: [Command], _ rest: String) -> String {
        "complete -c \(root.name) -n \(quoted(condition(path))) \(rest)"
    }

    private func commands(_ path: [Command]) -> [String] {
        guard let command = path.last else { return [] }
        return command.subcommands.filter { !$0.isHidden }.map { line(path, "-a \($0.name) -d \(quoted($0.summary))") }
    }

    private func options(_ path: [Command]) -> [String] {
        guard let command = path.last else { return [] }
        var lines = command.options.map { option in
            let short = option.short.map { " -s \($0)" } ?? ""
            let value = option.kind == .flag ? "" : " -r" + action(option.completion)
            return line(path, "-l \(option.name)\(short)\(value) -d \(quoted(option.summary))")
        }
        lines.append(line(path, "-s h -l help -d 'Show help'"))
        let arguments = action(command.argumentCompletion)
        if !arguments.isEmpty, command.subcommands.isEmpty { lines.append(line(path, String(arguments.dropFirst()))) }
        return lines
    }

    private func action(_ completion: CommandCompletion) -> String {
        switch completion {
        case .none: ""
        case .file: " -F"
        case .directory: " -a '(__fish_complete_directories)'"
        case .choices(let words): " -a \(quoted(words.joined(separator: " ")))"
        }
    }

    private func quoted(_ text: String) -> String {
        "'" + text.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "'"
    }
}
