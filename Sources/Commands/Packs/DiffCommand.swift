// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

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
            another way, would take a tenth less without a patch, that way is told. The indexes beside \
            the archives are used when they fit; without them the archives are read. Of an archive that can have no index only what it takes whole is shown.
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
        let outcome: DiffOutcome = try await offloadCancellable { isCancelled in
            func version(_ path: FilePath) throws -> PatchVersion {
                try PatchVersion.examined(
                    archive: path, isCancelled: isCancelled, progress: bar.updates("Reading", path)
                ) { bar.note($0, context) }
            }
            func whole(_ reason: PackUpdateError, isOld: Bool) throws -> DiffOutcome {
                .whole(try .init(newPath, reason: reason.message, isMost: isOld, isCancelled: isCancelled))
            }
            let old: PatchVersion
            let new: PatchVersion
            do { new = try version(newPath) } catch let error as PackUpdateError where error.code == .notIndexable {
                return try whole(error, isOld: false)
            }
            do { old = try version(oldPath) } catch let error as PackUpdateError where error.code == .notIndexable {
                return try whole(error, isOld: true)
            }
            try PatchVersion.requireOnePack(old, new)
            var patch = try patchPath.map { try PatchTable.facts($0, from: old, to: new) }
            var list = patchPath.flatMap { PackList.published(besidePatch: $0) }?.size(from: old, to: new)
            if makesPatch {
                let folder = try TemporaryDirectory(prefix: "larder-diff")
                let path = folder.path.appending("patch")
                _ = try PatchMaker.make(
                    from: old, to: new, at: path, isCancelled: isCancelled, progress: bar.updates("Comparing"))
                patch = try PatchTable.facts(path, from: old, to: new)
                list = try PackList.write(from: old, to: new, besidePatch: path)
            }
            var difference = PackDifference(
                from: old.index, to: new.index, indexSize: new.indexSize, front: new.front, patch: patch,
                listSize: list)
            difference.advice = try PackingAdvice.find(
                from: old.index, to: new, fetched: difference.blocks.bytesToFetch, isCancelled: isCancelled)
            let paths = difference.changedPaths
            difference.compareStamps(
                try StampSurvey.digests(of: paths, in: old, isCancelled: isCancelled),
                try StampSurvey.digests(of: paths, in: new, isCancelled: isCancelled))
            return .difference(difference)
        }
        bar.clear()
        if context.json {
            context.print(json: outcome.json)
        } else if !arguments.flag("quiet") {
            context.standardOutput.write(outcome.text)
        }
        return .success
    }
}
