// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import AppleArchive
import HostingClient
import HostingModel
import Kit
import System

extension HostingCommands {
    static let app = Command(
        "app", summary: "Upload builds of an app to a host, and release them",
        examples: [
            .init("larder app upload TheCoast.app --version 2.0 --build 3", "gives internal testers that build"),
            .init("larder app release 6f0c9d0e-... --channel appStore", "gives it to everybody"),
        ],
        subcommands: [uploadApp, releaseApp])

    private static let uploadApp = Command(
        "upload", summary: "Upload a build of an app to a host",
        discussion: """
            Packs the bundle, uploads it, and waits until the host has checked it. Internal testers install it from then on: \
            larder install com.example.coast --from <host> --channel internalBeta. After a failure the same command goes on \
            where it ended.
            """,
        examples: [
            .init("larder app upload TheCoast.app --version 2.0 --build 3", "uploads, if the bundle is that build")
        ],
        options: HostConnection.options + [
            .value("version", "number", "What CFBundleShortVersionString must be."),
            .value("build", "number", "What CFBundleVersion must be."),
            .value("parallel", "number", "How many parts are on their way at once.", default: "4"),
            .json,
        ],
        arguments: [CommandArgument("bundle", "The Name.app folder.", completion: .directory)]
    ) { arguments, context in
        let path = try context.absolute(context.resolve(try arguments.requiredArgument("bundle")))
        let bundle = try await offload { try AppBundleReader.bundle(at: path) }
        for (option, what, actual) in [
            ("version", "CFBundleShortVersionString", bundle.version), ("build", "CFBundleVersion", bundle.build),
        ] {
            guard let wanted = arguments.value(option), wanted != actual else { continue }
            throw CommandError("app.badBundle", "\(path) has the \(what) \(actual), not \(wanted).")
        }
        let client = try await HostConnection(arguments, context).client()
        let parallel = try arguments.integer("parallel", in: 1...16) ?? 4
        return try await upload(bundle, through: BuildUploader(client, parallel: parallel), context)
    }

    private static func upload(
        _ bundle: AppBundle, through uploader: BuildUploader, _ context: CommandContext
    ) async throws -> ExitCode {
        let name = "\(bundle.displayName) \(bundle.version) (\(bundle.build))"
        let bar = ProgressBar(context)
        defer { bar.clear() }
        let folder = try await offload { TemporaryFolder(try TemporaryDirectory(prefix: "larder-app")) }
        defer { withExtendedLifetime(folder) {} }
        let archive = folder.path.appending("\(bundle.identifier).aar")
        _ = try await offloadCancellable { isCancelled in
            try FolderArchive(folder: bundle.path, compression: .lzfse, blockSize: ArchiveWriter.defaultBlockSize)
                .write(to: archive, isCancelled: isCancelled) {
                    bar.update(phase: "Packing \(name)", completed: $0, total: nil)
                }
        }
        let upload = try await uploader.upload(archive, of: bundle) {
            bar.update(phase: "Uploading \(name)", completed: $0, total: $1)
        }
        bar.update(phase: "Waiting for the host to check \(name)", completed: 0)
        let outcome = try await uploader.outcome(of: upload)
        bar.clear()
        if context.json {
            context.print(json: [
                "upload": .string(upload), "build": outcome.build.map { .string($0) } ?? .null,
                "errors": .array(outcome.errors.map(\.json)),
            ])
        } else if let build = outcome.build {
            context.print("The host has checked \(name): internal testers install it.")
            context.print("Build: \(build)")
        } else {
            context.note("\(context.programName): the host refuses \(name):")
            for error in outcome.errors {
                context.note("  \(PackSupport.printable(error.description)) (\(PackSupport.printable(error.code)))")
            }
        }
        return outcome.build == nil ? .badInput : .success
    }

    private static let releaseApp = Command(
        "release", summary: "Make a build the one that a channel installs",
        discussion: "The newest release of a channel counts; an older build comes back by a release of its own.",
        examples: [.init("larder app release 6f0c9d0e-... --channel appStore", "all devices get that build")],
        options: HostConnection.options + [
            .value(
                "channel", "name", "internalBeta, externalBeta or appStore.",
                completion: .choices(Channel.allCases.map(\.rawValue))),
            .json,
        ],
        arguments: [CommandArgument("build", "The host's identifier of the build, as 'larder app upload' prints it.")]
    ) { arguments, context in
        let build = try arguments.requiredArgument("build")
        guard let channel = try arguments.choice("channel", of: Channel.allCases.map(\.rawValue)) else {
            throw UsageError("Which channel is to install the build? Give it with --channel.")
        }
        let client = try await HostConnection(arguments, context).client()
        let release = try await client.create(
            .buildReleases, ["channel": .string(channel)], ["build": (.builds, build)])
        if context.json {
            context.print(json: ["release": .string(try release.identifier()), "channel": .string(channel)])
        } else {
            context.print("The channel \(channel) installs that build from now on.")
        }
        return .success
    }
}

/// Keeps a temporary folder for as long as it is used.
private final class TemporaryFolder: Sendable {
    private let directory: TemporaryDirectory
    var path: FilePath { directory.path }

    init(_ directory: consuming TemporaryDirectory) { self.directory = directory }
}
