// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Kit
import PackUpdates
import System

extension PackCommands {
    static let verify = Command(
        "verify", summary: "Check that packs are sound",
        discussion: """
            Decodes every byte, checks the pack manifest, paths, links and limits, and compares with a download manifest what \
            that promises: sizes, digest, number of files, policy, language and userInfo. An archive \
            has no checksums of its own: without a download manifest or an index, bytes that changed inside a file may pass.

            Where the pack's index lies beside it, the archive must be the one it describes, to the last digest. \
            `larder verify` is another command: it checks the packs that are local on this device.
            """,
        examples: [
            .init("ba-package verify Tutorial.aar", "checks one pack"),
            .init("ba-package verify *.aar --manifest iOS.json", "checks packs against what the server will promise"),
        ],
        options: [
            .value(
                "manifest", short: "m", "file.json", "The download manifest that lists the packs.", completion: .file),
            .json, PackSupport.quiet,
        ],
        arguments: [CommandArgument("packs", "The packs, as .aar files.", isRepeating: true, completion: .file)]
    ) { arguments, context in
        let isQuiet = arguments.flag("quiet")
        let manifest = try await offloadCancellable { _ in
            try arguments.path("manifest").map { try DownloadManifest.read(context.resolve($0)) }
        }
        let bar = PackProgress(arguments, context)
        defer { bar.clear() }
        var worst = ExitCode.success
        for name in arguments.arguments("packs") {
            do {
                let (pack, index) = try await check(context.resolve(name), name, against: manifest, bar)
                bar.clear()
                if context.json {
                    context.print(json: json(pack, name, hasIndex: index != nil))
                } else if !isQuiet {
                    let amount = PackSupport.amount(
                        files: pack.fileCount, links: pack.linkCount, bytes: pack.installedSize)
                    context.print(
                        "\(name): sound; \(pack.manifest.assetPackID), \(amount), "
                            + "sha256-tree-1m \(pack.digest)\(index == nil ? "" : "; its index fits")")
                    PackSupport.show(pack.warnings.map { "\(name): \($0)" }, context)
                }
            } catch let error as any LarderError {
                bar.clear()
                if worst == .success { worst = error.exitCode }
                if context.json {
                    context.print(json: [
                        "archive": .string(name), "sound": false,
                        "error": ["code": .string(error.codeName), "message": .string(error.description)],
                    ])
                }
                context.note("\(context.programName): \(PackSupport.printable(error.description))")
            }
        }
        return worst
    }

    private static func check(
        _ path: FilePath, _ name: String, against manifest: DownloadManifest?, _ bar: PackProgress
    ) async throws -> (pack: PackContents, index: PackIndex.Published?) {
        let (pack, found) = try await offloadCancellable { isCancelled in
            try PackIndex.inspect(path, isCancelled: isCancelled, progress: bar.updates("Checking", path))
        }
        guard let manifest else { return (pack, try found.get()) }
        guard let entry = manifest[pack.manifest.assetPackID] else {
            throw AssetPackError(
                .verification, "\(name): the download manifest does not list the pack \"\(pack.manifest.assetPackID)\"."
            )
        }
        var differences = PackVerification.differences(of: pack, from: entry)
        let index: PackIndex.Published?
        do {
            index = try found.get()
        } catch let error as PackUpdateError where !differences.isEmpty {
            // It is the archive that is another: what is wrong with its index comes of that.
            guard error.code == .mismatch else { throw error }
            index = nil
            differences.append("nor is it the archive of the index beside it; restore it, or list it anew")
        }
        if let index, let listed = entry.larder?.index {
            if index.sha256 != listed.sha256 {
                differences.append("the index beside it is not the one that the download manifest lists")
            } else if listed.size != Int64(index.bytes.count) {
                differences.append(
                    "the size that the download manifest lists for the index is not that of the one beside it")
            } else if let front = listed.front, front != index.front {
                differences.append("the front that the download manifest lists is not that of the index beside it")
            }
        }
        differences += try await offload { try patchDifferences(path, entry) }
        guard differences.isEmpty else {
            throw AssetPackError(.verification, "\(name): \(differences.joined(separator: "; ")).")
        }
        return (pack, index)
    }

    /// Which of the patches, and of the lists beside them, are not what is listed; those that lie elsewhere are not looked at.
    private static func patchDifferences(_ archive: FilePath, _ entry: DownloadManifestPack) throws -> [String] {
        let here = FileDescriptor.currentDirectory
        return try (entry.larder?.patches ?? []).flatMap { listed in
            var differences: [String] = []
            let path = PatchTable.path(besideArchive: archive, from: listed.from)
            let version = PatchHistory.Version(number: listed.from, digest: listed.base)
            if here.exists(at: path) {
                let file = try PatchTable.listing(path, from: version, packURL: entry.url).file
                if (file.size, file.sha256) != (listed.file.size, listed.file.sha256) {
                    differences.append("\(path) is not the patch that the download manifest lists")
                }
            }
            let list = PackList.path(besidePatch: path)
            if let file = listed.list, here.exists(at: list) {
                let there = PackList.published(besidePatch: path)
                if there?.sha256 != file.sha256 || there?.bytes.count != Int(exactly: file.size) {
                    differences.append("\(list) is not the list that the download manifest lists")
                }
            }
            return differences
        }
    }

    private static func json(_ pack: PackContents, _ name: String, hasIndex: Bool) -> JSONValue {
        [
            "archive": .string(name), "sound": true, "assetPackID": .string(pack.manifest.assetPackID),
            "archiveSize": .integer(pack.archiveSize), "installedSize": .integer(pack.installedSize),
            "fileCount": .integer(Int64(pack.fileCount)), "linkCount": .integer(Int64(pack.linkCount)),
            "hasIndex": .bool(hasIndex),
            "digest": ["algorithm": "sha256-tree-1m", "value": .string(pack.digest)],
            "warnings": .array(pack.warnings.map { .string($0) }),
        ]
    }
}
