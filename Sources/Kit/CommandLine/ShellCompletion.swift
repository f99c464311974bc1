// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Completion scripts made from a command tree.
package enum ShellCompletion: String, CaseIterable, Sendable {
    case bash, zsh, fish

    package func script(for root: Command) -> String {
        switch self {
        case .bash: BashCompletion(root: root).script
        case .zsh: ZshCompletion(root: root).script
        case .fish: FishCompletion(root: root).script
        }
    }
}

extension Command {
    /// Every command of the tree that is shown, with the path to it.
    var shownPaths: [[Command]] {
        func walk(_ path: [Command]) -> [[Command]] {
            guard let command = path.last, !command.isHidden else { return [] }
            return [path] + command.subcommands.flatMap { walk(path + [$0]) }
        }
        return walk([self])
    }

    /// The command with the words of its default subcommand, which may come without its name.
    var withDefaultWords: Command {
        guard let name = defaultSubcommand, let next = subcommand(name) else { return self }
        var copy = self
        copy.options += next.options
        copy.arguments = next.arguments
        return copy
    }

    /// What may be completed by this command's words that are no options.
    var argumentCompletion: CommandCompletion { arguments.first { $0.completion != .none }?.completion ?? .none }
}

/// A text as one word for a POSIX shell.
func shellQuoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
}

/// bash: one function that walks the words to find the command, then offers its options, subcommands or files.
struct BashCompletion {
    let root: Command

    var script: String {
        let function = "_" + root.name.map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined()
        var lines = ["# bash completion for \(root.name)", "\(function)() {"]
        lines += [
            "    local current=\"${COMP_WORDS[COMP_CWORD]}\" previous=\"${COMP_WORDS[COMP_CWORD-1]}\" path=\(shellQuoted(root.name)) word",
            "    for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do",
            "        case \"$path $word\" in",
        ]
        for path in root.shownPaths where path.count > 1 {
            let parent = path.dropLast().map(\.name).joined(separator: " ")
            let names = [path[path.count - 1].name] + path[path.count - 1].aliases
            let patterns = names.map { shellQuoted("\(parent) \($0)") }.joined(separator: "|")
            lines.append("            \(patterns)) path=\(shellQuoted(path.map(\.name).joined(separator: " "))) ;;")
        }
        lines += ["        esac", "    done", "    COMPREPLY=()", "    case \"$path\" in"]
        for path in root.shownPaths { lines += branch(path) }
        lines += ["    esac", "}", "complete -o filenames -F \(function) \(root.name)", ""]
        return lines.joined(separator: "\n")
    }

    private func branch(_ path: [Command]) -> [String] {
        guard let command = path.last?.withDefaultWords else { return [] }
        var lines = ["        \(shellQuoted(path.map(\.name).joined(separator: " "))))"]
        let valued = command.options.filter { $0.kind != .flag }
        if !valued.isEmpty {
            lines.append("            case \"$previous\" in")
            for option in valued {
                let names = ["--\(option.name)"] + (option.short.map { ["-\($0)"] } ?? [])
                lines.append(
                    "                \(names.joined(separator: "|"))) \(generate(option.completion)); return ;;")
            }
            lines.append("            esac")
        }
        let words = command.options.map { "--\($0.name)" } + ["--help"]
        let names = command.subcommands.filter { !$0.isHidden }.map(\.name)
        lines.append("            if [[ $current == -* ]]; then")
        lines.append("                \(generate(.choices(words)))")
        lines.append("            else")
        lines.append("                \(generate(names, command.argumentCompletion))")
        lines.append("            fi ;;")
        return lines
    }

    /// Subcommands, and what the default one takes as its first word.
    private func generate(_ names: [String], _ completion: CommandCompletion) -> String {
        guard !names.isEmpty else { return generate(completion) }
        guard completion == .file || completion == .directory else { return generate(.choices(names)) }
        let files = completion == .file ? "-f" : "-d"
        let words = shellQuoted(names.joined(separator: " "))
        return "mapfile -t COMPREPLY < <(compgen -W \(words) -- \"$current\"; compgen \(files) -- \"$current\")"
    }

    private func generate(_ completion: CommandCompletion) -> String {
        switch completion {
        case .none: ":"
        case .file: "mapfile -t COMPREPLY < <(compgen -f -- \"$current\")"
        case .directory: "mapfile -t COMPREPLY < <(compgen -d -- \"$current\")"
        case .choices(let words):
            "mapfile -t COMPREPLY < <(compgen -W \(shellQuoted(words.joined(separator: " "))) -- \"$current\")"
        }
    }
}
