// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// fish: a function that walks the words to find the command, and `complete` lines that apply at one command each.
struct FishCompletion {
    let root: Command

    var script: String {
        let name = "__" + root.name.map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined()
        var lines = [
            "# fish completion for \(root.name)", "function \(name)_at", "    set -l path \(quoted(root.name))",
            "    for word in (commandline -opc)[2..]", "        switch \"$path $word\"",
        ]
        for path in root.shownPaths where path.count > 1 {
            let command = path[path.count - 1]
            let parent = path.dropLast().map(\.name).joined(separator: " ")
            let patterns = ([command.name] + command.aliases).map { quoted("\(parent) \($0)") }.joined(separator: " ")
            lines.append("            case \(patterns)")
            lines.append("                set path \(quoted(path.map(\.name).joined(separator: " ")))")
        }
        lines += ["        end", "    end", "    test \"$path\" = \"$argv\"", "end", "complete -c \(root.name) -f"]
        for path in root.shownPaths { lines += commands(path) + options(path) }
        return lines.joined(separator: "\n") + "\n"
    }

    private func line(_ path: [Command], _ rest: String) -> String {
        let name = "__" + root.name.map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined()
        return "complete -c \(root.name) -n \(quoted("\(name)_at \(path.map(\.name).joined(separator: " "))")) \(rest)"
    }

    private func commands(_ path: [Command]) -> [String] {
        guard let command = path.last else { return [] }
        return command.subcommands.filter { !$0.isHidden }.map { line(path, "-a \($0.name) -d \(quoted($0.summary))") }
    }

    private func options(_ path: [Command]) -> [String] {
        guard let command = path.last?.withDefaultWords else { return [] }
        var lines = command.options.map { option in
            let short = option.short.map { " -s \($0)" } ?? ""
            let value =
                option.kind == .flag ? "" : (option.completion == .file ? " -r" : " -x") + action(option.completion)
            return line(path, "-l \(option.name)\(short)\(value) -d \(quoted(option.summary))")
        }
        lines.append(line(path, "-s h -l help -d 'Show help'"))
        let takesWords = command.subcommands.isEmpty || command.defaultSubcommand != nil
        let arguments = takesWords ? action(command.argumentCompletion) : ""
        if !arguments.isEmpty { lines.append(line(path, String(arguments.dropFirst()))) }
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
