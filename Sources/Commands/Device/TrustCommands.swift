// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import DeviceProtocol
import Kit
import System

extension DeviceCommands {
    static let trust = Command(
        "trust", summary: "Say which certificate authorities the device service accepts besides the system's",
        discussion: """
            'larder trust FILE' is 'larder trust add FILE'; 'larder trust' alone accepts this machine's own development \
            authority, which ba-serve makes.
            """,
        examples: [
            .init("larder trust", "accepts the development servers of this machine"),
            .init("larder trust studio-ca.pem", "accepts servers with certificates of that authority"),
        ],
        subcommands: [trustAdd, trustList, trustRemove], defaultSubcommand: "add")

    private static let trustAdd = Command(
        "add", summary: "Accept a certificate authority",
        examples: [.init("larder trust add --name studio ca.pem", "accepts it under the name studio")],
        options: [
            .value("name", short: "n", "name", "What it is called in the list; the file's name by default."), .json,
        ],
        arguments: [
            CommandArgument(
                "file", "The authority's certificate, in PEM form; ba-serve's by default.", isOptional: true,
                completion: .file)
        ]
    ) { arguments, context in
        let file = try arguments.argument("file") ?? developmentAuthority(context)
        let bytes: [UInt8]
        do {
            bytes = try File.read(context.resolve(file), limit: 1 << 20)
        } catch {
            throw CommandError(
                Errno.noSuchFileOrDirectory ~= error ? "file.notFound" : "file", "\(file) could not be read.",
                cause: error)
        }
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.contains("-----BEGIN CERTIFICATE-----") else {
            throw CommandError(
                "setting.bad", "\(file) is no certificate in PEM form: it has no line \"-----BEGIN CERTIFICATE-----\".")
        }
        guard !text.contains("PRIVATE KEY-----") else {
            throw CommandError(
                "setting.bad", "\(file) holds a private key. Give the certificate alone; the key belongs to the server."
            )
        }
        let name = arguments.value("name") ?? FilePath(file).stem ?? "authority"
        _ = try await Device.send(TrustAddRequest(name: name, pem: text), context)
        if context.json {
            context.print(json: ["trusted": .string(name)])
        } else {
            context.print("Trusted as \(name).")
        }
        return .success
    }

    /// The certificate of the authority that `ba-serve` makes for this user.
    private static func developmentAuthority(_ context: CommandContext) throws -> String {
        let folder = try LarderPaths(environment: context.environment).configuration.appending("authority")
        let file = folder.appending(DevelopmentAuthority.certificateName)
        guard FileDescriptor.currentDirectory.exists(at: file) else {
            throw CommandError(
                "file.notFound",
                "This machine has no development authority yet. Start ba-serve once, which makes it, or name a file.")
        }
        return file.string
    }

    private static let trustList = Command(
        "list", summary: "List the authorities that were added", examples: [.init("larder trust list", "lists them")],
        options: [.json]
    ) { _, context in
        let names = try await Device.send(TrustListRequest(), context).names
        if context.json {
            context.print(json: ["names": .array(names.map { .string($0) })])
        } else if names.isEmpty {
            context.print("None besides the system's. 'larder trust FILE' adds one.")
        } else {
            for name in names { context.print(name) }
        }
        return .success
    }

    private static let trustRemove = Command(
        "remove", summary: "No longer accept an authority",
        examples: [.init("larder trust remove studio", "takes the authority studio off the list")],
        options: [.json], arguments: [CommandArgument("name", "As 'larder trust list' shows it.")]
    ) { arguments, context in
        let name = try arguments.requiredArgument("name")
        _ = try await Device.send(TrustRemoveRequest(name: name), context)
        if context.json {
            context.print(json: ["removed": .string(name)])
        } else {
            context.print("\(name) is no longer trusted.")
        }
        return .success
    }

    /// `ba-serve url-override URL`; without a URL it shows the one in force.
    static let urlOverride = Command(
        "url-override", summary: "Send the manifest requests of all apps to a development server",
        discussion: "Without a URL it prints the one in force.",
        examples: [
            .init("larder url-override https://localhost:8443", "uses a server on this machine"),
            .init("larder url-override --clear", "goes back to what the apps say"),
        ],
        options: [.flag("clear", "Go back to the URLs that the apps themselves name."), .json],
        arguments: [
            CommandArgument("url", "An https URL of scheme, host and port, without a path.", isOptional: true)
        ]
    ) { arguments, context in
        let connection = try await Device.connect(context)
        let url = arguments.argument("url")
        if arguments.flag("clear") {
            guard url == nil else { throw UsageError("Either a URL or --clear, not both.") }
            _ = try await connection.send(URLOverrideClearRequest())
        } else if let url {
            _ = try await connection.send(URLOverrideSetRequest(url: url))
        }
        let current = try await connection.send(URLOverrideGetRequest()).url
        if context.json {
            context.print(json: ["url": current.map { .string($0) } ?? .null])
        } else {
            context.print(
                current.map { "Manifests are fetched from \($0)." } ?? "No override; each app's own URL counts.")
        }
        return .success
    }
}
