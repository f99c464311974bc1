// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

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
        do {
            switch try ArgumentParser(root: root).parse(words) {
            case .version:
                context.print("\(root.name) \(version)")
                return .success
            case .help(let path):
                context.print(HelpPage(path: path, width: Terminal.width(context.environment)).text)
                return path.count == 1 && words.isEmpty ? .usage : .success
            case .run(let path, let arguments):
                return await run(path, arguments, context)
            }
        } catch let failure as ArgumentParser.Failure {
            let name = failure.path.map(\.name).joined(separator: " ")
            context.note("\(name): \(failure.error.message)")
            context.note("See '\(name) --help'.")
            return .usage
        } catch {
            return report(error, context)
        }
    }

    private func run(_ path: [Command], _ arguments: ParsedArguments, _ context: CommandContext) async -> ExitCode {
        guard let command = path.last, let body = command.run else { return .usage }
        var context = context
        context.json = arguments.flag("json")
        do {
            return try await body(arguments, context)
        } catch let error as UsageError {
            let name = path.map(\.name).joined(separator: " ")
            context.note("\(name): \(error.message)")
            context.note("See '\(name) --help'.")
            return .usage
        } catch {
            return report(error, context)
        }
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
