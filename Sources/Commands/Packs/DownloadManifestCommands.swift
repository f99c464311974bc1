// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Kit
import PackUpdates
import System

extension PackCommands {
    static let downloadManifest = Command(
        "download-manifest", summary: "Make or update the manifest that a server offers",
        discussion: """
            The manifest of a self-hosted app lists its packs for one platform. Publish archives first and the manifest last: \
            devices fetch a pack again when its version rises. Beside Apple's keys each pack gets a "larder" object with the \
            archive's digest, installed size and number of files, which Apple's devices pass over. An index that lies beside an \
            archive is listed there, too; publish it under the pack's URL and ".index".
            """,
        examples: [
            .init(
                "ba-package download-manifest create A.aar --ios --download-base-url https://cdn.example.com/packs",
                "prints a manifest of one pack")
        ],
        subcommands: [create, update])

    private static let platformOptions = AssetPackPlatform.allCases.map {
        CommandOption.flag($0.optionName, "The manifest is for \($0.rawValue).")
    }

    private static func platform(_ arguments: ParsedArguments) throws -> AssetPackPlatform {
        let chosen = AssetPackPlatform.allCases.filter { arguments.flag($0.optionName) }
        let names = AssetPackPlatform.allCases.map { "--\($0.optionName)" }.joined(separator: ", ")
        guard let platform = chosen.first else { throw UsageError("A platform is missing: give one of \(names).") }
        guard chosen.count == 1 else {
            throw UsageError("A download manifest is for one platform: give only one of \(names).")
        }
        return platform
    }

    private static func inspect(
        _ names: [String], _ context: CommandContext, isQuiet: Bool, patches: DownloadManifestPatches?
    ) async throws -> (packs: [PackContents], updates: [String: UpdateListing]) {
        let bar = ProgressBar(context)
        defer { bar.clear() }
        return try await offloadCancellable { isCancelled in
            var packs: [PackContents] = []
            var updates: [String: UpdateListing] = [:]
            for name in names {
                let path = context.resolve(name)
                let pack = try PackInspector.inspect(path, isCancelled: isCancelled) { completed, total in
                    if !isQuiet, context.isTerminal {
                        bar.update(phase: "Reading \(PackSupport.printable(name))", completed: completed, total: total)
                    }
                }
                packs.append(pack)
                var listing = UpdateListing(index: try PackIndex.published(besideArchive: path, of: pack)?.listing)
                if listing.index == nil, patches != nil {
                    context.note("warning: no patches of \(name), which has no index; make it with 'ba-package index'.")
                } else if let patches {
                    listing.patches = try patches.make(for: pack, at: path, isCancelled: isCancelled) {
                        completed, total in
                        if !isQuiet, context.isTerminal {
                            let phase = "Comparing \(PackSupport.printable(name))"
                            bar.update(phase: phase, completed: completed, total: total)
                        }
                    } note: {
                        context.note($0)
                    }
                }
                updates[pack.manifest.assetPackID] = listing
            }
            return (packs, updates)
        }
    }

    private static let create = Command(
        "create", summary: "Make a download manifest of packs",
        discussion: "A pack's URL is the base URL and the pack's identifier, without an extension.",
        examples: [
            .init(
                "ba-package download-manifest create A.aar B.aar --asset-pack-versions 3 5 --ios "
                    + "--download-base-url https://cdn.example.com/packs -o iOS.json",
                "makes iOS.json with A in version 3 and B in version 5")
        ],
        options: [
            .upToNextOption(
                "asset-pack-versions", "number", "The packs' versions, in their order. Without it, 0 each."),
            .value("download-base-url", "url", "Where the archives will be."),
            .value(
                "primary-language", "tag",
                "What people get whose languages no pack has, as a BCP 47 tag; 'update' keeps it."),
            DownloadManifestPatches.countOption, DownloadManifestPatches.folderOption,
            .value(
                "old-manifest", "file.json",
                "The manifest so far, for --patches-from: it says what versions there were.",
                completion: .file),
        ] + platformOptions + [
            .value(
                PackSupport.outputOption, short: "o", "file", "Where to write it; nothing is overwritten.",
                completion: .file),
            PackSupport.quiet,
        ],
        arguments: [CommandArgument("packs", "The packs, as .aar files.", isRepeating: true, completion: .file)]
    ) { arguments, context in
        let platform = try platform(arguments)
        let builder = try DownloadManifestBuilder(
            platform: platform, baseURL: try arguments.required("download-base-url"))
        let versions = try arguments.values("asset-pack-versions").map { text in
            guard let version = Int(text), (0..<Int.max).contains(version) else {
                throw UsageError("--asset-pack-versions needs whole numbers from 0 on, not \"\(text)\".")
            }
            return version
        }
        let names = arguments.arguments("packs")
        let output = arguments.value(PackSupport.outputOption).map { context.resolve($0) }
        if let output { try PackSupport.requireAbsent(output) }
        guard versions.isEmpty || versions.count == names.count else {
            throw UsageError(
                "--asset-pack-versions has \(PackSupport.count(versions.count, "number")) for "
                    + "\(PackSupport.count(names.count, "pack")); give one for each pack, in order.")
        }
        let isQuiet = arguments.flag("quiet")
        let patches = try await offload {
            try DownloadManifestPatches(arguments, context) {
                guard let old = arguments.value("old-manifest").map({ context.resolve($0) }) else { return nil }
                return (try DownloadManifest.read(old), old)
            }
        }
        let (packs, updates) = try await inspect(names, context, isQuiet: isQuiet, patches: patches)
        let manifest = try builder.create(
            packs, versions: versions, primaryLanguage: arguments.value("primary-language"), updates: updates)
        guard let output else {
            context.standardOutput.write(String(decoding: manifest.serialized, as: UTF8.self))
            return .success
        }
        try await offload { try NewOutput.write(manifest.serialized, to: output) }
        if !isQuiet { context.print("\(output): \(PackSupport.count(packs.count, "pack")) for \(platform.rawValue)") }
        return .success
    }

    private static let update = Command(
        "update", summary: "Raise the versions of packs in a download manifest",
        discussion: """
            Exactly the packs that are given get their next version and what their archives say; a pack that is new is added \
            with version 0. Everything else in the manifest stays. Without a base URL the packs keep their URLs. Signatures go, \
            because they are for what the manifest was; `ba-package sign` makes new ones.
            """,
        examples: [
            .init(
                "ba-package download-manifest update iOS.json --asset-pack-paths B.aar --ios "
                    + "--download-base-url https://cdn.example.com/packs",
                "raises B's version in iOS.json"),
            .init(
                "ba-package download-manifest update iOS.json --asset-pack-paths B.aar --ios --patches-from 2 "
                    + "--old-archives published",
                "does so with patches from B's last two versions"),
        ],
        options: [
            .repeatable("asset-pack-paths", "file.aar", "A pack to update.", completion: .file),
            .value("download-base-url", "url", "Where the archives are."),
            DownloadManifestPatches.countOption, DownloadManifestPatches.folderOption,
        ] + platformOptions + [
            .value(
                PackSupport.outputOption, short: "o", "file",
                "Where to write it, instead of replacing the manifest; nothing else is "
                    + "overwritten.", completion: .file),
            PackSupport.quiet,
        ],
        arguments: [CommandArgument("manifest", "The download manifest, a .json file.", completion: .file)]
    ) { arguments, context in
        let path = try PackSupport.manifestPath(arguments, context)
        let builder = try DownloadManifestBuilder(
            platform: try platform(arguments), baseURL: arguments.value("download-base-url"))
        let names = arguments.values("asset-pack-paths")
        guard !names.isEmpty else { throw UsageError("No pack to update: give --asset-pack-paths <file.aar>.") }
        let isQuiet = arguments.flag("quiet")
        let manifest = try await offloadCancellable { _ in try DownloadManifest.read(path) }
        let patches = try DownloadManifestPatches(arguments, context) { (manifest, path) }
        let (packs, updates) = try await inspect(names, context, isQuiet: isQuiet, patches: patches)
        let update = try builder.update(manifest, with: packs, updates: updates)
        var changed = update.manifest
        if changed.dropSignatures() {
            context.note("note: the manifest has changed and its signatures are gone; sign it with `ba-package sign`.")
        }
        let output = arguments.value(PackSupport.outputOption).map { context.resolve($0) }
        let bytes = changed.serialized
        try await offload {
            if let output, output != path {
                try NewOutput.write(bytes, to: output)
            } else {
                try NewOutput.replace(bytes, at: path)
            }
        }
        if !isQuiet {
            for change in update.changes {
                let before = change.from.map { "version \($0)" } ?? "new"
                context.print("\(change.id): \(before) -> \(change.to)")
            }
        }
        return .success
    }
}
