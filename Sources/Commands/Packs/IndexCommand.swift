// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Kit
import PackUpdates
import System

extension PackCommands {
    static let index = Command(
        "index", summary: "Make the index of a pack that has none",
        discussion: """
            The index says what is where in an archive, so that devices fetch only what changed when a pack is updated. \
            'package' writes it by itself; this is for archives that are there already, by whatever tool they were made. Packs \
            by Apple's tools can have one, too.
            """,
        examples: [.init("ba-package index Tutorial.aar", "writes Tutorial.aar.index")],
        options: [
            .value(
                PackSupport.outputOption, short: "o", "file",
                "Where the index goes, instead of beside the archive; nothing is overwritten.", completion: .file),
            .json, PackSupport.quiet,
        ],
        arguments: [CommandArgument("pack", "The pack, an .aar file.", completion: .file)]
    ) { arguments, context in
        let path = context.resolve(try arguments.requiredArgument("pack"))
        let output = arguments.value(PackSupport.outputOption).map { context.resolve($0) }
        let target = output ?? PackIndex.path(besideArchive: path)
        let bar = PackProgress(arguments, context)
        defer { bar.clear() }
        let (index, file) = try await offloadCancellable { isCancelled in
            try PackSupport.requireAbsent(target)
            let outcome = try PackIndex.write(
                ofArchive: path, to: target, isCancelled: isCancelled, progress: bar.updates("Reading", path))
            switch outcome {
            case .written(let file): return (try PackIndex.read(target), file)
            case .impossible(let reason): throw PackUpdateError(.notIndexable, reason)
            }
        }
        bar.clear()
        if context.json {
            let front: JSONValue =
                file.front.map { ["size": .integer($0.size), "sha256": .string($0.sha256)] } ?? .null
            context.print(json: [
                "index": .string(target.string), "size": .integer(file.size), "sha256": .string(file.sha256),
                "front": front,
                "archiveSize": .integer(index.archive.size), "blockSize": .integer(Int64(index.archive.blockSize)),
                "blocks": .integer(Int64(index.archive.blockCount)), "entries": .integer(Int64(index.entries.count)),
                "contents": .integer(Int64(index.contents.count)), "chunks": .integer(Int64(index.chunks.count)),
            ])
        } else if !arguments.flag("quiet") {
            let blocks = PackSupport.count(index.archive.blockCount, "block")
            let contents = PackSupport.count(index.contents.count, "content")
            context.print("\(target): \(contents) in \(blocks), \(ByteCount.formatted(file.size))")
        }
        return .success
    }
}
