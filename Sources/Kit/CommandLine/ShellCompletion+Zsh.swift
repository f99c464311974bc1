// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// zsh: a function per command, each calling `_arguments`.
struct ZshCompletion {
    let root: Command

    var script: String {
        var lines = ["#compdef \(root.name)", ""]
        for path in root.shownPaths { lines += function(path) }
        // Works sourced and autoloaded alike.
        lines += [
            "if [ \"$funcstack[1]\" = \"\(name([root]))\" ]; then",
            "    \(name([root])) \"$@\"", "else", "    compdef \(name([root])) \(root.name)", "fi", "",
        ]
        return lines.joined(separator: "\n")
    }

    private func name(_ path: [Command]) -> String {
        "_" + path.map(\.name).joined(separator: "_").map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined()
    }

    private func function(_ path: [Command]) -> [String] {
        guard let command = path.last?.withDefaultWords else { return [] }
        var lines = ["\(name(path))() {"]
        let shown = command.subcommands.filter { !$0.isHidden }
        var words = command.options.flatMap { specifications(of: $0) } + [shellQuoted("(-h --help)--help[Show help]")]
        if shown.isEmpty {
            for argument in command.arguments {
                let place = argument.isRepeating ? "*" : ""
                words.append(shellQuoted("\(place):\(escape(argument.name)):\(action(argument.completion))"))
            }
            lines.append("    _arguments -s " + words.joined(separator: " \\\n        "))
        } else {
            words += ["'1: :->command'", "'*::argument:->rest'"]
            lines.append("    local curcontext=\"$curcontext\" line state")
            lines.append("    _arguments -C " + words.joined(separator: " \\\n        "))
            lines += ["    case $state in", "        command)"]
            let names = shown.map { shellQuoted("\($0.name):\(escape($0.summary))") }.joined(separator: " ")
            lines.append("            local -a commands=(\(names)); _describe command commands")
            // The default command may come without its name, and so may what it takes.
            let first = action(command.argumentCompletion)
            if first.hasPrefix("_") { lines.append("            \(first)") }
            lines += ["            ;;", "        rest) case $line[1] in"]
            for subcommand in shown {
                let patterns = ([subcommand.name] + subcommand.aliases).joined(separator: "|")
                lines.append("            \(patterns)) \(name(path + [subcommand])) ;;")
            }
            if command.subcommand("help") == nil { lines.append("            help) \(name(path)) ;;") }
            if let name = command.defaultSubcommand, let next = command.subcommand(name) {
                lines.append("            *) \(self.name(path + [next])) ;;")
            }
            lines += ["        esac ;;", "    esac"]
        }
        return lines + ["}", ""]
    }

    private func specifications(of option: CommandOption) -> [String] {
        let star = option.kind == .flag || option.kind == .value ? "" : "*"
        let value = option.kind == .flag ? "" : ":\(escape(option.valueName)):\(action(option.completion))"
        let meaning = "[\(escape(option.summary))]\(value)"
        let names = ["--\(option.name)"] + (option.short.map { ["-\($0)"] } ?? [])
        return names.map { shellQuoted(star + $0 + meaning) }
    }

    private func action(_ completion: CommandCompletion) -> String {
        switch completion {
        case .none: " "
        case .file: "_files"
        case .directory: "_files -/"
        case .choices(let words): "(\(words.joined(separator: " ")))"
        }
    }

    private func escape(_ text: String) -> String {
        text.map { "[]:\\".contains($0) ? "\\\($0)" : String($0) }.joined()
    }
}
