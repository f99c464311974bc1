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
