// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import AssetPacks
import Kit
import System

extension PackCommands {
    static let package = Command(
        "package", summary: "Pack the files that a manifest selects",
        discussion: """
            Selectors look below the manifest's "sourceRoot", which is relative to the manifest; without one, below the working \
            directory. The same files give the same archive, byte for byte, whatever their times and owners. The archive \
            appears when it is complete; nothing is overwritten.
            """,
        examples: [
            .init("ba-package Tutorial.json -o Tutorial.aar", "packs with LZFSE, as Apple's tool does"),
            .init(
                "ba-package package Tutorial.json -o Tutorial.aar --compression lzma", "makes a smaller archive, slowly"
            ),
        ],
        options: [
            .value(
                PackSupport.outputOption, short: "o", "file.aar", "Where the archive goes; nothing is overwritten.",
                completion: .file),
            PackSupport.compressionOption, PackSupport.blockSizeOption, PackSupport.quiet,
        ],
        arguments: [CommandArgument("manifest", "The pack manifest, a .json file.", completion: .file)]
    ) { arguments, context in
        let output = try PackSupport.archiveOutput(arguments)
        let blockSize = try ByteSize.value("block-size", arguments, in: ArchiveWriter.blockSizes)
        let compression = arguments.value("compression").flatMap { Compression(rawValue: $0) }
        let isQuiet = arguments.flag("quiet")
        let bar = ProgressBar(context)
        defer { bar.clear() }
        let (evaluation, result) = try await offloadCancellable { isCancelled in
            let evaluation = try PackSupport.evaluate(arguments, context)
            if !isQuiet { PackSupport.show(evaluation.warnings.map(\.message), context) }
            var packager = Packager(evaluation)
            packager.compression = compression ?? packager.compression
            packager.blockSize = blockSize ?? packager.blockSize
            let phase = "Packing \(evaluation.manifest.assetPackID)"
            let result = try packager.package(to: context.resolve(output), isCancelled: isCancelled) { progress in
                if !isQuiet, context.isTerminal {
                    bar.update(phase: phase, completed: progress.completed, total: progress.total)
                }
            }
            return (evaluation, result)
        }
        bar.clear()
        if !isQuiet {
            let selection = evaluation.selection
            let amount = PackSupport.amount(
                files: selection.fileCount, links: selection.linkCount, bytes: selection.totalSize)
            context.print(
                "\(output): \(evaluation.manifest.assetPackID), \(amount), packed to \(ByteCount.formatted(result.archiveSize))"
            )
        }
        return .success
    }
}
