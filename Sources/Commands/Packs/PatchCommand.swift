// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import PackUpdates
import System

extension PackCommands {
    static let patch = Command(
        "patch", summary: "Make the patch from one version of a pack to another",
        discussion: """
            A patch says how the files of a new version are made of those of an old one, wherever they are in it. Devices that have \
            the old version fetch the patch instead of what changed, where that is less. Publish it under the new pack's URL and \
            ".from-<version>.patch", with the old pack's version, and list it in the download manifest. Where the pack's index is \
            large, a list is made beside the patch, with .list in place of .patch, that devices fetch instead of the index. The indexes beside \
            the archives are used; without them the archives are read once more.
            """,
        examples: [
            .init(
                "ba-package patch v3/Tutorial.aar Tutorial.aar -o Tutorial.from-3.patch",
                "makes the patch for devices that have version 3")
        ],
        options: [
            .value(
                PackSupport.outputOption, short: "o", "file", "Where the patch goes; nothing is overwritten.",
                completion: .file),
            .json, PackSupport.quiet,
        ],
        arguments: PackSupport.versionArguments
    ) { arguments, context in
        let oldPath = context.resolve(try arguments.requiredArgument("old"))
        let newPath = context.resolve(try arguments.requiredArgument("new"))
        let output = try arguments.required(PackSupport.outputOption)
        guard output != "-", !output.hasSuffix(".list") else {
            throw UsageError(
                "--output needs the name of a file that does not end with .list, as that of the patch's list does, not \"\(output)\"."
            )
        }
        let target = context.resolve(output)
        let bar = PackProgress(arguments, context)
        defer { bar.clear() }
        let (summary, list, why) = try await offloadCancellable { isCancelled in
            try PackSupport.requireAbsent(target)
            try PackSupport.requireAbsent(PackList.path(besidePatch: target))
            func version(_ path: FilePath) throws -> PatchVersion {
                try PatchVersion(archive: path, isCancelled: isCancelled, progress: bar.updates("Reading", path))
            }
            let (old, new) = (try version(oldPath), try version(newPath))
            try PatchVersion.requireOnePack(old, new)
            let summary = try PatchMaker.make(
                from: old, to: new, at: target, isCancelled: isCancelled,
                progress: bar.updates("Comparing"))
            let list = try PackList.write(from: old, to: new, besidePatch: target)
            let why =
                list != nil
                ? nil
                : old.index.hasLinks
                    ? "the old version has links, which are files on devices"
                    : "the index is hardly larger than it would be"
            if old.index.archive.digest == new.index.archive.digest {
                bar.note("note: \"\(oldPath)\" and \"\(newPath)\" are the same archive.", context)
            }
            return (summary, list, why)
        }
        bar.clear()
        if context.json {
            context.print(json: [
                "patch": .string(target.string), "size": .integer(summary.size),
                "changedContents": .integer(Int64(summary.changedContents)),
                "changedBytes": .integer(summary.changedBytes), "archiveSize": .integer(summary.archiveSize),
                "listSize": list.map { .integer($0) } ?? .null,
            ])
        } else if !arguments.flag("quiet") {
            context.print(
                "\(output): \(ByteCount.formatted(summary.size)) for "
                    + "\(PackSupport.count(summary.changedContents, "changed content")) of "
                    + "\(ByteCount.formatted(summary.changedBytes)); the archive has "
                    + "\(ByteCount.formatted(summary.archiveSize))")
            if let list {
                let name = PackList.path(besidePatch: FilePath(output))
                context.print("\(name): \(ByteCount.formatted(list)) in place of the index")
            } else if let why {
                context.print("no list, since \(why)")
            }
        }
        return .success
    }
}
