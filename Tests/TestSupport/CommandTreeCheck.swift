// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit

/// What every command that is shown owes to whoever asks for its help.
package enum CommandTreeCheck {
    /// What is missing or ambiguous, one sentence each, with the words that name the command.
    package static func problems(in root: Command) -> [String] {
        all([root]).flatMap { path in
            guard let command = path.last else { return [String]() }
            let name = path.map(\.name).joined(separator: " ")
            return problems(with: command).map { "\(name): \($0)" }
        }
    }

    /// Every command that is shown, behind those above it.
    private static func all(_ path: [Command]) -> [[Command]] {
        guard let command = path.last, !command.isHidden else { return [] }
        return [path] + command.subcommands.flatMap { all(path + [$0]) }
    }

    private static func problems(with command: Command) -> [String] {
        var found: [String] = []
        func require(_ condition: Bool, _ problem: String) { if !condition { found.append(problem) } }
        require(
            !command.summary.isEmpty && !command.summary.hasSuffix("."), "its summary is no line without a full stop")
        require(!command.examples.isEmpty, "it has no example")
        require(command.run != nil || !command.subcommands.isEmpty, "it does nothing")
        require(isUnique(command.subcommands.flatMap { [$0.name] + $0.aliases }), "its commands share a name")
        let shorts = command.options.compactMap(\.short)
        require(isUnique(shorts) && !shorts.contains("h"), "its options share a letter")
        require(isUnique(command.options.map(\.name)), "its options share a name")
        for option in command.options {
            require(option.summary.hasSuffix("."), "--\(option.name) is not explained by a sentence")
        }
        return found
    }

    private static func isUnique(_ words: [some Hashable]) -> Bool { Set(words).count == words.count }
}
