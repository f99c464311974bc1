// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import AssetPacks
import Kit
import System

extension PackCommands {
    static let extract = Command(
        "extract", summary: "Unpack an archive to a folder",
        discussion: """
            Unpacks any Apple Archive, pack or not. The folder appears when all of it is unpacked; after a failure nothing is \
            left. A folder that holds something is refused, unless it may be replaced as a whole. Nothing is ever written \
            through a symbolic link, and links that lead out of the folder are refused unless allowed.
            """,
        examples: [
            .init("ba-package extract Tutorial.aar -o Tutorial", "unpacks to the new folder Tutorial"),
            .init("ba-package extract Tutorial.aar -o Tutorial --replace", "puts a fresh folder in its place"),
        ],
        options: [
            .value(
                PackSupport.outputOption, short: "o", "folder", "Where to unpack: a new or empty folder.",
                completion: .directory),
            .flag("replace", "When the folder holds something, replace it with all that is in it."),
            .flag("allow-outside-links", "Make symbolic links that lead out of the folder too."),
            PackSupport.quiet,
        ],
        arguments: [CommandArgument("archive", "The archive, usually an .aar file.", completion: .file)]
    ) { arguments, context in
        let archive = context.resolve(try arguments.requiredArgument("archive"))
        let output = try arguments.required(PackSupport.outputOption)
        let folder = context.resolve(output)
        var options = ExtractionOptions()
        if arguments.flag("allow-outside-links") { options.links = .any }
        let isQuiet = arguments.flag("quiet")
        let replaces = arguments.flag("replace")
        try checkTarget(folder, named: output, replaces: replaces)
        let bar = PackProgress(arguments, context)
        defer { bar.clear() }
        let chosen = options
        let summary = try await offloadCancellable { isCancelled in
            let file = try PackInspector.openStream(archive)
            let total = (try? file.borrowed.status().size) ?? 0
            let progress: (UInt64) throws -> Void = { completed in
                if isCancelled() { throw CancellationError() }
                bar.update("Unpacking", Int64(clamping: completed), of: total)
            }
            do {
                let extract = { (target: FilePath) in
                    try ArchiveExtraction.extract(file.borrowed, to: target, options: chosen, progress: progress)
                }
                return replaces ? try FolderReplacement.replace(folder, extract) : try extract(folder)
            } catch let error as ArchiveError {
                if let errno = error.cause as? Errno, [.noSpace, .diskQuotaExceeded, .fileTooLarge].contains(errno) {
                    throw Packager.describe(errno, writing: folder)
                }
                throw ArchiveError(error.code, "\(archive): \(error.message)", cause: error.cause)
            }
        }
        bar.clear()
        if summary.entries == 0 { context.note(PackSupport.emptyArchive(archive)) }
        if !isQuiet {
            context.print(
                "\(output): "
                    + PackSupport.amount(
                        files: Int(clamping: summary.files), links: Int(clamping: summary.links),
                        bytes: Int64(clamping: summary.bytes)))
            if summary.skipped > 0 {
                let names = summary.skippedNames.map(PackSupport.printable).joined(separator: ", ")
                context.note(
                    "warning: \(summary.skipped) entries that are no file, folder or link were left out: \(names)")
            }
        }
        return .success
    }

    /// What can be said of the output folder before the archive is looked at.
    private static func checkTarget(_ folder: FilePath, named name: String, replaces: Bool) throws {
        let here = FileDescriptor.currentDirectory
        guard here.exists(at: folder) else {
            let parent = folder.removingLastComponent()
            guard parent.isEmpty || here.exists(at: parent) else {
                throw Packager.describe(Errno.noSuchFileOrDirectory, writing: folder)
            }
            return
        }
        guard try here.status(at: folder, followingLinks: true).kind == .directory else {
            throw AssetPackError(.outputExists, "\"\(name)\" is no folder, and is not overwritten. Name another.")
        }
        if replaces { return }
        let target = OwnedDescriptor(try here.openDirectory(at: folder))
        guard try target.borrowed.entries().isEmpty else {
            throw AssetPackError(
                .outputExists,
                "\"\(name)\" is not empty, and nothing is overwritten. Name another folder, or replace all of it with "
                    + "--replace.")
        }
    }
}

/// Puts a new folder in the place of one that is there.
enum FolderReplacement {
    /// - Parameter make: makes the new folder at the path it is given.
    /// - Throws: `AssetPackError`, and what `make` throws; the old folder is untouched then.
    static func replace<Result>(_ folder: FilePath, _ make: (FilePath) throws -> Result) throws -> Result {
        let here = FileDescriptor.currentDirectory
        guard here.exists(at: folder) else { return try make(folder) }
        guard try here.status(at: folder).kind == .directory, let name = folder.lastComponent, name.kind == .regular
        else {
            throw AssetPackError(.outputExists, "\"\(folder)\" is no folder that can be replaced. Name another.")
        }
        let parent = folder.removingLastComponent()
        let staging = try TemporaryDirectory(prefix: ".\(name.string)", in: parent.isEmpty ? "." : parent)
        let new = staging.path.appending("new")
        let result = try make(new)
        // The old folder goes with the staging folder.
        try here.rename(from: new, to: folder, mode: .exchanging)
        return result
    }
}
