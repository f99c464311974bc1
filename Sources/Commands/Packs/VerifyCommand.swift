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
        let bar = ProgressBar(context)
        defer { bar.clear() }
        var worst = ExitCode.success
        for name in arguments.arguments("packs") {
            do {
                let pack = try await check(
                    context.resolve(name), name, against: manifest, context, bar, isQuiet: isQuiet)
                bar.clear()
                if context.json {
                    context.print(json: json(pack, name))
                } else if !isQuiet {
                    let amount = PackSupport.amount(
                        files: pack.fileCount, links: pack.linkCount, bytes: pack.installedSize)
                    context.print(
                        "\(name): sound; \(pack.manifest.assetPackID), \(amount), sha256-tree-1m \(pack.digest)")
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
        _ path: FilePath, _ name: String, against manifest: DownloadManifest?, _ context: CommandContext,
        _ bar: ProgressBar, isQuiet: Bool
    ) async throws -> PackContents {
        let pack = try await offloadCancellable { isCancelled in
            try PackInspector.inspect(path, isCancelled: isCancelled) { completed, total in
                if !isQuiet, context.isTerminal {
                    bar.update(phase: "Checking \(PackSupport.printable(name))", completed: completed, total: total)
                }
            }
        }
        try await checkIndex(of: path, context, bar, isQuiet: isQuiet)
        guard let manifest else { return pack }
        guard let entry = manifest[pack.manifest.assetPackID] else {
            throw AssetPackError(
                .verification, "\(name): the download manifest does not list the pack \"\(pack.manifest.assetPackID)\"."
            )
        }
        let differences = PackVerification.differences(of: pack, from: entry)
        guard differences.isEmpty else {
            throw AssetPackError(.verification, "\(name): \(differences.joined(separator: "; ")).")
        }
        return pack
    }

    /// Holds the archive against the index beside it, if there is one.
    private static func checkIndex(
        of path: FilePath, _ context: CommandContext, _ bar: ProgressBar, isQuiet: Bool
    ) async throws {
        try await offloadCancellable { isCancelled in
            let indexPath = PackIndex.path(besideArchive: path)
            guard FileDescriptor.currentDirectory.exists(at: indexPath) else { return }
            let index = try PackIndex.read(indexPath)
            let actual = try PackIndex.make(
                ofArchive: path, chunkAverage: index.chunkAverage, isCancelled: isCancelled
            ) { completed, total in
                if !isQuiet, context.isTerminal {
                    bar.update(phase: "Checking the index", completed: completed, total: total)
                }
            }
            if let difference = index.difference(from: actual) {
                throw PackUpdateError(
                    .mismatch,
                    "\(indexPath) is not the index of the archive beside it: \(difference). Remove it, and make it again "
                        + "with 'ba-package index'.")
            }
        }
    }

    private static func json(_ pack: PackContents, _ name: String) -> JSONValue {
        [
            "archive": .string(name), "sound": true, "assetPackID": .string(pack.manifest.assetPackID),
            "archiveSize": .integer(pack.archiveSize), "installedSize": .integer(pack.installedSize),
            "fileCount": .integer(Int64(pack.fileCount)), "linkCount": .integer(Int64(pack.linkCount)),
            "digest": ["algorithm": "sha256-tree-1m", "value": .string(pack.digest)],
            "warnings": .array(pack.warnings.map { .string($0) }),
        ]
    }
}
