// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
package import Kit
import ResourceTags
import System

/// The commands for On-Demand Resources.
package enum ResourceCommands {
    package static let all: [Command] = [
        Command(
            "odr", summary: "Build, check and move On-Demand Resources",
            discussion: """
                On-Demand Resources are the older of the two systems: an app asks for resources by tags. Here what is tagged \
                alike becomes an ordinary asset pack, and two property lists tell the app which packs a tag needs.
                """,
            examples: [
                .init(
                    "larder odr build Resources --tags Tags.json --bundle-id org.example.game -o Built",
                    "makes a pack for each set of tags"),
                .init("larder odr check Resources --tags Tags.json --limits ios17", "says which tag is too big"),
            ],
            subcommands: [build, check, migrate, status])
    ]

    static let tagsOption = CommandOption.value(
        "tags", "file.json", "The tag manifest: which files carry which tags.", completion: .file)
    static let bundleIDOption = CommandOption.value(
        "bundle-id", "id", "The app's bundle id, of which packs are named; over the manifest's \"bundleID\".")
    static let limitsOption = CommandOption.value(
        "limits", "name", "Whose limits hold: by the oldest system the app is for, or none.",
        default: ResourceLimits.iOS18.name, completion: .choices(ResourceLimits.all.map(\.name)))
    static let folderArgument = CommandArgument(
        "folder", "The resources' folder; without it, the manifest's \"sourceRoot\".", isOptional: true,
        completion: .directory)

    static func limits(_ arguments: ParsedArguments) throws -> ResourceLimits {
        let name = arguments.value("limits") ?? ResourceLimits.iOS18.name
        guard let limits = ResourceLimits.all.first(where: { $0.name == name }) else {
            let names = ResourceLimits.all.map(\.name).joined(separator: ", ")
            throw UsageError("--limits needs one of \(names), not \"\(name)\".")
        }
        return limits
    }

    /// The tagged files that a command line means. Blocks.
    /// - Parameter defaultBundleID: when neither the option nor the manifest has one.
    static func sources(
        _ arguments: ParsedArguments, _ context: CommandContext, defaultBundleID: () throws -> String?
    ) throws -> TaggedSources {
        let path = context.resolve(try arguments.required("tags"))
        let manifest = try TagManifest(contentsOf: path)
        let folder: FilePath
        if let name = arguments.argument("folder") {
            folder = context.resolve(name)
        } else if let root = manifest.sourceRoot {
            let below = path.removingLastComponent().pushing(FilePath(root)).lexicallyNormalized()
            folder = below.isEmpty ? "." : below
        } else {
            throw UsageError("The resources' folder is missing: name it, or give the tag manifest a \"sourceRoot\".")
        }
        guard let bundleID = try arguments.value("bundle-id") ?? manifest.bundleID ?? defaultBundleID() else {
            throw UsageError("The app's bundle id is missing: give --bundle-id, or the tag manifest a \"bundleID\".")
        }
        return try TaggedSources(manifest, bundleID: bundleID, sourceDirectory: folder)
    }

    /// Everything that is wrong with tagged resources. Blocks.
    static func findings(
        in sources: TaggedSources, _ limits: ResourceLimits, isCancelled: () -> Bool
    ) throws -> [ResourceFinding] {
        try ExecutableCode.findings(in: sources, isCancelled: isCancelled) + limits.findings(in: sources.plan)
    }

    /// One error of all that must be put right; nil when nothing must.
    static func error(_ findings: [ResourceFinding]) -> CommandError? {
        let errors = findings.filter { $0.severity == .error }
        guard !errors.isEmpty else { return nil }
        let kind = errors.allSatisfy { $0.kind == .executableCode } ? "tags.executableCode" : "tags.tooLarge"
        let count = errors.count == 1 ? "One thing" : "\(errors.count) things"
        return CommandError(
            kind, "\(count) must be put right:" + errors.map { "\n  \(PackSupport.printable($0.message))" }.joined())
    }

    /// Tags with their sizes, as people read them.
    static func table(_ plan: ResourcePlan) -> String {
        var table = TextTable([("TAG", .leading), ("WHEN", .leading), ("PACKS", .trailing), ("SIZE", .trailing)])
        let names = plan.sizesByTag.keys.sorted { ($1.order(in: plan), $0) < ($0.order(in: plan), $1) }
        for tag in names {
            let when =
                switch plan.categories.category(of: tag) {
                case .initialInstall: "initial install"
                case .prefetch: "prefetch"
                case .onDemand: "on demand"
                }
            table.add([
                tag, when, "\(plan.packs.count { $0.tags.contains(tag) })",
                ByteCount.formatted(plan.sizesByTag[tag] ?? 0),
            ])
        }
        return table.text
    }
}

extension String {
    /// A tag's place among others: the greater comes first.
    fileprivate func order(in plan: ResourcePlan) -> Double { plan.categories.priority(of: self) ?? 0 }
}
