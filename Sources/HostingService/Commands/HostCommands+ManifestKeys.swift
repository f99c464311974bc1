// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import AssetPacks
internal import Kit
internal import System

extension HostCommands {
    static let manifestKeys = Command(
        "manifest-keys", summary: "Have installed apps follow a change of the keys that sign manifests",
        discussion: """
            A host that serves with --manifest-key signs what devices get. The first keys of an app are in its Info.plist; sets of keys \
            that followed, made with 'ba-package keys rotate', are served with its manifests.
            """,
        examples: [
            .init("larder-host manifest-keys set com.example.coast Linux.json", "serves the sets of keys in Linux.json")
        ],
        subcommands: [setManifestKeys, showManifestKeys])

    private static let bundleID = CommandArgument("bundle-id", "The app's bundle identifier.")

    private static let setManifestKeys = Command(
        "set", summary: "Serve the sets of keys that a manifest brings",
        discussion: "Devices see them with the next manifest. Then serve with a --manifest-key of the newest set.",
        examples: [
            .init("larder-host manifest-keys set com.example.coast Linux.json", "serves the sets of keys in Linux.json")
        ],
        options: [data, database, .json],
        arguments: [
            bundleID, CommandArgument("manifest", "A manifest with sets of keys, a .json file.", completion: .file),
        ]
    ) { arguments, context in
        let app = try arguments.requiredArgument("bundle-id")
        let path = context.resolve(try arguments.requiredArgument("manifest"))
        let sets = try await offload {
            let bytes: [UInt8]
            do {
                bytes = try File.read(path, limit: DownloadManifest.maximumSize + 1)
            } catch {
                throw AssetPackError(.notFound, "The manifest \"\(path)\" cannot be read: \(error.clause).")
            }
            return try SignedManifest(bytes, source: path.string).keySets
        }
        guard !sets.isEmpty else {
            throw AssetPackError(
                .invalidArgument,
                "\(path) brings no sets of keys. `ba-package keys rotate` writes them into a "
                    + "manifest.")
        }
        return try await administer(arguments, context) { host in
            let version = try await host.setManifestKeys(sets, bundleID: app) ?? 0
            if context.json {
                context.print(json: ["app": .string(app), "version": .integer(version)])
            } else {
                context.print("\(app): keys of version \(version)")
            }
        }
    }

    private static let showManifestKeys = Command(
        "show", summary: "Print the sets of keys that are served with an app's manifests, as JSON",
        examples: [.init("larder-host manifest-keys show com.example.coast", "prints them, one on each line")],
        options: [data, database], arguments: [bundleID]
    ) { arguments, context in
        let app = try arguments.requiredArgument("bundle-id")
        return try await administer(arguments, context) { host in
            for set in try await host.manifestKeys(bundleID: app) { context.print(json: set) }
        }
    }
}
