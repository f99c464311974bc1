// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit

extension DeviceCommands {
    static let storage = Command(
        "storage", summary: "Show what apps and packs take on the disk",
        discussion: """
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
        var table = TextTable([("", .leading), ("FILES", .trailing), ("ON DISK", .trailing)])
        var total: Int64 = 0
        for app in reply.apps {
            let downloads = (app.downloads ?? []).filter(\.isFinished)
            let files = downloads.reduce(app.packs.reduce(app.baseSize) { $0 + $1.size }) { $0 + $1.size }
            let allocated = downloads.reduce(app.packs.reduce(app.baseAllocatedSize) { $0 + $1.allocatedSize }) {
                $0 + $1.allocatedSize
            }
            table.add([app.app, ByteCount.formatted(files), ByteCount.formatted(allocated)])
            table.add([
                "  the app itself", ByteCount.formatted(app.baseSize), ByteCount.formatted(app.baseAllocatedSize),
            ])
            total += allocated
            for pack in app.packs where pack.allocatedSize > 0 {
                let name = "  \(pack.id) \(pack.localVersion.map { "version \($0)" } ?? "")"
                table.add([name, ByteCount.formatted(pack.size), ByteCount.formatted(pack.allocatedSize)])
            }
            for download in downloads {
                table.add([
                    "  \(download.identifier) (download)", ByteCount.formatted(download.size),
                    ByteCount.formatted(download.allocatedSize),
                ])
            }
            if let scratch = app.scratch, scratch.allocatedSize > 0 {
                total += scratch.allocatedSize
                table.add([
                    "  its extension's scratch", ByteCount.formatted(scratch.size),
                    ByteCount.formatted(scratch.allocatedSize),
                ])
            }
        }
        for group in reply.groups ?? [] {
            total += group.allocatedSize
            let apps = group.apps.isEmpty ? "nobody's" : group.apps.joined(separator: ", ")
            table.add([
                "\(group.group) (\(apps))", ByteCount.formatted(group.size), ByteCount.formatted(group.allocatedSize),
            ])
        }
        table.add(["downloads in flight", "", ByteCount.formatted(reply.staging)])
        table.add(["bookkeeping", "", ByteCount.formatted(reply.bookkeeping)])
        table.add(["total", "", ByteCount.formatted(total + reply.staging + reply.bookkeeping)])
        context.print(table.text)
        context.print("\(ByteCount.formatted(reply.free)) are free where \(reply.stateFolder) is.")
        return .success
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
