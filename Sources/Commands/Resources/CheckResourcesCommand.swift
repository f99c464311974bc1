// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import ResourceTags

extension ResourceCommands {
    static let check = Command(
        "check", summary: "Check tagged resources against limits and kinds",
        discussion: """
            Sizes are those of the files before packing. Resources may be of any kind but executable code: no ELF or Mach-O \
            files, no Windows executables, no scripts with the right to be executed, nothing inside a framework. Ends with 0 \
            when there is nothing to put right, and with 4 when there is.
            """,
        examples: [
            .init("larder odr check Resources --tags Tags.json", "checks against the limits from iOS 18 on"),
            .init("larder odr check --tags Tags.json --limits tvos17 --json", "prints findings for a program"),
        ],
        options: [tagsOption, bundleIDOption, limitsOption, .json, PackSupport.quiet], arguments: [folderArgument]
    ) { arguments, context in
        let limits = try ResourceCommands.limits(arguments)
        let isQuiet = arguments.flag("quiet")
        let (sources, findings) = try await offloadCancellable {
            isCancelled -> (TaggedSources, [ResourceFinding]) in
            // A check is about sizes: any name does.
            let sources = try ResourceCommands.sources(arguments, context) { "app" }
            return (sources, try ResourceCommands.findings(in: sources, limits, isCancelled: isCancelled))
        }
        if context.json {
            for finding in findings { context.print(json: json(finding)) }
            return error(findings) == nil ? .success : .badInput
        }
        if !isQuiet {
            PackSupport.show(sources.warnings, context)
            PackSupport.show(findings.filter { $0.severity == .warning }.map(\.message), context)
            context.print(table(sources.plan))
        }
        if let error = error(findings) { throw error }
        if !isQuiet {
            context.print("\(PackSupport.count(sources.plan.packs.count, "pack")): within \(limits.title)")
        }
        return .success
    }

    private static func json(_ finding: ResourceFinding) -> JSONValue {
        [
            "severity": .string(finding.severity.rawValue), "kind": .string(finding.kind.rawValue),
            "subject": .string(finding.subject), "message": .string(finding.message),
            "excess": finding.excess.map { .integer($0) } ?? .null,
        ]
    }
}
