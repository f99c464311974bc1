// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import AppleArchive
import AssetPacks
import Kit
import PackUpdates
import ResourceTags
import System

extension ResourceCommands {
    static let build = Command(
        "build", summary: "Pack an app's tagged resources",
        discussion: """
            Makes a folder with "packs", one ordinary asset pack with its index for each distinct set of tags, and \
            "Resources", what belongs at the root of the app's resources: OnDemandResources.plist, and \
            AssetPackManifest.plist, or a template of it when --url-prefix does not say where the packs will be. With \
            --download-base-url there is DownloadManifest.json too, which is what BAManifestURL leads to. The folder appears \
            when everything in it is complete; nothing is overwritten. The checks of `larder odr check` come first.
            """,
        examples: [
            .init(
                "larder odr build Resources --tags Tags.json --bundle-id org.example.game -o Built",
                "makes Built/packs and Built/Resources"),
            .init(
                "larder odr build --tags Tags.json --app Game.app --copy-untagged -o Built "
                    + "--download-base-url https://cdn.example.com/packs",
                "puts the lists and what carries no tag into the app"),
            .init(
                "larder odr build --tags Tags.json -o New --download-base-url https://cdn.example.com/packs "
                    + "--previous-manifest Built/DownloadManifest.json",
                "raises the versions of the packs that changed"),
        ],
        options: [
            tagsOption, bundleIDOption,
            .value(
                "output", short: "o", "folder", "The folder to make; nothing is overwritten.", completion: .directory),
            .value(
                "app", "Name.app", "An app bundle that gets the lists, replacing those it has.", completion: .directory),
            .flag("copy-untagged", "Copy files without a tag too: they are the app's own resources."),
            .value(
                "url-prefix", "text",
                "What stands before a pack's name in AssetPackManifest.plist; nothing is put between them."),
            .value("download-base-url", "url", "Where the archives will be, for DownloadManifest.json."),
            .value(
                "previous-manifest", "file.json",
                "The download manifest of the last build: packs that did not change keep their versions.",
                completion: .file),
            limitsOption, PackSupport.compressionOption, PackSupport.packBlockSizeOption, PackSupport.noIndexOption,
            PackSupport.quiet,
        ], arguments: [folderArgument]
    ) { arguments, context in
        let job = try BuildResourcesJob(arguments, context)
        let isQuiet = arguments.flag("quiet")
        let bar = ProgressBar(context)
        defer { bar.clear() }
        let product = try await offloadCancellable { isCancelled in
            try job.run(isCancelled: isCancelled) { completed, total in
                if !isQuiet, context.isTerminal { bar.update(phase: "Packing", completed: completed, total: total) }
            }
        }
        bar.clear()
        guard !isQuiet else { return .success }
        context.print(table(product.plan))
        let size = product.outputs.reduce(Int64(0)) { $0 + $1.contents.archiveSize }
        context.print(
            "\(job.output): \(PackSupport.count(product.outputs.count, "pack")), packed to \(ByteCount.formatted(size))"
        )
        PackSupport.show(job.missingIndexes(product), context)
        job.tellMissingKeys(product)
        return .success
    }
}

/// One build of tagged resources, as the command line asks for it.
struct BuildResourcesJob: Sendable {
    let arguments: ParsedArguments
    let context: CommandContext
    let output: FilePath
    private let app: FilePath?
    private let limits: ResourceLimits
    private let blockSize: Int?

    init(_ arguments: ParsedArguments, _ context: CommandContext) throws {
        self.arguments = arguments
        self.context = context
        output = context.resolve(try arguments.required("output"))
        app = arguments.value("app").map { context.resolve($0) }
        limits = try ResourceCommands.limits(arguments)
        blockSize = try ByteSize.value("block-size", arguments, in: ArchiveWriter.blockSizes)
        if arguments.value("previous-manifest") != nil, arguments.value("download-base-url") == nil {
            throw UsageError("--previous-manifest needs --download-base-url beside it.")
        }
    }

    /// Blocks. Neither a failure nor a kill leaves a folder at the output's place.
    func run(
        isCancelled: @escaping @Sendable () -> Bool, progress: @escaping (Int64, Int64) -> Void
    ) throws -> ResourceProduct {
        let here = FileDescriptor.currentDirectory
        guard !here.exists(at: output) else { throw Packager.describe(Errno.fileExists, writing: output) }
        let previous = try arguments.value("previous-manifest").map { try DownloadManifest.read(context.resolve($0)) }
        let sources = try ResourceCommands.sources(arguments, context) {
            try app.map { try AppBundleReader.identifier(at: $0) }
        }
        let findings = try ResourceCommands.findings(in: sources, limits, isCancelled: isCancelled)
        if let error = ResourceCommands.error(findings) { throw error }
        if !arguments.flag("quiet") {
            PackSupport.show(sources.warnings, context)
            PackSupport.show(findings.map(\.message), context)
        }
        let target = try app.map { try ResourceTarget(app: $0, untagged: copiesUntagged ? sources.untagged : []) }
        let product: ResourceProduct
        do {
            let parent = output.removingLastComponent()
            let staging = try TemporaryDirectory(prefix: ".larder-odr", in: parent.isEmpty ? "." : parent)
            let folder = staging.path.appending("output")
            try here.makeDirectories(at: folder.appending("packs"))
            try here.makeDirectories(at: folder.appending("Resources"))
            var builder = ResourceBuilder(sources)
            builder.compression =
                arguments.value("compression").flatMap { Compression(rawValue: $0) } ?? builder.compression
            builder.blockSize = blockSize
            builder.hasIndexes = !arguments.flag(PackSupport.noIndex)
            let outputs = try builder.packAll(
                into: folder.appending("packs"), isCancelled: isCancelled, progress: progress)
            product = ResourceProduct(plan: sources.plan, outputs: outputs)
            if let baseURL = arguments.value("download-base-url") {
                let manifest = try product.downloadManifest(baseURL: baseURL, previous: previous)
                try NewOutput.write(manifest.serialized, to: folder.appending("DownloadManifest.json"))
            }
            let resources = folder.appending("Resources")
            try writeLists(product, to: resources)
            if copiesUntagged {
                for path in sources.untagged {
                    try ResourceTarget.copy(path.string, from: sources.sourceDirectory, to: resources)
                }
            }
            try here.rename(from: folder, to: output, mode: .exclusive)
        } catch let error as Errno {
            throw Packager.describe(error, writing: output)
        }
        // The app is changed last: a build that fails leaves it as it was.
        try target?.fill(from: output.appending("Resources"))
        return product
    }

    private var copiesUntagged: Bool { arguments.flag("copy-untagged") }

    private func writeLists(_ product: ResourceProduct, to folder: FilePath) throws {
        let address: AssetPackAddress
        if let prefix = arguments.value("url-prefix") {
            address = .prefix(prefix)
        } else if let baseURL = arguments.value("download-base-url") {
            address = .prefix(baseURL.hasSuffix("/") ? baseURL : baseURL + "/")
        } else {
            address = .local(try context.absolute(output).appending("OnDemandResources"))
        }
        let lists = [
            (OnDemandResourcesPlist.fileName, try product.plan.onDemandResources.serialized()),
            (address.fileName, try product.assetPackManifest(address).serialized()),
        ]
        for (name, bytes) in lists { try NewOutput.write(bytes, to: folder.appending(name)) }
    }

    /// Why packs that were to have an index have none, once for each reason.
    func missingIndexes(_ product: ResourceProduct) -> [String] {
        var counts: [String: Int] = [:]
        for output in product.outputs {
            if case .impossible(let reason) = output.index { counts[reason, default: 0] += 1 }
        }
        return counts.sorted { $0.key < $1.key }.map { "\(PackSupport.count($0.value, "pack")): \($0.key)" }
    }

    /// Says what the app's `Info.plist` must allow before the packs of the installation may come.
    func tellMissingKeys(_ product: ResourceProduct) {
        let needed = product.allowances
        guard app != nil, needed.essentialDownload + needed.download > 0 else { return }
        context.note(
            "note: the app's Info.plist must allow what comes with the installation: BAEssentialDownloadAllowance "
                + "\(needed.essentialDownload), BADownloadAllowance \(needed.download), BAEssentialMaxInstallSize "
                + "\(needed.essentialInstall) and BAMaxInstallSize \(needed.install) at least, in bytes.")
    }
}
