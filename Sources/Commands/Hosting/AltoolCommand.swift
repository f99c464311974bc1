// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HostingClient
import Kit
import System

/// What Apple's `altool` does with asset packs, under its name and with its options (BA 3.7).
enum AltoolCommand {
    static let tree = Command(
        "altool", summary: "Upload asset packs to a host and look at them, as App Store Connect's tool does",
        discussion: """
            One of --upload-asset-pack, --asset-pack-status, --list-asset-packs and --list-asset-pack-versions says what is to be \
            done. --apple-id is the number that the host has given the app. The private key is looked for as AuthKey_<id>.p8 in \
            private_keys, ~/private_keys, ~/.private_keys, ~/.appstoreconnect/private_keys, and API_PRIVATE_KEYS_DIR.

            'larder upload' does the same with the app's bundle identifier.
            """,
        examples: [
            .init(
                "altool --upload-asset-pack Tutorial.aar --apple-id 1234567890 --wait --api-key K --api-issuer I",
                "uploads a new version, and waits until it was checked"),
            .init("altool --list-asset-packs --apple-id 1234567890", "lists the packs of an app"),
        ],
        options: [
            .value("upload-asset-pack", "file", "Upload this archive as a new version.", completion: .file),
            .flag(
                "asset-pack-status",
                "Show the state of a version: --asset-pack-version-id, or --apple-id, --asset-pack-identifier and --version."
            ),
            .flag("list-asset-packs", "List the packs of an app."),
            .flag("list-asset-pack-versions", "List the versions of a pack."),
            .value("apple-id", "id", "The app, by the host's number."),
            .value("asset-pack-identifier", "id", "The pack, by the identifier that its app uses."),
            .value("asset-pack-version-id", "id", "The version, by the host's identifier."),
            .value("version", "number", "The version, by its number."),
            .flag("wait", "Wait until the host has checked the pack."),
            .value("api-key", "id", "The key's identifier; APP_STORE_CONNECT_KEY_IDENTIFIER."),
            .value("api-issuer", "id", "The key's issuer; APP_STORE_CONNECT_ISSUER_ID."),
            .value("p8-file-path", "file", "The private key, when it is none of the usual places.", completion: .file),
            .value("host", "url", "The host's address; LARDER_HOST."),
            .json,
        ]
    ) { arguments, context in
        let actions = [
            arguments.value("upload-asset-pack") != nil, arguments.flag("asset-pack-status"),
            arguments.flag("list-asset-packs"), arguments.flag("list-asset-pack-versions"),
        ]
        guard actions.count(where: { $0 }) == 1 else {
            throw UsageError(
                "Say what is to be done with one of --upload-asset-pack, --asset-pack-status, --list-asset-packs and "
                    + "--list-asset-pack-versions.")
        }
        var values: [String: String] = [:]
        values["host"] = arguments.value("host")
        values["key-id"] = arguments.value("api-key")
        values["issuer"] = arguments.value("api-issuer")
        values["key"] = arguments.value("p8-file-path")
        let client = try await HostConnection(values, context).client()
        if let archive = arguments.value("upload-asset-pack") {
            return try await HostingCommands.upload(
                context.resolve(archive), to: .id(try arguments.required("apple-id")), through: client,
                waits: arguments.flag("wait"), context)
        }
        let packs = HostedPackListing(client, context)
        if arguments.flag("list-asset-packs") { return try await packs.list(of: arguments.required("apple-id")) }
        if arguments.flag("list-asset-pack-versions") {
            return try await packs.listVersions(
                of: arguments.required("asset-pack-identifier"), app: arguments.required("apple-id"))
        }
        if let id = arguments.value("asset-pack-version-id") { return try await packs.status(id) }
        return try await packs.status(
            of: arguments.required("asset-pack-identifier"), app: arguments.required("apple-id"),
            number: arguments.required("version"))
    }
}
