// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit
internal import System

/// The command line of `larder-host`.
package enum HostCommands {
    package static let tree = Command(
        "larder-host", summary: "Take asset packs from publishers, and serve them to devices",
        discussion: """
            An own host in the place of App Store Connect and Apple's servers: uploads, processing, channels and review, with \
            App Store Connect's interface.
            """,
        examples: [
            .init("larder-host app create com.example.coast --name \"The Coast\"", "makes an app"),
            .init("larder-host keys create CI --role DEVELOPER --out AuthKey.p8", "makes a key for its publisher"),
            .init("larder-host serve --certificate host.pem --key host.key", "serves until SIGTERM"),
        ],
        subcommands: [serve, keys, app, channels, backup, reference])

    static let data = CommandOption.value(
        "data", "folder", "Where the host keeps everything; larder/host among this user's state by default.",
        completion: .directory)

    static func configuration(_ arguments: ParsedArguments, _ context: CommandContext) throws -> HostConfiguration {
        if let path = arguments.path("data") { return HostConfiguration(data: context.resolve(path)) }
        return HostConfiguration(data: try LarderPaths(environment: context.environment).state.appending("host"))
    }

    /// Opens the data folder for one command.
    static func administer(
        _ arguments: ParsedArguments, _ context: CommandContext,
        _ body: (HostAdministration) async throws -> Void
    ) async throws -> ExitCode {
        let administration = try await HostAdministration(configuration(arguments, context))
        do {
            try await body(administration)
        } catch {
            await administration.close()
            throw error
        }
        await administration.close()
        return .success
    }

    private static let reference = Command(
        "reference", summary: "Print the reference of all commands in Markdown", isHidden: true, run: printReference)

    @Sendable private static func printReference(
        _: ParsedArguments, _ context: CommandContext
    ) async throws -> ExitCode {
        context.standardOutput.write(CommandReference([tree]).markdown)
        return .success
    }
}
