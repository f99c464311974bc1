// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit

extension DeviceCommands {
    static let storage = Command(
        "storage", summary: "Show what apps and packs take on the disk",
        discussion: """
            A file that several have, because an update linked it, is counted in each row that has it and once in each app's row and \
            the total. UNIQUE is what nothing else has: what would be free without the row.

            With --purge, what failed downloads left and finished unmanaged downloads that lie in the service's place and \
            that nobody has open are deleted until so much is freed, those of the lowest priority first, then those not \
            used for longest. The same is done by itself when less than a twentieth of the disk, or 1 GiB, is free, and \
            when something would otherwise have no room.
            """,
        examples: [
            .init("larder storage", "shows sizes by app, pack and download, and what is free"),
            .init("larder storage --purge 500m", "makes room"),
        ],
        options: [
            .value("purge", "size", "Delete finished downloads until so much is freed, such as 500m or 2GiB."), .json,
        ]
    ) { arguments, context in
        if let size = try ByteSize.value("purge", arguments, in: 1...Int.max) {
            return try await purge(Int64(size), context)
        }
        let reply = try await Device.send(StorageRequest(), context)
        if context.json {
            try context.print(encoding: reply)
            return .success
        }
        context.print(table(reply).text)
        context.print("\(ByteCount.formatted(reply.free)) are free where \(reply.stateFolder) is.")
        return .success
    }

    private static func table(_ reply: StorageRequest.Reply) -> TextTable {
        var table = TextTable([("", .leading), ("FILES", .trailing), ("ON DISK", .trailing), ("UNIQUE", .trailing)])
        func add(_ name: String, _ files: Int64?, _ allocated: Int64, _ unique: Int64? = nil) {
            table.add([
                name, files.map { ByteCount.formatted($0) } ?? "", ByteCount.formatted(allocated),
                unique.map { ByteCount.formatted($0) } ?? "",
            ])
        }
        // A service of an earlier version does not say what is shared.
        var sum = reply.staging + reply.bookkeeping
        for app in reply.apps {
            let downloads = (app.downloads ?? []).filter(\.isFinished)
            // Unmanaged downloads are in both lists.
            let packs = app.packs.filter { $0.localVersion != nil }
            let files = downloads.reduce(packs.reduce(app.baseSize) { $0 + $1.size }) { $0 + $1.size }
            let allocated = downloads.reduce(packs.reduce(app.baseAllocatedSize) { $0 + $1.allocatedSize }) {
                $0 + $1.allocatedSize
            }
            sum += allocated
            add(app.app, files, app.allocatedSize ?? allocated, app.uniqueSize)
            add("  the app itself", app.baseSize, app.baseAllocatedSize, app.baseUniqueSize)
            for pack in packs where pack.allocatedSize > 0 {
                add("  \(pack.id) version \(pack.localVersion ?? 0)", pack.size, pack.allocatedSize, pack.uniqueSize)
            }
            if let former = app.former, former.allocatedSize > 0 {
                add("  versions that are still read", former.size, former.allocatedSize)
            }
            for download in downloads {
                add("  \(download.identifier) (download)", download.size, download.allocatedSize)
            }
            if let scratch = app.scratch, scratch.allocatedSize > 0 {
                sum += scratch.allocatedSize
                add("  its extension's scratch", scratch.size, scratch.allocatedSize)
            }
        }
        for group in reply.groups ?? [] {
            sum += group.allocatedSize
            let apps = group.apps.isEmpty ? "nobody's" : group.apps.joined(separator: ", ")
            add("\(group.group) (\(apps))", group.size, group.allocatedSize)
        }
        add("downloads in flight", nil, reply.staging)
        add("bookkeeping", nil, reply.bookkeeping)
        add("total", nil, reply.total ?? sum)
        return table
    }

    private static func purge(_ bytes: Int64, _ context: CommandContext) async throws -> ExitCode {
        let purged = try await Device.send(StoragePurgeRequest(bytes: bytes), context).purged
        if context.json {
            for file in purged { try context.print(encoding: file) }
            return .success
        }
        for file in purged {
            let rest = file.isRest == true ? " (left by a failed download)" : ""
            context.print("\(file.app): \(file.download)\(rest), \(ByteCount.formatted(file.size))")
        }
        let freed = purged.reduce(0) { $0 + $1.size }
        context.print("\(ByteCount.formatted(freed)) are free now that were not.")
        if freed < bytes { context.note("There is nothing else that may be deleted.") }
        return .success
    }
}
