// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// A command as a value: its names, what it takes, what it does. Parsing, help, man pages and completions read it.
package struct Command: Sendable {
    package typealias Run = @Sendable (ParsedArguments, CommandContext) async throws -> ExitCode

    /// A command line and what it does.
    package struct Example: Hashable, Sendable {
        package let line: String
        package let meaning: String

        package init(_ line: String, _ meaning: String) {
            self.line = line
            self.meaning = meaning
        }
    }

    package var name: String
    package var aliases: [String]
    /// One line, without a full stop.
    package var summary: String
    /// Paragraphs, separated by empty lines.
    package var discussion: String
    package var examples: [Example]
    package var options: [CommandOption]
    package var arguments: [CommandArgument]
    package var subcommands: [Command]
    /// The subcommand that is meant when none is named, as `package` in `ba-package Manifest.json -o X.aar`.
    package var defaultSubcommand: String?
    /// Works, but is not listed.
    package var isHidden: Bool
    /// The heading under which help lists it.
    package var group = "Commands"
    package var run: Run?

    package init(
        _ name: String, aliases: [String] = [], summary: String, discussion: String = "", examples: [Example] = [],
        options: [CommandOption] = [], arguments: [CommandArgument] = [], subcommands: [Command] = [],
        defaultSubcommand: String? = nil, isHidden: Bool = false, run: Run? = nil
    ) {
        self.name = name
        self.aliases = aliases
        self.summary = summary
        self.discussion = discussion
        self.examples = examples
        self.options = options
        self.arguments = arguments
        self.subcommands = subcommands
        self.defaultSubcommand = defaultSubcommand
        self.isHidden = isHidden
        self.run = run
    }

    /// A copy that help lists under another heading.
    package func grouped(_ group: String) -> Command {
        var copy = self
        copy.group = group
        return copy
    }

    package func subcommand(_ name: String) -> Command? {
        subcommands.first { $0.name == name || $0.aliases.contains(name) }
    }
}

/// How a shell completes a value.
package enum CommandCompletion: Hashable, Sendable {
    case none
    case file
    case directory
    case choices([String])
}

/// `--name`, with or without a value.
package struct CommandOption: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case flag
        /// Takes a value; given twice, the later one counts.
        case value
        /// Takes a value and may be given again.
        case repeatable
        /// Takes every word up to the next option, and may be given again: `--versions 1 2 3`.
        case upToNextOption
    }

    /// Without the dashes.
    package let name: String
    package let short: Character?
    package let kind: Kind
    /// What help calls the value, such as `file`.
    package let valueName: String
    package let summary: String
    package let defaultValue: String?
    package let completion: CommandCompletion

    package static func flag(_ name: String, short: Character? = nil, _ summary: String) -> CommandOption {
        CommandOption(
            name: name, short: short, kind: .flag, valueName: "", summary: summary, defaultValue: nil, completion: .none
        )
    }

    package static func value(
        _ name: String, short: Character? = nil, _ valueName: String, _ summary: String, default: String? = nil,
        completion: CommandCompletion = .none
    ) -> CommandOption {
        CommandOption(
            name: name, short: short, kind: .value, valueName: valueName, summary: summary, defaultValue: `default`,
            completion: completion)
    }

    package static func repeatable(
        _ name: String, short: Character? = nil, _ valueName: String, _ summary: String,
        completion: CommandCompletion = .none
    ) -> CommandOption {
        CommandOption(
            name: name, short: short, kind: .repeatable, valueName: valueName, summary: summary, defaultValue: nil,
            completion: completion)
    }

    package static func upToNextOption(
        _ name: String, short: Character? = nil, _ valueName: String, _ summary: String,
        completion: CommandCompletion = .none
    ) -> CommandOption {
        CommandOption(
            name: name, short: short, kind: .upToNextOption, valueName: valueName, summary: summary, defaultValue: nil,
            completion: completion)
    }

    /// `--json`, which also sets `CommandContext.json`.
    package static let json = CommandOption.flag("json", "Print JSON, one object per line.")
}

/// A value that is known by its place.
package struct CommandArgument: Hashable, Sendable {
    package let name: String
    package let summary: String
    package let isOptional: Bool
    /// Takes all that is left; only the last argument may.
    package let isRepeating: Bool
    /// From its first value on, every word is taken as it is, options too: a command line inside a command line.
    package let isVerbatim: Bool
    package let completion: CommandCompletion

    package init(
        _ name: String, _ summary: String, isOptional: Bool = false, isRepeating: Bool = false,
        isVerbatim: Bool = false,
        completion: CommandCompletion = .none
    ) {
        self.name = name
        self.summary = summary
        self.isOptional = isOptional
        self.isRepeating = isRepeating || isVerbatim
        self.isVerbatim = isVerbatim
        self.completion = completion
    }
}
