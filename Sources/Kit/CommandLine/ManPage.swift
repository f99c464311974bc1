// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// A manual page in roff's man macros, made from a command (the last of a path) and all below it.
package struct ManPage: Sendable {
    private let path: [Command]
    private let version: String

    package init(path: [Command], version: String) {
        self.path = path
        self.version = version
    }

    package var text: String {
        guard let command = path.last else { return "" }
        let name = path.map(\.name).joined(separator: "-")
        var lines = [".TH \"\(Self.escape(name.uppercased()))\" 1 \"\" \"Larder \(version)\" \"Larder\""]
        lines += [".SH NAME", "\(Self.escape(name)) \\- \(Self.escape(command.summary))"]
        lines += [".SH SYNOPSIS", ".B " + Self.escape(CommandSynopsis(path: path).text)]
        lines += [".SH DESCRIPTION", Self.escape(command.summary + ".")]
        lines += Self.paragraphs(command.discussion)
        lines += details(of: command)
        let shown = command.subcommands.filter { !$0.isHidden }
        if !shown.isEmpty { lines.append(".SH COMMANDS") }
        for subcommand in shown { lines += section(for: path + [subcommand]) }
        lines += examples([command] + shown)
        lines.append(".SH EXIT STATUS")
        for (code, meaning) in ExitCode.documented {
            lines += [".TP", ".B \(code.rawValue)", Self.escape(meaning)]
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func section(for path: [Command]) -> [String] {
        guard let command = path.last else { return [] }
        var lines = [".SS \"\(Self.escape(CommandSynopsis(path: path).text))\"", Self.escape(command.summary + ".")]
        lines += Self.paragraphs(command.discussion)
        lines += details(of: command)
        for subcommand in command.subcommands where !subcommand.isHidden { lines += section(for: path + [subcommand]) }
        return lines
    }

    private func details(of command: Command) -> [String] {
        var lines: [String] = []
        for argument in command.arguments {
            lines += [".TP", ".I <\(Self.escape(argument.name))>", Self.escape(argument.summary)]
        }
        for option in command.options {
            let spelling = HelpPage.spelling(option).drop { $0 == " " }
            lines += [".TP", ".B " + Self.escape(String(spelling)), Self.escape(HelpPage.meaning(option))]
        }
        return lines
    }

    private func examples(_ commands: [Command]) -> [String] {
        let all = commands.flatMap(\.examples)
        guard !all.isEmpty else { return [] }
        return [".SH EXAMPLES"]
            + all.flatMap { [".TP", ".B " + Self.escape($0.line), Self.escape($0.meaning + ".")] }
    }

    private static func paragraphs(_ text: String) -> [String] {
        text.parts(separatedBy: "\n\n").filter { !$0.isEmpty }.flatMap { [".PP", escape(String($0))] }
    }

    /// Hyphens stay hyphens, backslashes are shown, and no line of text is taken for a macro.
    static func escape(_ text: String) -> String {
        let escaped = text.map { character -> String in
            switch character {
            case "\\": "\\e"
            case "-": "\\-"
            default: String(character)
            }
        }.joined()
        return escaped.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.hasPrefix(".") || $0.hasPrefix("'") ? "\\&" + $0 : String($0) }
            .joined(separator: "\n")
    }
}
