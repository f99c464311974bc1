// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// The text that `--help` shows for the last command of a path.
package struct HelpPage: Sendable {
    private let path: [Command]
    private let width: Int

    package init(path: [Command], width: Int = 80) {
        self.path = path
        self.width = min(max(width, 40), 100)
    }

    package var text: String {
        guard let command = path.last else { return "" }
        var sections = ["Usage: " + CommandSynopsis(path: path).text, Self.wrap(command.summary + ".", width)]
        for paragraph in command.discussion.parts(separatedBy: "\n\n") where !paragraph.isEmpty {
            sections.append(Self.wrap(String(paragraph), width))
        }
        let shown = command.subcommands.filter { !$0.isHidden }
        var groups: [String] = []
        for subcommand in shown where !groups.contains(subcommand.group) { groups.append(subcommand.group) }
        for group in groups {
            let rows = shown.filter { $0.group == group }
            sections.append(
                section(group + ":", rows.map { (([$0.name] + $0.aliases).joined(separator: ", "), $0.summary) }))
        }
        sections.append(section("Arguments:", command.arguments.map { ("<\($0.name)>", $0.summary) }))
        let help = CommandOption.flag("help", short: "h", "Show this help.")
        let version = path.count == 1 ? [CommandOption.flag("version", "Show the version.")] : []
        sections.append(
            section("Options:", (command.options + [help] + version).map { (Self.spelling($0), Self.meaning($0)) }))
        if !command.examples.isEmpty {
            let lines = command.examples.map { "  \($0.line)\n" + Self.wrap($0.meaning, width, indentation: 6) }
            sections.append("Examples:\n" + lines.joined(separator: "\n"))
        }
        if !shown.isEmpty {
            sections.append("'\(path.map(\.name).joined(separator: " ")) help <command>' tells more about a command.")
        }
        return sections.filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    private func section(_ title: String, _ rows: [(String, String)]) -> String {
        guard !rows.isEmpty else { return "" }
        let column = min(rows.map(\.0.count).max() ?? 0, 26) + 4
        let lines = rows.map { name, meaning in
            let text = Self.wrap(meaning, width, indentation: column)
            if name.count + 4 > column { return "  \(name)\n\(text)" }
            let gap = String(repeating: " ", count: column - name.count - 2)
            return "  \(name)\(gap)\(text.drop { $0 == " " })"
        }
        return ([title] + lines).joined(separator: "\n")
    }

    /// `-o, --output <file>`
    static func spelling(_ option: CommandOption) -> String {
        let short = option.short.map { "-\($0), " } ?? "    "
        return short + "--\(option.name)" + valueText(option)
    }

    private static func valueText(_ option: CommandOption) -> String {
        switch option.kind {
        case .flag: ""
        case .value, .repeatable: " <\(option.valueName)>"
        case .upToNextOption: " <\(option.valueName)>..."
        }
    }

    static func meaning(_ option: CommandOption) -> String {
        var text = option.summary
        if case .choices(let choices) = option.completion { text += " One of: \(choices.joined(separator: ", "))." }
        if let value = option.defaultValue { text += " Default: \(value)." }
        if option.kind == .repeatable { text += " May be given again." }
        return text
    }

    /// Breaks a paragraph at spaces. Its own line breaks stay.
    static func wrap(_ text: String, _ width: Int, indentation: Int = 0) -> String {
        let margin = String(repeating: " ", count: indentation)
        var lines: [String] = []
        for source in text.split(separator: "\n", omittingEmptySubsequences: false) {
            var line = ""
            for word in source.split(separator: " ") {
                if !line.isEmpty, indentation + line.count + 1 + word.count > width {
                    lines.append(margin + line)
                    line = ""
                }
                line += line.isEmpty ? String(word) : " " + word
            }
            lines.append(margin + line)
        }
        return lines.joined(separator: "\n")
    }
}

/// The one line that shows how a command is written: `larder install [options] <bundle>`.
struct CommandSynopsis {
    let path: [Command]

    var text: String {
        var words = path.map(\.name)
        guard let command = path.last else { return "" }
        if !command.subcommands.isEmpty {
            words.append(command.defaultSubcommand == nil ? "<command> ..." : "[<command>] ...")
            return words.joined(separator: " ")
        }
        if !command.options.isEmpty { words.append("[options]") }
        for argument in command.arguments {
            var word = "<\(argument.name)>"
            if argument.isRepeating { word += "..." }
            if argument.isVerbatim { word = "[--] " + word }
            words.append(argument.isOptional ? "[\(word)]" : word)
        }
        return words.joined(separator: " ")
    }
}
