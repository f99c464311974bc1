// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import System

extension Inventory {
    /// What everything takes on the disk, apps that are just being installed included.
    func storage() async throws -> StorageRequest.Reply {
        var apps: [AppStorage] = []
        for record in try await registry.apps() {
            apps.append(
                AppStorage(
                    app: record.id, displayName: record.displayName, baseSize: record.baseSize,
                    baseAllocatedSize: record.baseAllocatedSize, packs: try await listings(record.id),
                    downloads: await downloads.storage(record.id)))
        }
        let paths = paths
        for event in await lifecycle.events where !apps.contains(where: { $0.app == event.app }) {
            let base = try await offload { try TreeSize.measure(paths.appRoot(event.app).appending("bundle")) }
            apps.append(
                AppStorage(
                    app: event.app, displayName: event.displayName, baseSize: base.logical,
                    baseAllocatedSize: base.allocated, packs: try await listings(event.app),
                    downloads: await downloads.storage(event.app)))
        }
        apps.sort { $0.app < $1.app }
        let (found, members) = (apps, try await groups.members())
        return try await offload { try Self.measured(found, members, paths) }
    }

    /// Adds what only the disk says. Blocks.
    private static func measured(
        _ apps: [AppStorage], _ members: [String: Set<String>], _ paths: LarderPaths
    ) throws -> StorageRequest.Reply {
        var apps = apps
        var (staging, bookkeeping) = (Int64(0), Int64(0))
        for index in apps.indices {
            let root = paths.appRoot(apps[index].app)
            let inFlight = try size(of: [root.appending("staging"), root.appending("downloads")])
            apps[index].inFlight = inFlight
            apps[index].scratch = try size(of: [root.appending("scratch")])
            staging = staging.addingClamped(inFlight.allocatedSize)
            bookkeeping = bookkeeping.addingClamped(try size(of: [root.appending("generations")]).allocatedSize)
        }
        let own = ["", "-wal", "-shm"].map { FilePath(paths.database.string + $0) } + [Ballast(paths).path]
        bookkeeping = bookkeeping.addingClamped(try size(of: own).allocatedSize)
        return StorageRequest.Reply(
            apps: apps, groups: try groups(members, paths), staging: staging, bookkeeping: bookkeeping,
            free: try FileSystemSpace(at: paths.state).available, stateFolder: paths.state.string)
    }

    /// Every group's folder, without the downloads in it, which are listed with their apps.
    private static func groups(_ members: [String: Set<String>], _ paths: LarderPaths) throws -> [GroupStorage] {
        let folder = paths.state.appending("groups")
        guard FileDescriptor.currentDirectory.exists(at: folder) else { return [] }
        let names = try FileDescriptor.currentDirectory.entries(at: folder).filter { $0.kind == .directory }.map(\.name)
        return try names.sorted().map { name in
            let size = try TreeSize.measure(folder.appending(name), except: DownloadPlaces.filesName)
            return GroupStorage(
                group: name, apps: (members[name] ?? []).sorted(), size: size.logical, allocatedSize: size.allocated)
        }
    }

    private static func size(of paths: [FilePath]) throws -> FolderStorage {
        try paths.reduce(into: FolderStorage(size: 0, allocatedSize: 0)) { sum, path in
            let size = try TreeSize.measure(path)
            sum.size = sum.size.addingClamped(size.logical)
            sum.allocatedSize = sum.allocatedSize.addingClamped(size.allocated)
        }
    }
}
