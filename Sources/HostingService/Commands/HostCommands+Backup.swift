// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Kit
internal import System

extension HostCommands {
    static let backup = Command(
        "backup", summary: "Copy everything a host keeps to a new folder, while it runs or not",
        discussion: """
            The copy is of one moment: the database as it was then, and every archive and part that it speaks of. To restore, stop \
            the host, move its data folder away, and put the copy in its place, or serve with --data on the copy.

            Of a host with --storage the database alone is copied. Archives and uploads stay where they are: they need a copy of \
            their own, as the versions or the replication of a bucket, from the same moment or later.

            A PostgreSQL database is copied by its own tools, between two copies of the data folder: rsync, pg_dump, rsync.
            """,
        examples: [.init("larder-host backup /backups/2026-11-21", "copies everything to a new folder")],
        options: [data, database, .json],
        arguments: [CommandArgument("folder", "The new folder.", completion: .directory)]
    ) { arguments, context in
        let configuration = try configuration(arguments, context)
        if let postgres = configuration.postgres {
            throw HostingError(
                .badArguments,
                "This host keeps its records in the \(postgres), which larder-host does not copy. Copy \(configuration.data), run "
                    + "pg_dump on the database, then copy what is new in the folder; docs/hosting.md says why, and how to restore "
                    + "both.")
        }
        let folder = context.resolve(try arguments.requiredArgument("folder"))
        let result = try await HostBackup(data: configuration.data).copy(to: folder)
        if context.json {
            context.print(json: [
                "folder": .string(folder.string), "files": .integer(Int64(result.files)),
                "bytes": .integer(result.bytes), "elsewhere": result.elsewhere.map { .string($0) } ?? .null,
            ])
        } else if let storage = result.elsewhere {
            context.print(
                "Backed up to \(folder): the database alone. Archives and uploads are in \(storage), and are not in it."
            )
        } else {
            context.print(
                "Backed up to \(folder): the database, and \(result.files) files of \(ByteCount.formatted(result.bytes))."
            )
        }
        return .success
    }
}
