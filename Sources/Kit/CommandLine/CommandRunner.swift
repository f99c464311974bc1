// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import System

/// Runs a command tree on a command line and turns whatever comes of it into output and an exit code.
package struct CommandRunner: Sendable {
    private let root: Command
    private let version: String

    package init(root: Command, version: String) {
        self.root = root
        self.version = version
    }

    /// - Parameter words: the command line without the program's name.
    package func run(_ words: [String], context: CommandContext) async -> ExitCode {
        let code = await answer(words, context)
        guard code == .success, let lost = context.standardOutput.failure else { return code }
        context.note("\(root.name): The output could not be written: \(lost).")
        return [.noSpace, .diskQuotaExceeded, .fileTooLarge].contains(lost) ? .noSpace : .failure
    }

    private func answer(_ words: [String], _ context: CommandContext) async -> ExitCode {
        do {
            switch try ArgumentParser(root: root).parse(words) {
            case .version:
                context.print("\(root.name) \(version)")
                return .success
            case .help(let path):
                context.print(HelpPage(path: path, width: Terminal.width(context.environment)).text)
                return path.count == 1 && words.isEmpty ? .usage : .success
            case .run(let path, let arguments):
                return await run(path, arguments, words, context)
            }
        } catch let failure as ArgumentParser.Failure {
            return report(failure.error, failure.path, words, context)
        } catch {
            return report(error, context)
        }
    }

    private func run(
        _ path: [Command], _ arguments: ParsedArguments, _ words: [String], _ context: CommandContext
    ) async -> ExitCode {
        guard let command = path.last, let body = command.run else { return .usage }
        var context = context
        context.json = arguments.flag("json")
        do {
            return try await body(arguments, context)
        } catch let error as UsageError {
            return report(error, path, words, context)
        } catch {
            return report(error, context)
        }
    }

    private func report(
        _ error: UsageError, _ path: [Command], _ words: [String], _ context: CommandContext
    ) -> ExitCode {
        let misspelled = misspelledCommand(words)
        let name = misspelled == nil ? path.map(\.name).joined(separator: " ") : root.name
        context.note("\(name): \((misspelled ?? error).message)")
        context.note("See '\(name) --help'.")
        return .usage
    }

    /// Where a command is meant without being named, a misspelled name looks like that command's argument: when that
    /// leads nowhere, it is taken for what it is.
    private func misspelledCommand(_ words: [String]) -> UsageError? {
        guard root.defaultSubcommand != nil, let word = words.first, !word.hasPrefix("-"),
            root.subcommand(word) == nil, word != "help",
            let suggestion = Spelling.closest(to: word, among: root.subcommands.filter { !$0.isHidden }.map(\.name))
        else { return nil }
        return UsageError("There is no command \"\(word)\".", suggestion: suggestion)
    }

    private func report(_ error: any Error, _ context: CommandContext) -> ExitCode {
        if error is CancellationError { return .interrupted }
        let known = error as? any LarderError
        context.note("\(root.name): \(known?.description ?? "\(error)")")
        if context.json {
            let details: JSONValue = [
                "code": .string(known?.codeName ?? "failure"), "message": .string(known?.description ?? "\(error)"),
            ]
            context.print(json: ["error": details])
        }
        return known?.exitCode ?? .failure
    }
}
