// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import AssetPacks
import Kit
import ResourceTags
import System

extension ResourceCommands {
    static let migrate = Command(
        "migrate", summary: "Make managed packs of what was tagged",
        discussion: """
            Writes a pack manifest for each distinct set of tags, for `ba-package`, and says which packs each tag stood for. The \
            tags come from an Xcode project, from a tag manifest, or from the lists in an app that was built with On-Demand \
            Resources. With --code, and for a project without being asked, it names each line of Swift and Objective-C that has to \
            change, and what takes its place. The folder appears when everything in it is complete; nothing is overwritten.
            """,
        examples: [
            .init(
                "larder odr migrate Resources --tags Tags.json --code Sources -o Packs",
                "writes Packs/*.json and lists the code to change"),
            .init(
                "larder odr migrate --xcode Game.xcodeproj -o Packs --write-tags Tags.json",
                "takes the tags from a project, and writes them down for `larder odr build`, too"),
            .init("larder odr migrate Resources --built Game.app -o Packs", "takes the tags from a built app"),
        ],
        options: [
            tagsOption,
            .value(
                "built", "Name.app", "An app with OnDemandResources.plist, instead of a tag manifest.",
                completion: .directory),
            .value(
                "xcode", "Name.xcodeproj", "A project whose resources have tags, instead of a tag manifest.",
                completion: .directory),
            .value("target", "name", "The project's target, where several have tags."),
            .value("configuration", "name", "Whose build settings hold; without it, those of command line builds."),
            .value("write-tags", "file.json", "Write the tags as a tag manifest, too.", completion: .file),
            .repeatable("code", "folder", "A folder of source code to look through.", completion: .directory),
            .value(
                "output", short: "o", "folder", "The folder to make for the manifests; nothing is overwritten.",
                completion: .directory),
            .flag("keep-ids", "Name packs as they are on demand, instead of after their tags."),
            bundleIDOption, PackSupport.quiet,
        ], arguments: [folderArgument]
    ) { arguments, context in
        let job = try MigrateResourcesJob(arguments, context)
        let isQuiet = arguments.flag("quiet")
        let (migration, uses) = try await offloadCancellable { isCancelled in
            let uses = try job.uses(isCancelled: isCancelled)
            return (try job.migrate(), uses)
        }
        if !isQuiet {
            context.print("\(job.output): \(PackSupport.count(migration.packs.count, "pack manifest"))")
            var table = TextTable([("TAG", .leading), ("PACKS", .leading)])
            for (tag, ids) in migration.packIDsByTag.sorted(by: { $0.key < $1.key }) {
                table.add([tag, ids.joined(separator: " ")])
            }
            context.print(table.text)
        }
        for use in uses { context.print(PackSupport.printable(use)) }
        return .success
    }
}

/// One move from tags to managed packs, as the command line asks for it.
struct MigrateResourcesJob: Sendable {
    let arguments: ParsedArguments
    let context: CommandContext
    let output: FilePath

    init(_ arguments: ParsedArguments, _ context: CommandContext) throws {
        self.arguments = arguments
        self.context = context
        output = context.resolve(try arguments.required("output"))
        guard ["xcode", "tags", "built"].filter({ arguments.value($0) != nil }).count == 1 else {
            throw UsageError(
                "Name where the tags are: --xcode <Name.xcodeproj>, --tags <file.json> or --built <Name.app>.")
        }
    }

    /// Writes the manifests. Blocks.
    func migrate() throws -> PackMigration {
        let here = FileDescriptor.currentDirectory
        guard !here.exists(at: output) else { throw Packager.describe(Errno.fileExists, writing: output) }
        let written = arguments.value("write-tags").map { context.resolve($0) }
        if let written {
            if here.exists(at: written) { throw Packager.describe(Errno.fileExists, writing: written) }
            guard here.exists(at: Self.parent(written)) else {
                throw Packager.describe(Errno.noSuchFileOrDirectory, writing: written)
            }
        }
        let (manifest, sources, notes) = try sources()
        let parent = output.removingLastComponent()
        let root = try Self.relativePath(
            to: context.absolute(sources.sourceDirectory), from: context.absolute(output))
        let migration = PackMigration(
            sources.plan, sourceRoot: root, untagged: sources.untagged, exclusions: sources.exclusions,
            keepsIDs: arguments.flag("keep-ids"))
        if !arguments.flag("quiet") { PackSupport.show(sources.warnings + notes, context) }
        do {
            let staging = try TemporaryDirectory(prefix: ".larder-odr", in: parent.isEmpty ? "." : parent)
            let folder = staging.path.appending("output")
            try here.makeDirectories(at: folder)
            for pack in migration.packs {
                try NewOutput.write(
                    Array(pack.manifest.serialized(.pretty).utf8), to: folder.appending(pack.fileName))
            }
            try here.rename(from: folder, to: output, mode: .exclusive)
        } catch let error as Errno {
            throw Packager.describe(error, writing: output)
        }
        if let written {
            let root = try Self.relativePath(
                to: context.absolute(sources.sourceDirectory),
                from: context.absolute(written).removingLastComponent())
            try NewOutput.write(Array(manifest.json(sourceRoot: root).serialized(.pretty).utf8), to: written)
        }
        return migration
    }

    private func sources() throws -> (manifest: TagManifest, sources: TaggedSources, notes: [String]) {
        if let project = arguments.value("xcode") { return try sources(project: project) }
        guard let built = arguments.value("built") else {
            let manifest = try TagManifest(contentsOf: context.resolve(arguments.required("tags")))
            return (manifest, try ResourceCommands.sources(arguments, context) { "app" }, [])
        }
        let app = context.resolve(built)
        // Packs that were taken out of the app may lie elsewhere.
        let folder = arguments.argument("folder").map { context.resolve($0) } ?? AppBundle.resources(of: app)
        let bundleID = try arguments.value("bundle-id") ?? AppBundleReader.identifier(at: app)
        let manifest = try TagManifest(builtInto: AppBundle.resources(of: app))
        return (manifest, try TaggedSources(manifest, bundleID: bundleID, sourceDirectory: folder), [])
    }

    private func sources(
        project name: String
    ) throws -> (manifest: TagManifest, sources: TaggedSources, notes: [String]) {
        let path = context.resolve(name)
        let file = path.appending("project.pbxproj")
        let bytes: [UInt8]
        do {
            bytes = try File.read(file, limit: OldStylePropertyList.maximumSize)
        } catch Errno.noSuchFileOrDirectory, Errno.notDirectory {
            throw AssetPackError(.notFound, "There is no Xcode project at \"\(path)\": \"\(file)\" is missing.")
        } catch {
            throw AssetPackError(.io, "Could not read \"\(file)\": \(error.clause).", cause: nil)
        }
        let project = try XcodeProject(
            bytes, source: FilePath(name).appending("project.pbxproj").string, target: arguments.value("target"),
            configuration: arguments.value("configuration"))
        let folder = arguments.argument("folder").map { context.resolve($0) } ?? Self.parent(path)
        var notes: [String] = []
        let manifest = try TagManifest(project, in: folder, notes: &notes)
        let bundleID = arguments.value("bundle-id") ?? manifest.bundleID ?? "app"
        return (manifest, try TaggedSources(manifest, bundleID: bundleID, sourceDirectory: folder), notes)
    }

    private static func parent(_ path: FilePath) -> FilePath {
        let parent = path.removingLastComponent()
        return parent.isEmpty ? "." : parent
    }

    /// `../../Resources`; both paths are absolute and without detours.
    static func relativePath(to target: FilePath, from folder: FilePath) -> String {
        let (to, from) = (target.components.map(\.string), folder.components.map(\.string))
        let shared = zip(to, from).prefix { $0 == $1 }.count
        let parts = Array(repeating: "..", count: from.count - shared) + to.dropFirst(shared)
        return parts.isEmpty ? "." : parts.joined(separator: "/")
    }

    /// Lines of code that have to change, as `file:line: symbol: advice`. Blocks.
    func uses(isCancelled: () -> Bool) throws -> [String] {
        var lines: [String] = []
        let project = arguments.value("xcode").map { [Self.parent(FilePath($0)).string] } ?? []
        for name in arguments.values("code").isEmpty ? project : arguments.values("code") {
            let listing = FileSystemListing(root: context.resolve(name))
            var waiting = [PackPath.root]
            var files: [PackPath] = []
            while let folder = waiting.popLast() {
                if isCancelled() { throw CancellationError() }
                for (name, node) in try listing.children(of: folder) {
                    let path = folder.appending(name)
                    switch node {
                    case .directory: if !name.hasPrefix(".") { waiting.append(path) }
                    case .file: if Self.isCode(name) { files.append(path) }
                    case .link, .special: break
                    }
                }
            }
            for file in files.sorted() {
                let path = listing.location(of: file)
                let bytes: [UInt8]
                do {
                    bytes = try File.read(path, limit: 16 << 20)
                } catch {
                    throw AssetPackError(.io, "Could not read \"\(path)\": \(error.clause).", cause: nil)
                }
                for use in ResourceRequestUses.find(in: String(decoding: bytes, as: UTF8.self)) {
                    let place = FilePath(name).appending(file.string).lexicallyNormalized()
                    lines.append("\(place):\(use.line): \(use.symbol): \(use.advice)")
                }
            }
        }
        return lines
    }

    private static func isCode(_ name: String) -> Bool {
        guard let dot = name.lastIndex(of: ".") else { return false }
        return ResourceRequestUses.fileExtensions.contains(String(name[name.index(after: dot)...]))
    }
}
