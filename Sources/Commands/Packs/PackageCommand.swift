// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import AssetPacks
import Kit
import PackUpdates
import System

extension PackCommands {
    static let package = Command(
        "package", summary: "Pack the files that a manifest selects",
        discussion: """
            Selectors look below the manifest's "sourceRoot", which is relative to the manifest; without one, below the working \
            directory. The same files give the same archive, byte for byte, whatever their times and owners. The archive \
            appears when it is complete; nothing is overwritten.

            Beside the archive goes its index, under the archive's name and ".index": what is where in it, so that devices \
            fetch only what changed when a pack is updated. Publish both.
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
            PackSupport.compressionOption, PackSupport.packBlockSizeOption,
            .flag(
                "normalize",
                "Take the times out of PNG, zip and gzip files that note when they were made, so that a rebuilt file that is "
                    + "otherwise the same is no change."),
            PackSupport.noIndexOption, PackSupport.quiet,
        ],
        arguments: [CommandArgument("manifest", "The pack manifest, a .json file.", completion: .file)]
    ) { arguments, context in
        let output = try PackSupport.archiveOutput(arguments)
        let blockSize = try ByteSize.value("block-size", arguments, in: ArchiveWriter.blockSizes)
        let compression = arguments.value("compression").flatMap { Compression(rawValue: $0) }
        let isQuiet = arguments.flag("quiet")
        let bar = PackProgress(arguments, context)
        defer { bar.clear() }
        let wantsIndex = !arguments.flag(PackSupport.noIndex)
        let (evaluation, result, index) = try await offloadCancellable { isCancelled in
            let evaluation = try PackSupport.evaluate(arguments, context)
            if !isQuiet { PackSupport.show(evaluation.warnings.map(\.message), context) }
            var packager = Packager(evaluation)
            packager.compression = compression ?? packager.compression
            packager.blockSize = blockSize
            packager.normalizesContent = arguments.flag("normalize")
            let phase = "Packing \(evaluation.manifest.assetPackID)"
            let (result, index) = try write(
                packager, to: context.resolve(output), withIndex: wantsIndex, isCancelled: isCancelled
            ) { bar.update(phase, $0.completed, of: $0.total) }
            return (evaluation, result, index)
        }
        bar.clear()
        if !isQuiet {
            let selection = evaluation.selection
            let amount = PackSupport.amount(
                files: selection.fileCount, links: selection.linkCount, bytes: selection.totalSize)
            context.print(
                "\(output): \(evaluation.manifest.assetPackID), \(amount), packed to \(ByteCount.formatted(result.archiveSize))"
            )
            switch index {
            case .written(let index):
                context.print("\(output)\(PackIndex.fileSuffix): \(ByteCount.formatted(index.size))")
            case .impossible(let reason): PackSupport.show([reason], context)
            case nil: break
            }
        }
        return .success
    }

    private static func write(
        _ packager: Packager, to path: FilePath, withIndex: Bool, isCancelled: @escaping () -> Bool,
        progress: @escaping (Packager.Progress) -> Void
    ) throws -> (Packager.Result, Packager.IndexOutcome?) {
        guard withIndex else {
            return (try packager.package(to: path, isCancelled: isCancelled, progress: progress), nil)
        }
        let indexed = try packager.packageWithIndex(to: path, isCancelled: isCancelled, progress: progress)
        return (indexed.result, indexed.index)
    }
}
