// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Kit
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

    private static func inspect(_ archives: [FilePath], _ bar: PackProgress) async throws -> [PackContents] {
        try await offloadCancellable { isCancelled in
            try archives.map {
                try PackInspector.inspect($0, isCancelled: isCancelled, progress: bar.updates("Reading", $0))
            }
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
                "The manifest so far: it says what versions there were, for --patches-from, and what is not higher is told.",
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
        let archives = arguments.arguments("packs").map { context.resolve($0) }
        let output = arguments.value(PackSupport.outputOption).map { context.resolve($0) }
        if let output { try PackSupport.requireAbsent(output) }
        guard versions.isEmpty || versions.count == archives.count else {
            throw UsageError(
                "--asset-pack-versions has \(PackSupport.count(versions.count, "number")) for "
                    + "\(PackSupport.count(archives.count, "pack")); give one for each pack, in order.")
        }
        let old = try await offload {
            try arguments.value("old-manifest").map { context.resolve($0) }.map { (try DownloadManifest.read($0), $0) }
        }
        let patches = try DownloadManifestPatches(arguments, context) { old }
        let bar = PackProgress(arguments, context)
        defer { bar.clear() }
        let packs = try await inspect(archives, bar)
        var manifest = try builder.create(
            packs, versions: versions, primaryLanguage: arguments.value("primary-language"))
        try await manifest.listUpdates(of: packs, archives, patches, bar, context)
        bar.clear()
        if let old { manifest.tellLowVersions(than: old.0, at: old.1, context) }
        guard let output else {
            context.standardOutput.write(String(decoding: manifest.serialized, as: UTF8.self))
            return .success
        }
        let bytes = manifest.serialized
        try await offload { try NewOutput.write(bytes, to: output) }
        if !arguments.flag("quiet") {
            context.print("\(output): \(PackSupport.count(packs.count, "pack")) for \(platform.rawValue)")
            manifest.tellWhatToPublish(packs, archives, context)
        }
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
            PackSupport.replacementOutput, PackSupport.quiet,
        ],
        arguments: [CommandArgument("manifest", "The download manifest, a .json file.", completion: .file)]
    ) { arguments, context in
        let path = try PackSupport.manifestPath(arguments, context)
        let builder = try DownloadManifestBuilder(
            platform: try platform(arguments), baseURL: arguments.value("download-base-url"))
        let names = arguments.values("asset-pack-paths")
        guard !names.isEmpty else { throw UsageError("No pack to update: give --asset-pack-paths <file.aar>.") }
        let archives = names.map { context.resolve($0) }
        let manifest = try await offloadCancellable { _ in try DownloadManifest.read(path) }
        let patches = try DownloadManifestPatches(arguments, context) { (manifest, path) }
        let bar = PackProgress(arguments, context)
        defer { bar.clear() }
        let packs = try await inspect(archives, bar)
        let update = try builder.update(manifest, with: packs)
        var changed = update.manifest
        try await changed.listUpdates(of: packs, archives, patches, bar, context)
        bar.clear()
        if changed.dropSignatures() {
            context.note("note: the manifest has changed and its signatures are gone; sign it with `ba-package sign`.")
        }
        try await PackSupport.write(changed.serialized, arguments, context, replacing: path)
        if !arguments.flag("quiet") {
            for change in update.changes {
                let before = change.from.map { "version \($0)" } ?? "new"
                context.print("\(change.id): \(before) -> \(change.to)")
            }
            changed.tellWhatToPublish(packs, archives, context)
        }
        return .success
    }
}
