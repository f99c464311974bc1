// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import AssetPacks
import Crypto
import Kit
import PackUpdates
import System

extension PackCommands {
    private static let shownFiles = 10

    static let diff = Command(
        "diff", summary: "Show what an update would cost",
        discussion: """
            Compares two versions of a pack and says how much a device that has the old one fetches for the new one: by patch, \
            if there is one, by the blocks that changed, or whole; and which files cost most. Files that differ in nothing but \
            times embedded in PNG, zip and gzip files are counted: 'package --normalize' makes them the same.
            """,
        examples: [
            .init("ba-package diff old/Tutorial.aar Tutorial.aar", "shows the cost before publishing"),
            .init(
                "ba-package diff old/T.aar T.aar --patch T.from-3.patch --json", "tells it to a script, with a patch"),
        ],
        options: [
            .value("patch", "file", "A patch from the old version to the new one.", completion: .file),
            .json, PackSupport.quiet,
        ],
        arguments: PackSupport.versionArguments
    ) { arguments, context in
        let old = context.resolve(try arguments.requiredArgument("old"))
        let new = context.resolve(try arguments.requiredArgument("new"))
        let patch = arguments.path("patch").map { context.resolve($0) }
        let isQuiet = arguments.flag("quiet") || !context.isTerminal
        let bar = ProgressBar(context)
        defer { bar.clear() }
        let (difference, patchSize) = try await offloadCancellable { isCancelled in
            let patchSize = try patch.map { try size(ofPatch: $0) }
            func index(_ path: FilePath) throws -> PackIndex {
                try PackIndex.make(ofArchive: path, isCancelled: isCancelled) { completed, total in
                    if !isQuiet { bar.update(phase: "Reading \(path)", completed: completed, total: total) }
                }
            }
            var difference = PackDifference(from: try index(old), to: try index(new), patchSize: patchSize)
            let paths = difference.changedPaths
            if !paths.isEmpty { difference.compareStamps(try stamps(old, paths), try stamps(new, paths)) }
            return (difference, patchSize)
        }
        bar.clear()
        if context.json {
            context.print(json: json(difference, patchSize))
        } else {
            context.standardOutput.write(text(difference, patchSize))
        }
        return .success
    }

    private static func size(ofPatch path: FilePath) throws -> Int64 {
        do {
            return try FileDescriptor.currentDirectory.status(at: path, followingLinks: true).size
        } catch {
            throw AssetPackError(.notFound, "There is no patch at \"\(path)\".")
        }
    }

    private static func stamps(_ path: FilePath, _ paths: Set<String>) throws -> [String: Digest] {
        let survey = StampSurvey(paths: paths)
        let file = try PackInspector.open(path)
        try ArchiveExtraction.read(file.borrowed, into: survey)
        return survey.digests
    }

    private static func text(_ difference: PackDifference, _ patchSize: Int64?) -> String {
        func bytes(_ count: Int64) -> String { ByteCount.formatted(count) }
        let (blocks, whole) = (difference.blocks, difference.whole)
        var lines: [String] = []
        if let patchSize { lines.append("patch   \(bytes(patchSize))") }
        let requests = PackSupport.count(blocks.requests, "request")
        lines.append("blocks  \(bytes(blocks.bytesToFetch)) in \(requests), \(bytes(blocks.bytesToWrite)) written")
        lines.append("whole   \(bytes(whole.bytesToFetch))")
        lines.append("A device would take: \(difference.best.method.rawValue).")
        func count(_ change: PackDifference.Change) -> Int { difference.files.count { $0.change == change } }
        lines.append(
            "\(PackSupport.count(difference.unchangedCount, "file")) unchanged, \(count(.changed)) changed, "
                + "\(count(.added)) added, \(count(.moved)) moved, \(count(.removed)) removed")
        let costly = difference.files.filter { $0.blockBytes > 0 }
        if !costly.isEmpty {
            lines.append("")
            lines.append("What costs most, in blocks:")
            for file in costly.prefix(shownFiles) {
                let stamps = file.hasOnlyOtherStamps ? ", only times differ" : ""
                lines.append(
                    "  \(bytes(file.blockBytes))  \(PackSupport.printable(file.path)) (\(file.change.rawValue), "
                        + "\(bytes(file.size))\(stamps))")
            }
            if costly.count > shownFiles { lines.append("  and \(costly.count - shownFiles) more") }
        }
        let stamped = difference.files.count(where: \.hasOnlyOtherStamps)
        if stamped > 0 {
            lines.append("")
            lines.append(
                "\(PackSupport.count(stamped, "file")) of these differ only in embedded times; 'ba-package package --normalize' "
                    + "leaves the times out.")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func json(_ difference: PackDifference, _ patchSize: Int64?) -> JSONValue {
        func plan(_ plan: UpdatePlan) -> JSONValue {
            [
                "bytesToFetch": .integer(plan.bytesToFetch), "requests": .integer(Int64(plan.requests)),
                "bytesToWrite": .integer(plan.bytesToWrite),
            ]
        }
        var methods: [String: JSONValue] = ["blocks": plan(difference.blocks), "whole": plan(difference.whole)]
        methods["patch"] = patchSize.map { ["bytesToFetch": .integer($0), "requests": 1] }
        return [
            "methods": .object(methods), "best": .string(difference.best.method.rawValue),
            "unchangedFiles": .integer(Int64(difference.unchangedCount)),
            "onlyStampsDiffer": .integer(Int64(difference.files.count(where: \.hasOnlyOtherStamps))),
            "files": .array(
                difference.files.map { file in
                    [
                        "path": .string(file.path), "change": .string(file.change.rawValue),
                        "size": .integer(file.size),
                        "blockBytes": .integer(file.blockBytes), "onlyStampsDiffer": .bool(file.hasOnlyOtherStamps),
                    ]
                }),
        ]
    }
}
