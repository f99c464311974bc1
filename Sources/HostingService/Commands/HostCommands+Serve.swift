// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Crypto
internal import Kit
internal import Mail
internal import System

extension HostCommands {
    private static let defaultPort = 8444

    static let serve = Command(
        "serve", summary: "Serve until Ctrl-C or SIGTERM",
        discussion: """
            With --certificate and --key the host serves https itself. With --development-authority it takes a certificate \
            from this machine's development authority, which devices accept after 'larder trust'. With neither it serves \
            plain http: to this machine alone, or, with --behind-proxy, to a proxy that speaks https with the world.
            """,
        examples: [
            .init("larder-host serve --development-authority", "serves https on this machine, for a try"),
            .init(
                "larder-host serve --behind-proxy --url https://packs.example.com",
                "serves http to a proxy that the world knows by that address"),
        ],
        options: [
            data, database, storage,
            .flag(
                "storage-moved",
                "The archives were brought to this storage from the one that the host had; without it another one "
                    + "is refused."
            ),
            .value("host", "address", "The name or address to listen on; * for all.", default: "127.0.0.1"),
            .value(
                "port", short: "p", "number", "The port; 0 lets the system choose, and the choice is printed.",
                default: "\(defaultPort)"),
            .value("certificate", "file", "The host's certificate chain, PEM.", completion: .file),
            .value("key", "file", "The certificate's private key, PEM.", completion: .file),
            .flag("development-authority", "Take a certificate from this machine's development authority."),
            .flag("behind-proxy", "Serve plain http to other machines, too: a proxy sees to https."),
            .value("url", "address", "How publishers and devices reach the host, when it is not as it listens."),
            .flag("private-webhooks", "Send webhooks to private addresses, too, and to this machine in plain http."),
            .flag("auto-review", "Approve what is submitted for review at once: for teams that want no reviewer."),
            .value(
                "smtp", "url",
                "The mail server that tells of refused versions, as smtp://mail.example.com:587; LARDER_SMTP_USER and "
                    + "LARDER_SMTP_PASSWORD log in there."),
            .value("mail-from", "address", "Who writes."),
            .repeatable("mail-to", "address", "Who is written to."),
            .repeatable(
                "limit", "name=value",
                "How much the host takes, as archive-size=8GiB: "
                    + HostLimits.names.map { "\($0.name), \($0.meaning)" }.joined(separator: "; ") + "."),
            .value(
                "archive-lifetime", "seconds",
                "Sign the addresses of archives, and have them expire after so long; manifests then have new ones "
                    + "twice "
                    + "in that time. Without it they are good for ever."),
            .repeatable(
                "manifest-key", "file",
                "Sign the manifests that devices get with this key, PEM, as 'ba-package keys create' makes it; "
                    + "give it again for "
                    + "several.", completion: .file),
            .value(
                "manifest-lifetime", "seconds",
                "How long a signed manifest is good for; it is signed anew in the half of it.",
                default: "\(ManifestSigning.usualLifetime)"),
            .value(
                "drain", "seconds", "How long requests that are under way may take after SIGTERM.", default: "10"),
            .value(
                "log-format", "format", "text or json; what suits standard error by default.",
                completion: .choices(["text", "json"])),
            .value(
                "log-level", "level", "trace, debug, info, notice, warning, error or critical.", default: "notice",
                completion: .choices(LogLevel.allCases.map(\.name))),
            .json,
        ]
    ) { arguments, context in
        let configuration = try await offload { try ServeOptions(arguments, context).configuration() }
        let host = try await Host(configuration)
        if context.json {
            context.print(json: ["event": "listening", "url": .string(host.url), "port": .integer(Int64(host.port))])
        } else {
            context.print("Listening: \(host.url)")
            context.print("Data:      \(configuration.data)")
            if let storage = configuration.storage { context.print("Storage:   \(storage.location)") }
        }
        let (endless, continuation) = AsyncStream<Never>.makeStream()
        for await _ in endless {}
        continuation.finish()
        await host.stop()
        return .success
    }
}

/// The options of `serve` as a configuration. Reads files: not for the cooperative pool.
private struct ServeOptions: Sendable {
    private let arguments: ParsedArguments
    private let context: CommandContext

    init(_ arguments: ParsedArguments, _ context: CommandContext) {
        self.arguments = arguments
        self.context = context
    }

    func configuration() throws -> HostConfiguration {
        var configuration = try HostCommands.configuration(arguments, context)
        configuration.storageHasMoved = arguments.flag("storage-moved")
        let host = arguments.value("host") ?? "127.0.0.1"
        configuration.host = host == "*" ? nil : host == "localhost" ? "127.0.0.1" : host
        configuration.port = try arguments.integer("port", in: 0...65_535) ?? 0
        configuration.identity = try identity(host)
        if configuration.identity == nil, !arguments.flag("behind-proxy"), !Self.isLoopback(host) {
            throw UsageError(
                "Plain http is for this machine alone. Give --certificate and --key, or --behind-proxy when a proxy "
                    + "sees to https.")
        }
        configuration.isBehindProxy = arguments.flag("behind-proxy")
        configuration.publicURL = try publicURL()
        configuration.sendsToPrivateAddresses = arguments.flag("private-webhooks")
        configuration.reviewsAutomatically = arguments.flag("auto-review")
        let level = try arguments.choice("log-level", of: LogLevel.allCases.map(\.name)).flatMap(LogLevel.init(name:))
        let sink: StreamLogSink =
            switch try arguments.choice("log-format", of: ["text", "json"]) {
            case "json": StreamLogSink(format: .json)
            case "text": StreamLogSink(format: .text)
            default: StreamLogSink.suitable(context.environment)
            }
        configuration.log = Logger(label: "larder-host", level: level ?? .notice, sink: sink)
        configuration.drainSeconds = Int64(try arguments.integer("drain", in: 0...3600) ?? 10)
        configuration.archiveLifetime = try arguments.integer("archive-lifetime", in: 2...(366 * 86_400)).map(
            Int64.init)
        configuration.manifestSigning = try manifestSigning()
        configuration.mail = try mail()
        for setting in arguments.values("limit") { try configuration.limits.set(setting) }
        return configuration
    }

    private func manifestSigning() throws -> ManifestSigning? {
        let names = arguments.values("manifest-key")
        let range = Int(ManifestSigning.shortestLifetime)...(366 * 86_400)
        let lifetime = try arguments.integer("manifest-lifetime", in: range)
        guard !names.isEmpty else { return nil }
        let keys = try names.map { name in
            do {
                return try Ed25519PrivateKey(pem: try File.read(context.resolve(name), limit: 64 << 10))
            } catch {
                throw UsageError(
                    "--manifest-key: \"\(name)\" cannot be read, or is no Ed25519 key in PEM (\(error.clause)). "
                        + "`ba-package keys create` "
                        + "makes one.")
            }
        }
        return ManifestSigning(keys: keys, lifetime: lifetime.map(Int64.init) ?? ManifestSigning.usualLifetime)
    }

    private func mail() throws -> HostMail? {
        guard let url = arguments.value("smtp") else {
            guard arguments.value("mail-from") == nil, arguments.values("mail-to").isEmpty else {
                throw UsageError("Which server takes the mail? Give it with --smtp, as smtp://mail.example.com:587.")
            }
            return nil
        }
        let (from, to) = (try arguments.required("mail-from"), arguments.values("mail-to"))
        guard !to.isEmpty else { throw UsageError("Who is to be written to? Give --mail-to.") }
        for address in [from] + to where !MailMessage.isAddress(address) {
            throw UsageError("\"\(address)\" is no address for mail, as packs@example.com.")
        }
        let server = try MailServer(
            url: url, user: context.environment["LARDER_SMTP_USER"],
            password: context.environment["LARDER_SMTP_PASSWORD"])
        return HostMail(server: server, from: from, to: to)
    }

    private func identity(_ host: String) throws -> TLSIdentity? {
        switch (arguments.path("certificate"), arguments.path("key")) {
        case (let certificate?, let key?):
            return try TLSIdentity(certificateFile: context.resolve(certificate), keyFile: context.resolve(key))
        case (nil, nil): break
        default: throw UsageError("--certificate and --key belong together.")
        }
        guard arguments.flag("development-authority") else { return nil }
        let folder = try LarderPaths(environment: context.environment).configuration.appending("authority")
        return try DevelopmentAuthority(folder: folder).identity(hosts: host == "*" ? [] : [host])
    }

    private func publicURL() throws -> String? {
        guard var url = arguments.value("url") else { return nil }
        while url.hasSuffix("/") { url.removeLast() }
        guard url.hasPrefix("https://") || url.hasPrefix("http://"), !url.contains("?"), !url.contains("#") else {
            throw UsageError("--url must be an address as https://packs.example.com, not \"\(url)\".")
        }
        return url
    }

    private static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || host.hasPrefix("127.")
    }
}
