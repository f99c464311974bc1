// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Kit
import System

extension PackCommands {
    static let template = Command(
        "template", summary: "Write a pack manifest to fill in",
        discussion: "The manifest explains itself in comments. Without an output path it goes to standard output.",
        examples: [.init("ba-package template -o Tutorial.json", "writes Tutorial.json")],
        options: [
            .value(
                PackSupport.outputOption, short: "o", "file.json", "Where to write it; nothing is overwritten.",
                completion: .file)
        ]
    ) { arguments, context in
        guard let name = arguments.value(PackSupport.outputOption) else {
            context.standardOutput.write(PackManifest.template)
            return .success
        }
        guard name.hasSuffix(".json") else {
            throw UsageError("A manifest must be a .json file, and \"\(name)\" is none.")
        }
        try await offload { try NewOutput.write(Array(PackManifest.template.utf8), to: context.resolve(name)) }
        return .success
    }
}

/// Small output files that must not be there yet.
enum NewOutput {
    /// - Throws: `AssetPackError`
    static func write(_ bytes: [UInt8], to path: FilePath) throws {
        do {
            var file = try NewFile(at: path)
            try file.descriptor.writeAll(bytes)
            try file.publish()
        } catch {
            throw Packager.describe(error, writing: path)
        }
    }

    /// Replaces a file at once.
    /// - Throws: `AssetPackError`
    static func replace(_ bytes: [UInt8], at path: FilePath) throws {
        do {
            try AtomicFile.write(bytes, to: path, durable: false)
        } catch {
            throw Packager.describe(error, writing: path)
        }
    }
}
