// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit

extension DeviceCommands {
    static let verify = Command(
        "verify", summary: "Check the files of local packs against their digests",
        discussion: """
            Reads every file of the local packs, of all apps, of one, or of one pack. With --repair, packs with damaged files are \
            fetched again: only what is damaged where the server has an index, the archive where it has none. Apps go on reading \
            the old files until the new ones are there, which is waited for. `ba-package verify` checks \
            archives of packs. Ends with exit code 4 when files are damaged that are not being repaired.
            """,
        examples: [
            .init("larder verify", "checks everything"),
            .init("larder verify com.example.coast Tutorial --repair", "checks one pack, and mends it"),
        ],
        options: [.flag("repair", "Fetch again what is damaged."), .json],
        arguments: [.optionalApp, CommandArgument("pack", "Only this pack, by its id.", isOptional: true)]
    ) { arguments, context in
        let reply = try await Device.send(
            VerifyRequest(
                app: arguments.argument("app"), pack: arguments.argument("pack"), repairs: arguments.flag("repair")),
            context)
        if context.json {
            for pack in reply.packs { try context.print(encoding: pack) }
        } else {
            for pack in reply.packs { tell(pack, context) }
            if reply.packs.isEmpty { context.print("No pack is local.") }
        }
        let mending = arguments.flag("repair") ? reply.packs.filter(\.isRepairing) : []
        for (app, packs) in Dictionary(grouping: mending, by: \.app).sorted(by: { $0.key < $1.key }) {
            var follower = PackFollower(app, context)
            try await follower.mend(Set(packs.map(\.pack)))
        }
        return reply.packs.allSatisfy { $0.damaged.isEmpty || $0.isRepairing } ? .success : .badInput
    }

    private static func tell(_ pack: LocalVerification, _ context: CommandContext) {
        let name = "\(pack.app): \(pack.pack) version \(pack.version)"
        if pack.isUnknown {
            context.print("\(name): nothing is recorded of what its files should hold; its next update records it.")
        } else if pack.damaged.isEmpty {
            context.print("\(name): \(pack.fileCount) files, \(ByteCount.formatted(pack.size)), all as they were.")
        } else {
            context.print("\(name): \(pack.damaged.count) of \(pack.fileCount) files are damaged or missing:")
            for path in pack.damaged.prefix(20) { context.print("  \(path)") }
            if pack.damaged.count > 20 { context.print("  ...") }
            context.print(
                pack.isRepairing
                    ? "  They are being fetched again; 'larder packs \(pack.app)' shows how far that is."
                    : "  'larder verify \(pack.app) \(pack.pack) --repair' fetches them again.")
        }
    }
}
