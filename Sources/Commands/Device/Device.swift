// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit

/// What the commands of the device share: the connection, and how results are written.
enum Device {
    /// Connects to this user's service, starting it when nobody answers.
    static func connect(_ context: CommandContext, startIfNeeded: Bool = true) async throws -> DeviceConnection {
        let paths = try LarderPaths(environment: context.environment)
        return try await DeviceConnection.connect(
            paths: paths, client: context.programName, version: LarderVersion.current, startIfNeeded: startIfNeeded)
    }

    /// Sends one request on a connection of its own.
    static func send<Request: DeviceRequest>(_ request: Request, _ context: CommandContext) async throws
        -> Request.Reply
    {
        try await connect(context).send(request)
    }
}

extension CommandContext {
    /// Writes a result as one line of JSON, keys sorted.
    func print(encoding value: some Encodable) throws {
        print(String(decoding: try JSONCoder.encode(value), as: UTF8.self))
    }

    /// The bundle id that `--app` names, or that of the app this runs inside.
    func app(_ arguments: ParsedArguments) throws -> String {
        if let app = arguments.value("app") { return app }
        if let app = environment["LARDER_BUNDLE_ID"], !app.isEmpty { return app }
        throw UsageError("Which app? Give its bundle id with --app; 'larder apps' lists them.")
    }
}

extension CommandArgument {
    static let app = CommandArgument("app", "The app's bundle id, as 'larder apps' lists it.")
    static let optionalApp = CommandArgument("app", "Only this app, by its bundle id.", isOptional: true)
}

extension CommandOption {
    static let app = CommandOption.value(
        "app", short: "a", "bundle id", "The app. Inside an app's own process it need not be given.")
}
