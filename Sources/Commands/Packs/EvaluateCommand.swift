// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Kit
import Languages
import System

extension PackCommands {
    static let evaluate = Command(
        "evaluate", summary: "Check a manifest and show what it selects",
        discussion: "Shows each file with its size and, when it has another, its place in the pack.",
        examples: [.init("ba-package evaluate Tutorial.json", "lists what would be packed")],
        options: [.json, PackSupport.quiet],
        arguments: [CommandArgument("manifest", "The pack manifest, a .json file.", completion: .file)]
    ) { arguments, context in
        let evaluation = try await offloadCancellable { _ in try PackSupport.evaluate(arguments, context) }
        if context.json {
            context.print(json: json(evaluation))
        } else if !arguments.flag("quiet") {
            context.standardOutput.write(text(evaluation))
            PackSupport.show(evaluation.warnings.map(\.message), context)
        }
        return .success
    }

    private static func text(_ evaluation: PackEvaluation) -> String {
        let manifest = evaluation.manifest
        let platforms = manifest.platforms.sorted().map(\.rawValue)
        var facts = [
            manifest.downloadPolicy.description,
            platforms.isEmpty ? "all platforms" : platforms.joined(separator: ", "),
        ]
        if let language = manifest.language { facts.append("language \(language)") }
        var lines = [
            "\(manifest.assetPackID): " + facts.joined(separator: "; "), "from \(evaluation.sourceDirectory)", "",
        ]
        for item in evaluation.selection.items {
            switch item.content {
            case .directory: continue
            case .file(let source, let size, _):
                lines.append(row(ByteCount.formatted(size), source.string, item.destination.string))
            case .link(let source, let target):
                lines.append(
                    row("link", source.string, item.destination.string) + " (to \(PackSupport.printable(target)))")
            }
        }
        lines.append("")
        let counts = evaluation.selection.countsBySelector
        for (selector, count) in zip(manifest.fileSelectors, counts) {
            let verb = if case .fileExclusion = selector.kind { "left out" } else { "taken" }
            lines.append("\(PackSupport.printable(selector.description)): \(count) \(verb)")
        }
        let selection = evaluation.selection
        lines.append(
            "Total: "
                + PackSupport.amount(files: selection.fileCount, links: selection.linkCount, bytes: selection.totalSize)
        )
        return lines.joined(separator: "\n") + "\n"
    }

    private static func row(_ size: String, _ source: String, _ destination: String) -> String {
        let padding = String(repeating: " ", count: max(0, 10 - size.count))
        let places = source == destination ? source : "\(source) -> \(destination)"
        return "\(padding)\(size)  \(PackSupport.printable(places))"
    }

    private static func json(_ evaluation: PackEvaluation) -> JSONValue {
        let manifest = evaluation.manifest
        let selection = evaluation.selection
        let files: [JSONValue] = selection.items.compactMap { item in
            switch item.content {
            case .directory: nil
            case .file(let source, let size, let isExecutable):
                [
                    "source": .string(source.string), "destination": .string(item.destination.string),
                    "size": .integer(size), "executable": .bool(isExecutable),
                ]
            case .link(let source, let target):
                [
                    "source": .string(source.string), "destination": .string(item.destination.string),
                    "link": .string(target),
                ]
            }
        }
        return [
            "assetPackID": .string(manifest.assetPackID), "downloadPolicy": manifest.downloadPolicy.json,
            "platforms": .array(manifest.platforms.sorted().map { .string($0.rawValue) }),
            "language": manifest.language.map { .string($0.description) } ?? .null,
            "sourceDirectory": .string(evaluation.sourceDirectory.string), "files": .array(files),
            "fileCount": .integer(Int64(selection.fileCount)), "linkCount": .integer(Int64(selection.linkCount)),
            "totalSize": .integer(selection.totalSize),
            "warnings": .array(
                evaluation.warnings.map { ["kind": .string($0.kind.rawValue), "message": .string($0.message)] }),
        ]
    }
}
