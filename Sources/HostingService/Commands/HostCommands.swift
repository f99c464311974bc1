// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database
package import Kit
internal import ObjectStorage
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
        subcommands: [serve, keys, app, channels, addresses, manifestKeys, backup, sweep, reference])

    static let data = CommandOption.value(
        "data", "folder", "Where the host keeps everything; larder/host among this user's state by default.",
        completion: .directory)

    static let database = CommandOption.value(
        "database", "address",
        "A PostgreSQL database, as postgres://larder@db.example.com/larder, in place of a file among the data. "
            + "\(databaseVariable) says the same.")

    static let storage = CommandOption.value(
        "storage", "address",
        "An S3-compatible storage for archives and uploads, in place of the data folder, as "
            + "s3://bucket/prefix?endpoint=https://s3.example.com&region=eu-central-1. \(storageVariable) says "
            + "the same."
    )

    private static let storageVariable = "LARDER_STORAGE"

    private static func storage(_ arguments: ParsedArguments, _ context: CommandContext) throws -> HostStorage? {
        guard let setting = arguments.value("storage") ?? context.environment[storageVariable], !setting.isEmpty else {
            return nil
        }
        return HostStorage(
            location: try S3Location(setting: setting),
            credentials: try S3CredentialSource(environment: context.environment))
    }

    static func configuration(_ arguments: ParsedArguments, _ context: CommandContext) throws -> HostConfiguration {
        let data =
            try arguments.path("data").map { context.resolve($0) }
            ?? LarderPaths(environment: context.environment).state.appending("host")
        var configuration = HostConfiguration(data: data)
        configuration.storage = try storage(arguments, context)
        configuration.postgres = try postgres(arguments, context)
        return configuration
    }

    private static func postgres(_ arguments: ParsedArguments, _ context: CommandContext) throws -> PostgresAddress? {
        let given = arguments.value("database")
        guard let text = given ?? context.environment[databaseVariable], !text.isEmpty else { return nil }
        // What is wrong is not said aloud, since a password may be in it.
        guard let address = PostgresAddress(text) else {
            throw UsageError(
                "\(given == nil ? databaseVariable : "--database") must be an address as "
                    + "postgres://larder@db.example.com/larder. "
                    + "In a user, a password or a name, write /, @, :, ? and % as %2F, %40, %3A, %3F and %25.")
        }
        guard given == nil || !address.hasPassword else {
            throw UsageError(
                "A password on the command line can be read by everybody on this machine. Put the address into "
                    + "\(databaseVariable), or the password into PGPASSWORD or a file that PGPASSFILE names.")
        }
        return address
    }

    private static let databaseVariable = "LARDER_DATABASE"

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
