// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HostingClient
import HostingModel
import Kit
import System

extension HostingCommands {
    static let upload = Command(
        "upload", summary: "Upload an asset pack to a host",
        discussion: """
            Makes the pack if the app has none of that identifier yet, and a new version of it, whose number the host gives. \
            Parts of the archive go side by side. After a failure, or Ctrl-C, the same command goes on where it ended, also when \
            the host was started again meanwhile.

            The host checks the archive afterwards; --wait waits for that, and the command fails when the host refuses it.
            """,
        examples: [
            .init("larder upload Tutorial.aar --app com.example.coast", "uploads a new version"),
            .init("larder upload Tutorial.aar --app com.example.coast --wait", "and waits until it was checked"),
        ],
        options: HostConnection.options + [
            .value("app", short: "a", "bundle id", "The app that the pack belongs to."),
            .flag("wait", "Wait until the host has checked the pack."),
            .value("parallel", "number", "How many parts are on their way at once.", default: "4"),
            .json,
        ],
        arguments: [CommandArgument("archive", "The pack, an .aar file.", completion: .file)]
    ) { arguments, context in
        guard let app = arguments.value("app") else {
            throw UsageError("Which app does the pack belong to? Give its bundle id with --app.")
        }
        return try await upload(
            context.resolve(try arguments.requiredArgument("archive")), to: .bundleID(app),
            through: HostConnection(arguments, context).client(),
            parallel: try arguments.integer("parallel", in: 1...16) ?? 4, waits: arguments.flag("wait"), context)
    }

    /// Uploads, shows how it goes, and waits if that is wanted.
    static func upload(
        _ archive: FilePath, to app: AppReference, through client: HostingClient, parallel: Int = 4, waits: Bool,
        _ context: CommandContext
    ) async throws -> ExitCode {
        let display = UploadDisplay(context)
        defer { display.clear() }
        let uploader = PackUploader(client, parallel: parallel)
        let version = try await uploader.upload(archive, to: app) { display.show($0) }
        display.finished(version)
        guard waits else { return .success }
        display.waiting(version)
        let outcome = try await uploader.outcome(of: version.id)
        display.clear()
        return display.show(outcome, of: version)
    }
}

/// Shows an upload as it goes: a bar, plain lines, or JSON lines.
final class UploadDisplay: Sendable {
    private let context: CommandContext
    private let bar: ProgressBar
    private let started = ContinuousClock.now
    private let state = Locked(
        (phase: "Uploading", told: ContinuousClock.Instant?.none, completed: Int64(0), total: Int64(0)))

    init(_ context: CommandContext) {
        self.context = context
        bar = ProgressBar(context)
    }

    func clear() { bar.clear() }

    func show(_ event: PackUploader.Event) {
        switch event {
        case .began(let version):
            state.withLock { $0.phase = "Uploading \(Self.name(version))" }
            if context.json {
                context.print(json: Self.json("began", version, ["resumed": .bool(version.isResumed)]))
            } else if version.isResumed {
                bar.note("Going on with the upload of \(Self.name(version)).")
            }
        case .progress(let completed, let total):
            let (phase, isDue) = state.withLock { state in
                state.total = total
                let now = ContinuousClock.now
                // The same is told once.
                let isNew = state.told == nil || completed != state.completed
                state.completed = completed
                guard isNew,
                    state.told.map({ $0.duration(to: now) >= .milliseconds(200) }) ?? true || completed == total
                else { return (state.phase, false) }
                state.told = now
                return (state.phase, true)
            }
            if !context.json {
                bar.update(phase: phase, completed: completed, total: total)
            } else if isDue {
                context.print(json: [
                    "event": "progress", "completed": .integer(completed), "total": .integer(total),
                ])
            }
        }
    }

    func finished(_ version: UploadedVersion) {
        bar.clear()
        let total = state.withLock(\.total)
        if context.json {
            context.print(json: Self.json("uploaded", version))
        } else {
            context.print(
                "Uploaded \(Self.name(version)): \(ByteCount.formatted(total)) in "
                    + "\(started.duration(to: .now).formatted).")
        }
    }

    func waiting(_ version: UploadedVersion) {
        if !context.json { bar.update(phase: "Waiting for the host to check \(Self.name(version))", completed: 0) }
    }

    /// Tells what processing came to, and what the command ends with.
    func show(_ outcome: PackUploader.Outcome, of version: UploadedVersion) -> ExitCode {
        let isSound = outcome.state == "COMPLETE"
        if context.json {
            context.print(
                json: Self.json(
                    "processed", version,
                    [
                        "state": .string(outcome.state), "errors": .array(outcome.errors.map(\.json)),
                        "warnings": .array(outcome.warnings.map(\.json)),
                    ]))
        } else if isSound {
            context.print("The host has checked \(Self.name(version)): internal testers can get it.")
        } else {
            context.note("\(context.programName): the host refuses \(Self.name(version)):")
        }
        if !context.json {
            for error in outcome.errors {
                context.note("  \(PackSupport.printable(error.description)) (\(PackSupport.printable(error.code)))")
            }
            for warning in outcome.warnings { context.note("warning: \(PackSupport.printable(warning.description))") }
        }
        return isSound ? .success : .badInput
    }

    private static func name(_ version: UploadedVersion) -> String {
        PackSupport.printable(version.assetPackID) + (version.number.isEmpty ? "" : " \(version.number)")
    }

    private static func json(
        _ event: String, _ version: UploadedVersion, _ more: [String: JSONValue] = [:]
    ) -> JSONValue {
        var members: [String: JSONValue] = [
            "event": .string(event), "app": .string(version.app), "assetPackID": .string(version.assetPackID),
            "pack": .string(version.pack), "versionID": .string(version.id), "version": .string(version.number),
        ]
        for (name, value) in more { members[name] = value }
        return .object(members)
    }
}
