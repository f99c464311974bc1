// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import HostingModel
internal import Kit
internal import System

extension HostCommands {
    static let keys = Command(
        "keys", summary: "Make, list and revoke the keys that publishers sign their requests with",
        examples: [.init("larder-host keys create CI --role DEVELOPER", "makes a key for a machine that uploads")],
        subcommands: [createKey, listKeys, revokeKey])

    private static let createKey = Command(
        "create", summary: "Make a key",
        discussion: """
            The private key goes to a file that only its owner can read; the host keeps the public half. Whoever has the file, \
            the key's identifier and the issuer can use the host as App Store Connect's tools use Apple's.

            An ADMIN may do everything; an APP_MANAGER all but review; a DEVELOPER uploads and reads; a REVIEWER decides about \
            submissions and reads.
            """,
        examples: [
            .init("larder-host keys create CI --role DEVELOPER --app com.example.coast", "makes a key for one app")
        ],
        options: [
            data, database,
            .value(
                "role", "role", "ADMIN, APP_MANAGER, DEVELOPER or REVIEWER.", default: Role.developer.rawValue,
                completion: .choices(Role.names)),
            .repeatable("app", "bundle id", "Only for this app, and others that are given likewise."),
            .value(
                "out", short: "o", "file", "Where the private key goes; AuthKey_<id>.p8 by default.", completion: .file),
            .json,
        ],
        arguments: [CommandArgument("name", "What the key is for, for people.")]
    ) { arguments, context in
        let name = try arguments.requiredArgument("name")
        let words = try arguments.choice("role", of: Role.names)
        let role = words.flatMap(Role.init(rawValue:)) ?? .developer
        let apps = arguments.values("app")
        if let out = arguments.path("out").map({ context.resolve($0) }), FileDescriptor.currentDirectory.exists(at: out)
        {
            throw HostingError(.exists, "There is a file \(out) already. Name another with --out; no key was made.")
        }
        return try await administer(arguments, context) { host in
            let (key, privateKey) = try await host.createKey(name: name, role: role, apps: apps.isEmpty ? nil : apps)
            let file = context.resolve(arguments.path("out") ?? FilePath("AuthKey_\(key.id).p8"))
            do {
                try await offload {
                    var new = try NewFile(at: file, permissions: .filePrivate)
                    try privateKey.withUnsafeBytes { try new.descriptor.writeFully($0) }
                    try new.publish()
                }
            } catch {
                try await host.revokeKey(key.id)
                throw HostingError(
                    .storage, "The private key could not be written to \(file), so the key was revoked again.",
                    cause: error)
            }
            let issuer = try await host.issuer()
            if context.json {
                context.print(json: [
                    "id": .string(key.id), "issuer": .string(issuer), "role": .string(role.rawValue),
                    "file": .string(file.string),
                ])
            } else {
                context.print("Key:    \(key.id)")
                context.print("Issuer: \(issuer)")
                context.print("Role:   \(role.rawValue)")
                context.print("File:   \(file)")
            }
        }
    }

    private static let listKeys = Command(
        "list", summary: "List the keys",
        examples: [.init("larder-host keys list", "shows all keys, revoked ones too")],
        options: [data, database, .json]
    ) { arguments, context in
        try await administer(arguments, context) { host in
            let keys = try await host.keys()
            let issuer = try await host.issuer()
            if context.json {
                for key in keys { context.print(json: json(key, issuer)) }
                return
            }
            var table = TextTable(["id", "name", "role", "apps", "made", "revoked"].map { ($0, .leading) })
            for key in keys {
                table.add([
                    key.id, key.name, key.role.rawValue, key.apps?.joined(separator: ", ") ?? "all", key.createdDate,
                    key.revokedDate ?? "",
                ])
            }
            context.print(table.text)
            context.print("Issuer of all: \(issuer)")
        }
    }

    private static func json(_ key: HostAdministration.Key, _ issuer: String) -> JSONValue {
        [
            "id": .string(key.id), "issuer": .string(issuer), "name": .string(key.name),
            "role": .string(key.role.rawValue),
            "apps": key.apps.map { .array($0.map { .string($0) }) } ?? .null, "createdDate": .string(key.createdDate),
            "revokedDate": key.revokedDate.map { .string($0) } ?? .null,
        ]
    }

    private static let revokeKey = Command(
        "revoke", summary: "Make a key useless from now on",
        examples: [.init("larder-host keys revoke 2X9R4HXF34", "takes back the key of a machine that is gone")],
        options: [data, database],
        arguments: [CommandArgument("id", "The key's identifier.")]
    ) { arguments, context in
        let id = try arguments.requiredArgument("id")
        return try await administer(arguments, context) { host in
            try await host.revokeKey(id)
            context.print("Revoked \(id).")
        }
    }
}
