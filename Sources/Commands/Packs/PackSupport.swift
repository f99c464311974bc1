// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import AssetPacks
import Kit
import System

/// What the pack commands share.
enum PackSupport {
    static let outputOption = "output-path"
    static let quiet = CommandOption.flag("quiet", short: "q", "Print nothing but errors.")
    static let compressionOption = CommandOption.value(
        "compression", "name", "How blocks are compressed.", default: Compression.lzfse.rawValue,
        completion: .choices(Compression.allCases.map(\.rawValue)))
    static let blockSizeOption = CommandOption.value(
        "block-size", "size", "How much is compressed at a time, such as 1m or 4MiB.", default: "4m")

    /// Of commands that change a manifest.
    static let replacementOutput = CommandOption.value(
        outputOption, short: "o", "file",
        "Where to write it, instead of replacing the manifest; nothing else is overwritten.", completion: .file)

    /// Of commands that look at two versions of a pack.
    static let versionArguments = [
        CommandArgument("old", "The version that devices have, an .aar file.", completion: .file),
        CommandArgument("new", "The version that comes, an .aar file.", completion: .file),
    ]

    static let packBlockSizeOption = CommandOption.value(
        "block-size", "size",
        "How much is compressed at a time, such as 1m or 256KiB. Without it, from 32 KiB to 1 MiB: the least that makes the "
            + "archive at most about 2 % larger, since devices that update fetch whole blocks.")

    static let noIndex = "no-index"
    static let noIndexOption = CommandOption.flag(
        noIndex, "Write no index beside an archive: devices then fetch it whole.")

    /// Where a command's archive goes, which must be an `.aar` file.
    static func archiveOutput(_ arguments: ParsedArguments) throws -> String {
        let output = try arguments.required(outputOption)
        guard output.hasSuffix(".aar") else {
            throw UsageError("The archive must be an .aar file, and \"\(output)\" is none.")
        }
        return output
    }

    /// The manifest that a command line names, which must be a `.json` file.
    static func manifestPath(_ arguments: ParsedArguments, _ context: CommandContext) throws -> FilePath {
        let name = try arguments.requiredArgument("manifest")
        guard name.hasSuffix(".json") else {
            throw UsageError("The manifest must be a .json file, and \"\(name)\" is none.")
        }
        return context.resolve(name)
    }

    static func evaluate(_ arguments: ParsedArguments, _ context: CommandContext) throws -> PackEvaluation {
        let path = try manifestPath(arguments, context)
        let manifest = try PackManifest(contentsOf: path)
        return try PackEvaluation(
            manifest,
            sourceDirectory: manifest.sourceDirectory(manifest: path, workingDirectory: context.workingDirectory))
    }

    /// - Throws: `AssetPackError.outputExists` when something is at a path to be written to.
    static func requireAbsent(_ path: FilePath) throws {
        guard !FileDescriptor.currentDirectory.exists(at: path) else {
            throw Packager.describe(Errno.fileExists, writing: path)
        }
    }

    /// Where `write` puts a manifest.
    static func replaced(_ path: FilePath, _ arguments: ParsedArguments, _ context: CommandContext) -> FilePath {
        arguments.path(outputOption).map { context.resolve($0) } ?? path
    }

    /// Writes where `replacementOutput` says, which must be new, or else over the manifest.
    static func write(
        _ bytes: [UInt8], _ arguments: ParsedArguments, _ context: CommandContext, replacing path: FilePath
    ) async throws {
        let output = replaced(path, arguments, context)
        try await offload {
            if output != path {
                try NewOutput.write(bytes, to: output)
            } else {
                try NewOutput.replace(bytes, at: path)
            }
        }
    }

    static func show(_ warnings: [String], _ context: CommandContext) {
        for warning in warnings { context.note("warning: \(printable(warning))") }
    }

    /// `5 files, 1 link, 12.3 MB`
    static func amount(files: Int, links: Int, bytes: Int64) -> String {
        var parts = [count(files, "file")]
        if links > 0 { parts.append(count(links, "link")) }
        parts.append(ByteCount.formatted(bytes))
        return parts.joined(separator: ", ")
    }

    /// What is said of an archive without entries: the format has no mark at its end to tell it from one cut off there.
    static func emptyArchive(_ path: FilePath) -> String {
        "note: \(path) is an empty archive: no entries. If there should be some, it was cut off behind its head; fetch or copy it "
            + "again."
    }

    static func count(_ number: Int, _ name: String) -> String { "\(number) \(name)\(number == 1 ? "" : "s")" }

    /// Names come from archives and trees of others: what a terminal would obey is shown as an escape.
    static func printable(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if isControl(scalar) {
                result += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
