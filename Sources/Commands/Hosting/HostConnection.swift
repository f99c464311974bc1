// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import HTTP
import HostingClient
import Kit
import System

/// Which host a command talks to, and as whom: from its options, the environment, and the person's settings, in that
/// order. The names are those that App Store Connect's tools use.
struct HostConnection: Sendable {
    static let options: [CommandOption] = [
        .value(
            "host", "url", "The host's address; LARDER_HOST, or \"url\" in hosting.json among this user's settings."),
        .value(
            "key", "file",
            "The private key, a .p8 file; APP_STORE_CONNECT_PRIVATE_KEY, which may also be the key itself.",
            completion: .file),
        .value("key-id", "id", "The key's identifier; APP_STORE_CONNECT_KEY_IDENTIFIER."),
        .value("issuer", "id", "The key's issuer; APP_STORE_CONNECT_ISSUER_ID."),
    ]

    private let values: [String: String]
    private let context: CommandContext

    /// - Parameters:
    ///   - values: given on the command line: `host`, `key`, `key-id`, `issuer`.
    init(_ values: [String: String], _ context: CommandContext) {
        self.values = values
        self.context = context
    }

    init(_ arguments: ParsedArguments, _ context: CommandContext) {
        var values: [String: String] = [:]
        for option in Self.options { values[option.name] = arguments.value(option.name) }
        self.init(values, context)
    }

    private static let variables = [
        "host": "LARDER_HOST", "key": "APP_STORE_CONNECT_PRIVATE_KEY", "key-id": "APP_STORE_CONNECT_KEY_IDENTIFIER",
        "issuer": "APP_STORE_CONNECT_ISSUER_ID",
    ]
    private static let members = ["host": "url", "key": "key", "key-id": "keyID", "issuer": "issuer"]

    /// A client that signs its requests.
    /// - Throws: `CommandError` that says what is missing and where it may stand.
    func client() async throws -> HostingClient {
        let paths = try LarderPaths(environment: context.environment)
        let (url, credentials) = try await offload { () throws -> (String, HostingCredentials) in
            (try self.url(paths), try self.credentials(paths))
        }
        var configuration = HTTPClientConfiguration()
        configuration.trustedCertificates = [paths.trust]
        configuration.userAgent = "larder/\(LarderVersion.current)"
        configuration.allowsPlainLoopback = true
        // Processing a large upload's last part may take a while.
        configuration.stallTimeout = .seconds(120)
        return HostingClient(url: url, credentials: credentials, http: HTTPClient(configuration))
    }

    private func url(_ paths: LarderPaths) throws -> String {
        let url = try value("host", paths)
        guard url.hasPrefix("https://") || url.hasPrefix("http://"), !url.contains("?"), !url.contains("#") else {
            throw UsageError("The host's address must be one as https://packs.example.com, not \"\(url)\".")
        }
        return url
    }

    private func credentials(_ paths: LarderPaths) throws -> HostingCredentials {
        let keyID = try value("key-id", paths)
        let issuer = try value("issuer", paths)
        let pem = try privateKey(keyID, paths)
        do {
            return HostingCredentials(keyID: keyID, issuer: issuer, key: try SigningKey(pem: pem))
        } catch {
            throw CommandError("setting.bad", "The private key of \(keyID) cannot be used.", cause: error)
        }
    }

    // MARK: Values

    private func value(_ name: String, _ paths: LarderPaths) throws -> String {
        if let value = try optionalValue(name, paths) { return value }
        throw UsageError(
            "--\(name) is missing. Give it, or set \(Self.variables[name] ?? ""), or put "
                + "\"\(Self.members[name] ?? "")\" into \(Self.settings(paths)).")
    }

    private func optionalValue(_ name: String, _ paths: LarderPaths) throws -> String? {
        if let value = values[name], !value.isEmpty { return value }
        if let value = Self.variables[name].flatMap({ context.environment[$0] }), !value.isEmpty { return value }
        return try Self.members[name].flatMap { try settings(paths)[$0]?.stringValue }
    }

    private static func settings(_ paths: LarderPaths) -> FilePath { paths.configuration.appending("hosting.json") }

    private func settings(_ paths: LarderPaths) throws -> JSONValue {
        let file = Self.settings(paths)
        do {
            return try JSONParser.parse(File.read(file, limit: 1 << 20)).value
        } catch Errno.noSuchFileOrDirectory {
            return .null
        } catch {
            throw CommandError("setting.bad", "\(file) cannot be read.", cause: error)
        }
    }

    /// The key as PEM: from where it is named, else from the folders in which App Store Connect's tools look for it.
    private func privateKey(_ keyID: String, _ paths: LarderPaths) throws -> [UInt8] {
        if let given = try optionalValue("key", paths) {
            if given.contains("-----BEGIN") { return Array(given.utf8) }
            let file = given.hasPrefix("@file:") ? String(given.dropFirst(6)) : given
            return try read(context.resolve(file))
        }
        let name = "AuthKey_\(keyID).p8"
        guard !name.contains("/") else { throw UsageError("\"\(keyID)\" is no identifier of a key.") }
        let folders = keyFolders
        for folder in folders where FileDescriptor.currentDirectory.exists(at: folder.appending(name)) {
            return try read(folder.appending(name))
        }
        throw CommandError(
            "file.notFound",
            "There is no private key: no --key, no APP_STORE_CONNECT_PRIVATE_KEY, and no \(name) in "
                + folders.map(\.string).joined(separator: ", ") + ".")
    }

    private var keyFolders: [FilePath] {
        var folders = [context.resolve("private_keys")]
        if let folder = context.environment["API_PRIVATE_KEYS_DIR"], !folder.isEmpty {
            folders.insert(context.resolve(folder), at: 0)
        }
        guard let home = context.environment["HOME"], !home.isEmpty else { return folders }
        for name in ["private_keys", ".private_keys", ".appstoreconnect/private_keys"] {
            folders.append(FilePath(home).appending(name))
        }
        return folders
    }

    private func read(_ file: FilePath) throws -> [UInt8] {
        do {
            return try File.read(file, limit: 1 << 20)
        } catch {
            throw CommandError(
                Errno.noSuchFileOrDirectory ~= error ? "file.notFound" : "file",
                "The private key \(file) could not be read.", cause: error)
        }
    }
}
