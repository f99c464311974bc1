// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Kit

extension HostCommands {
    static let sweep = Command(
        "sweep", summary: "Remove uploads that nobody ends, and archives that nobody needs any more",
        discussion: """
            A host does this by itself every hour. An upload to which nothing came for the time of grace is given up. An archive \
            that no channel has any more, nor may get, is noted by one sweep, and removed by a later one when it was unneeded for \
            the time of grace: devices that were told of it can fetch it until then.
            """,
        examples: [
            .init("larder-host sweep --dry-run", "says what would be done"),
            .init("larder-host sweep --grace 86400", "removes what was unneeded for a day"),
        ],
        options: [
            data, database, storage, .flag("dry-run", "Say what would be done, and do nothing."),
            .value("grace", "seconds", "The time of grace; at least an hour.", default: "\(HostLimits().sweepGrace)"),
            .json,
        ]
    ) { arguments, context in
        let configuration = try configuration(arguments, context)
        let grace = try arguments.integer("grace", in: Int(HostLimits.shortestGrace)...Int(Int32.max))
        let isDry = arguments.flag("dry-run")
        let administration = try await HostAdministration(configuration)
        let plan: SweepPlan
        do {
            plan = try await administration.sweep(
                configuration, grace: grace.map { Int64($0) } ?? configuration.limits.sweepGrace, isDry: isDry)
        } catch {
            await administration.close()
            throw error
        }
        await administration.close()
        for action in plan.actions { show(action, isDry, context) }
        if context.json {
            context.print(json: ["event": "end", "freedBytes": .integer(plan.freedBytes), "dryRun": .bool(isDry)])
        } else {
            context.print("\(isDry ? "To be freed" : "Freed"): \(ByteCount.formatted(plan.freedBytes))")
        }
        return .success
    }

    private static func show(_ action: SweepPlan.Action, _ isDry: Bool, _ context: CommandContext) {
        let (event, name, size, words): (String, String, Int64, String) =
            switch action {
            case .abandon(let upload): ("abandon", upload.id, upload.size, "Give up the upload")
            case .discard(let upload): ("discard", upload.id, upload.size, "Remove the remains of the upload")
            case .mark(let archive): ("mark", archive.digest, archive.size, "Note as unneeded the archive")
            case .unmark(let digest): ("unmark", digest, 0, "Forget the note about the archive")
            case .remove(let archive): ("remove", archive.digest, archive.size, "Remove the archive")
            }
        if context.json {
            context.print(json: [
                "event": .string(event), "id": .string(name), "bytes": .integer(size), "dryRun": .bool(isDry),
            ])
        } else {
            context.print("\(words) \(name)\(size > 0 ? " (\(ByteCount.formatted(size)))" : "")")
        }
    }
}
