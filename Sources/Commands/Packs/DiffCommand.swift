// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Kit
import PackUpdates
import System

extension PackCommands {
    static let diff = Command(
        "diff", summary: "Show what an update would cost",
        discussion: """
            Compares two versions of a pack and says how much a device that has the old one fetches for the new one: by patch, \
            by the blocks that changed, or whole; and which files cost most. Files that differ in nothing but \
            times embedded in PNG, zip and gzip files are counted: 'package --normalize' makes them the same. Where the new version, packed in \
            another way, would take a quarter less without a patch, that way is told. The indexes beside \
            the archives are used when they fit; without them the archives are read.
            """,
        examples: [
            .init("ba-package diff old/Tutorial.aar Tutorial.aar", "shows the cost before publishing"),
            .init("ba-package diff old/T.aar T.aar --make-patch", "shows also what a patch would be"),
            .init(
                "ba-package diff old/T.aar T.aar --patch T.from-3.patch --json", "tells it to a script, with a patch"),
        ],
        options: [
            .value("patch", "file", "The patch from the old version to the new one.", completion: .file),
            .flag("make-patch", "Make a patch to see what it costs, which takes a while, and drop it."), .json,
            PackSupport.quiet,
        ],
        arguments: PackSupport.versionArguments
    ) { arguments, context in
        let oldPath = context.resolve(try arguments.requiredArgument("old"))
        let newPath = context.resolve(try arguments.requiredArgument("new"))
        let patchPath = arguments.path("patch").map { context.resolve($0) }
        let makesPatch = arguments.flag("make-patch")
        guard patchPath == nil || !makesPatch else { throw UsageError("Give --patch or --make-patch, not both.") }
        let bar = PackProgress(arguments, context)
        defer { bar.clear() }
        let difference = try await offloadCancellable { isCancelled in
            func version(_ path: FilePath) throws -> PatchVersion {
                try PatchVersion.examined(
                    archive: path, isCancelled: isCancelled, progress: bar.updates("Reading", path)
                ) { bar.note($0, context) }
            }
            let (old, new) = (try version(oldPath), try version(newPath))
            var patch = try patchPath.map { try PatchTable.facts($0, from: old, to: new) }
            if makesPatch {
                let folder = try TemporaryDirectory(prefix: "larder-diff")
                let path = folder.path.appending("patch")
                _ = try PatchMaker.make(
                    from: old, to: new, at: path, isCancelled: isCancelled, progress: bar.updates("Comparing"))
                patch = try PatchTable.facts(path, from: old, to: new)
            }
            var difference = PackDifference(from: old.index, to: new.index, patch: patch)
            difference.advice = try PackingAdvice.find(
                from: old.index, to: new, fetched: difference.blocks.bytesToFetch, isCancelled: isCancelled)
            let paths = difference.changedPaths
            difference.compareStamps(
                try StampSurvey.digests(of: paths, in: old, isCancelled: isCancelled),
                try StampSurvey.digests(of: paths, in: new, isCancelled: isCancelled))
            return difference
        }
        bar.clear()
        if context.json {
            context.print(json: difference.json)
        } else if !arguments.flag("quiet") {
            context.standardOutput.write(difference.text)
        }
        return .success
    }
}

extension PackDifference {
    private static let shownFiles = 10

    /// What a person reads.
    fileprivate var text: String {
        func bytes(_ count: Int64) -> String { ByteCount.formatted(count) }
        func line(_ plan: UpdatePlan, _ more: Int64 = 0) -> String {
            "\(bytes(plan.bytesToFetch + more)) in \(PackSupport.count(plan.requests, "request")), "
                + "\(bytes(plan.bytesToWrite)) written"
        }
        var lines = [
            "patch   " + (patch.map { line($0, patchHeadSize) } ?? "none given; --make-patch shows what one would be"),
            "blocks  " + line(blocks), "whole   " + line(whole), summary,
        ]
        func count(_ change: Change) -> Int { files.count { $0.change == change } }
        lines.append(
            "\(PackSupport.count(unchangedCount, "file")) unchanged, \(count(.changed)) changed, "
                + "\(count(.added)) added, \(count(.moved)) moved, \(count(.removed)) removed")
        if let advice {
            lines += [
                "",
                "Packed with --compression \(advice.compression.rawValue) --block-size \(advice.blockSize >> 10)k it would take "
                    + "about \(bytes(advice.bytesToFetch)) in blocks.\(advice.caution)",
            ]
        }
        let usesPatch = best.patch != nil
        let costly = files.filter { $0.bytes(withPatch: usesPatch) > 0 }
        if !costly.isEmpty {
            lines += ["", "What costs most, \(usesPatch ? "by patch" : "in blocks"):"]
            for file in costly.prefix(Self.shownFiles) {
                let stamps = file.hasOnlyOtherStamps ? ", only times differ" : ""
                lines.append(
                    "  \(bytes(file.bytes(withPatch: usesPatch)))  \(PackSupport.printable(file.path)) "
                        + "(\(file.change.rawValue), \(bytes(file.size))\(stamps))")
            }
            if costly.count > Self.shownFiles { lines.append("  and \(costly.count - Self.shownFiles) more") }
        }
        let stamped = files.count(where: \.hasOnlyOtherStamps)
        if stamped > 0 {
            lines += [
                "",
                "\(PackSupport.count(stamped, "file")) of these \(stamped == 1 ? "differs" : "differ") only in embedded times; "
                    + "'ba-package package --normalize' leaves the times out.",
            ]
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private var summary: String {
        switch best.method {
        case .nothing: "A device would fetch nothing: it has all of it."
        case .patch: "A device would take: the patch."
        case .patchAndBlocks: "A device would take: the patch, and blocks."
        case .blocks: "A device would take: blocks."
        case .whole: "A device would take: the whole archive."
        }
    }

    fileprivate var json: JSONValue {
        func members(_ plan: UpdatePlan, _ more: Int64 = 0) -> JSONValue {
            [
                "bytesToFetch": .integer(plan.bytesToFetch + more), "requests": .integer(Int64(plan.requests)),
                "bytesToWrite": .integer(plan.bytesToWrite),
            ]
        }
        var methods: [String: JSONValue] = ["blocks": members(blocks), "whole": members(whole)]
        methods["patch"] = patch.map { members($0, patchHeadSize) }
        var all: [String: JSONValue] = [
            "methods": .object(methods), "best": .string(best.method.rawValue),
            "unchangedFiles": .integer(Int64(unchangedCount)),
            "onlyStampsDiffer": .integer(Int64(files.count(where: \.hasOnlyOtherStamps))),
            "files": .array(
                files.map { file in
                    var members: [String: JSONValue] = [
                        "path": .string(file.path), "change": .string(file.change.rawValue),
                        "size": .integer(file.size), "blockBytes": .integer(file.blockBytes),
                        "onlyStampsDiffer": .bool(file.hasOnlyOtherStamps),
                    ]
                    members["patchBytes"] = file.patchBytes.map { .integer($0) }
                    return .object(members)
                }),
        ]
        all["advice"] = advice.map { advice in
            [
                "compression": .string(advice.compression.rawValue), "blockSize": .integer(Int64(advice.blockSize)),
                "bytesToFetch": .integer(advice.bytesToFetch),
            ]
        }
        return .object(all)
    }
}

extension PackingAdvice {
    fileprivate var caution: String {
        compression == .lzma ? " LZMA takes several times as long to pack and to unpack as LZFSE." : ""
    }
}
