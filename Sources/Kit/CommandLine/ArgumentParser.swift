// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Turns the words of a command line into a command of the tree and its arguments. Pure: no effects, no output.
package struct ArgumentParser: Sendable {
    /// What the words ask for.
    package enum Request: Sendable {
        /// Run the last command of the path.
        case run(path: [Command], arguments: ParsedArguments)
        /// Show help for the last command of the path.
        case help(path: [Command])
        case version
    }

    private let root: Command

    package init(root: Command) { self.root = root }

    /// - Throws: `UsageError`, inside a `Failure` that knows how far the command was understood.
    package func parse(_ words: [String]) throws -> Request {
        var path = [root]
        do {
            return try parse(words[...], path: &path)
        } catch let error as UsageError {
            throw Failure(path: path, error: error)
        }
    }

    /// A usage error and the commands that were understood before it.
    package struct Failure: Error {
        package let path: [Command]
        package let error: UsageError
    }

    private func parse(_ words: ArraySlice<String>, path: inout [Command]) throws -> Request {
        guard let command = path.last else { return .help(path: [root]) }
        guard !command.subcommands.isEmpty else { return try parseLeaf(words, path: path) }
        guard let word = words.first else {
            // A default that needs no words is meant by none; one that does is better explained.
            guard let name = command.defaultSubcommand, let next = command.subcommand(name),
                next.arguments.allSatisfy(\.isOptional), path.count > 1
            else { return .help(path: path) }
            path.append(next)
            return try parseLeaf(words, path: path)
        }
        if word == "--help" || word == "-h" { return .help(path: path) }
        if word == "--version", path.count == 1 { return .version }
        if word == "help", command.subcommand("help") == nil { return try parseHelp(words.dropFirst(), path: path) }
        if let next = command.subcommand(word) {
            path.append(next)
            return try parse(words.dropFirst(), path: &path)
        }
        if let name = command.defaultSubcommand, let next = command.subcommand(name) {
            path.append(next)
            return try parse(words, path: &path)
        }
        let names = command.subcommands.filter { !$0.isHidden }.flatMap { [$0.name] + $0.aliases }
        if word.hasPrefix("-") { throw UsageError("\(word) is no option here; a command must come first.") }
        throw UsageError("There is no command \"\(word)\".", suggestion: Spelling.closest(to: word, among: names))
    }

    private func parseHelp(_ words: ArraySlice<String>, path: [Command]) throws -> Request {
        var path = path
        for word in words where !word.hasPrefix("-") {
            guard let next = path.last?.subcommand(word) else {
                let names = path.last?.subcommands.map(\.name) ?? []
                throw UsageError(
                    "There is no command \"\(word)\" to explain.", suggestion: Spelling.closest(to: word, among: names))
            }
            path.append(next)
        }
        return .help(path: path)
    }

    private func parseLeaf(_ words: ArraySlice<String>, path: [Command]) throws -> Request {
        guard let command = path.last else { return .help(path: path) }
        var result = ParsedArguments()
        for option in command.options { option.defaultValue.map { result.defaults[option.name] = $0 } }
        var positional: [String] = []
        var words = words
        while let word = words.popFirst() {
            if word == "--" {
                positional += words
                break
            }
            let takesTheRest =
                command.arguments.last?.isVerbatim == true && positional.count >= command.arguments.count - 1
            if takesTheRest, !word.hasPrefix("-") {
                // From the first word of a command to run, all words are its own.
                positional.append(word)
                positional += words
                break
            }
            if word == "--help" || word == "-h" { return .help(path: path) }
            let tellsVersion = path.count == 1 || path.count == 2 && path[0].defaultSubcommand == command.name
            // An option of that name needs a value; alone it is the usual question.
            if word == "--version", tellsVersion,
                words.isEmpty || !command.options.contains(where: { $0.name == "version" })
            {
                return .version
            }
            if word.hasPrefix("--") {
                try parseLong(word, &words, command, &result)
            } else if word.hasPrefix("-"), word != "-" {
                try parseShort(word, &words, command, &result)
            } else {
                positional.append(word)
            }
        }
        try assign(positional, command, &result)
        return .run(path: path, arguments: result)
    }

    private func parseLong(
        _ word: String, _ words: inout ArraySlice<String>, _ command: Command, _ result: inout ParsedArguments
    ) throws {
        let body = word.dropFirst(2)
        let name = String(body.prefix { $0 != "=" })
        let attached = body.firstIndex(of: "=").map { String(body[body.index(after: $0)...]) }
        guard let option = command.options.first(where: { $0.name == name }) else {
            throw UsageError(
                "There is no option --\(name).",
                suggestion: Spelling.closest(to: name, among: command.options.map(\.name) + ["help"]).map { "--\($0)" })
        }
        try record(option, spelled: "--\(name)", attached: attached, &words, &result)
    }

    private func parseShort(
        _ word: String, _ words: inout ArraySlice<String>, _ command: Command, _ result: inout ParsedArguments
    ) throws {
        var letters = word.dropFirst()
        while let letter = letters.popFirst() {
            guard let option = command.options.first(where: { $0.short == letter }) else {
                // Apple's tools also take long names after one dash in places; a hint costs nothing.
                let long = command.options.first { $0.name == word.dropFirst() }
                throw UsageError("There is no option -\(letter).", suggestion: long.map { "--\($0.name)" })
            }
            if option.kind == .flag {
                try record(option, spelled: "-\(letter)", attached: nil, &words, &result)
            } else {
                let rest = letters.isEmpty ? nil : String(letters.first == "=" ? letters.dropFirst() : letters)
                try record(option, spelled: "-\(letter)", attached: rest, &words, &result)
                return
            }
        }
    }

    private func record(
        _ option: CommandOption, spelled: String, attached: String?, _ words: inout ArraySlice<String>,
        _ result: inout ParsedArguments
    ) throws {
        if option.kind == .flag {
            guard attached == nil else { throw UsageError("\(spelled) takes no value.") }
            result.flags.insert(option.name)
            return
        }
        guard let value = attached ?? words.popFirst() else {
            throw UsageError("\(spelled) needs a value: \(spelled) <\(option.valueName)>.")
        }
        if attached == nil, value.hasPrefix("--") {
            throw UsageError("\(spelled) needs a value, but \(value) follows; write \(spelled)=\(value) if that is it.")
        }
        if case .choices(let choices) = option.completion, !choices.contains(value) {
            throw UsageError(
                "\(spelled) does not know \"\(value)\"; it takes \(choices.joined(separator: ", ")).",
                suggestion: Spelling.closest(to: value, among: choices))
        }
        result.values[option.name, default: []].append(value)
        guard option.kind == .upToNextOption else { return }
        while let word = words.first, word == "-" || !word.hasPrefix("-") {
            result.values[option.name, default: []].append(word)
            words.removeFirst()
        }
    }

    private func assign(_ values: [String], _ command: Command, _ result: inout ParsedArguments) throws {
        var rest = values[...]
        for argument in command.arguments {
            if argument.isRepeating {
                if rest.isEmpty, !argument.isOptional {
                    throw UsageError("The argument <\(argument.name)> is missing.")
                }
                result.positional[argument.name] = Array(rest)
                rest = []
            } else if let value = rest.popFirst() {
                result.positional[argument.name] = [value]
            } else if !argument.isOptional {
                throw UsageError("The argument <\(argument.name)> is missing.")
            }
        }
        guard let extra = rest.first else { return }
        throw UsageError(
            command.arguments.isEmpty
                ? "This command takes no arguments, but \"\(extra)\" was given."
                : "\"\(extra)\" is one argument too many.")
    }
}
