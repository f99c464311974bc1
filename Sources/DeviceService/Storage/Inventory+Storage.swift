// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import PackNamespace
import System

extension Inventory {
    /// An app, and where its files are.
    private struct Places: Sendable {
        var storage: AppStorage
        var base: FilePath
        /// Folders of its local packs, relative to the app root, by id.
        var packs: [String: String]
    }

    /// What everything takes on the disk, apps that are just being installed included.
    func storage() async throws -> StorageRequest.Reply {
        var apps: [Places] = []
        for record in try await registry.apps() {
            let storage = AppStorage(
                app: record.id, displayName: record.displayName, baseSize: record.baseSize,
                baseAllocatedSize: record.baseAllocatedSize, packs: try await listings(record.id),
                downloads: await downloads.storage(record.id))
            let base = paths.appRoot(record.id).appending("bundle/\(record.bundle)")
            apps.append(Places(storage: storage, base: base, packs: try await folders(record.id)))
        }
        for event in await lifecycle.events where !apps.contains(where: { $0.storage.app == event.app }) {
            let storage = AppStorage(
                app: event.app, displayName: event.displayName, baseSize: 0, baseAllocatedSize: 0,
                packs: try await listings(event.app), downloads: await downloads.storage(event.app))
            apps.append(
                Places(
                    storage: storage, base: AppRootLayout(root: paths.appRoot(event.app)).bundle,
                    packs: try await folders(event.app)))
        }
        apps.sort { $0.storage.app < $1.storage.app }
        let (found, members, paths) = (apps, try await groups.members(), paths)
        let free = try await space.measure().available
        return try await offload { try Self.measured(found, members, paths, free: free) }
    }

    private func folders(_ app: String) async throws -> [String: String] {
        Dictionary(try await store.localPacks(app: app).map { ($0.id, $0.directory) }) { $1 }
    }

    /// What an app's base and local packs take together: what several of them have is there once.
    func allocatedSize(_ record: AppRecord, _ packs: [LocalPack]) async throws -> Int64 {
        let root = paths.appRoot(record.id)
        let trees =
            [root.appending("bundle/\(record.bundle)")] + packs.flatMap { Self.trees(root.appending($0.directory)) }
        return try await offload {
            var use = DiskUse()
            _ = try use.add(trees)
            return use.result().total
        }
    }

    /// What is of a pack's version: its files, and the list of them.
    private static func trees(_ version: FilePath) -> [FilePath] { [version, ContentList.path(of: version)] }

    // MARK: - Measuring

    /// Parts of what one app has, by their numbers.
    private struct Parts {
        var base: Int
        var packs: [String: Int]
        var former: Int
        var inFlight: Int
        var scratch: Int
        var generations: Int
    }

    /// Adds what only the disk says. Blocks.
    private static func measured(
        _ apps: [Places], _ members: [String: Set<String>], _ paths: LarderPaths, free: Int64
    ) throws -> StorageRequest.Reply {
        var use = DiskUse()
        let numbers = try apps.enumerated().map { try Self.parts($1, number: $0, paths, &use) }
        let folders = try groupFolders(paths).map { name in
            (name, try use.add([paths.state.appending("groups").appending(name)], except: DownloadPlaces.filesName))
        }
        let database = ["", "-wal", "-shm"].map { FilePath(paths.database.string + $0) }
        let own = try use.add(database + [Ballast(paths).path])
        let found = use.result()
        var staging = Int64(0)
        var bookkeeping = found.parts[own].allocated
        var total = found.total
        var storages: [AppStorage] = []
        for (number, (app, parts)) in zip(apps, numbers).enumerated() {
            var storage = app.storage
            storage.add(parts.base, of: found)
            for index in storage.packs.indices {
                guard let part = parts.packs[storage.packs[index].id] else { continue }
                storage.packs[index].allocatedSize = found.parts[part].allocated
                storage.packs[index].uniqueSize = found.parts[part].unique
            }
            let finished = (storage.downloads ?? []).filter(\.isFinished).reduce(Int64(0)) {
                $0.addingClamped($1.allocatedSize)
            }
            let owned = found.owners[number] ?? DiskUse.Share()
            storage.allocatedSize = owned.allocated.addingClamped(finished)
            storage.uniqueSize = owned.unique.addingClamped(finished)
            storage.former = FolderStorage(found.parts[parts.former])
            storage.inFlight = FolderStorage(found.parts[parts.inFlight])
            storage.scratch = FolderStorage(found.parts[parts.scratch])
            staging = staging.addingClamped(found.parts[parts.inFlight].allocated)
            bookkeeping = bookkeeping.addingClamped(found.parts[parts.generations].allocated)
            total = total.addingClamped(finished)
            storages.append(storage)
        }
        var reply = StorageRequest.Reply(
            apps: storages,
            groups: folders.map { name, part in
                GroupStorage(
                    group: name, apps: (members[name] ?? []).sorted(), size: found.parts[part].logical,
                    allocatedSize: found.parts[part].allocated)
            }, staging: staging, bookkeeping: bookkeeping, free: free,
            stateFolder: paths.state.string)
        reply.total = total
        return reply
    }

    private static func parts(
        _ app: Places, number: Int, _ paths: LarderPaths, _ use: inout DiskUse
    ) throws -> Parts {
        let layout = AppRootLayout(root: paths.appRoot(app.storage.app))
        var packs: [String: Int] = [:]
        var known: Set<FilePath> = []
        for (id, folder) in app.packs {
            let version = trees(layout.root.appending(folder))
            known.formUnion(version)
            packs[id] = try use.add(version, of: number)
        }
        // What an app still reads of versions that were replaced.
        let versions = try entries(layout.packs).flatMap { pack in
            try entries(layout.packs.appending(pack)).map { layout.packs.appending(pack).appending($0) }
        }
        return Parts(
            base: try use.add([app.base], of: number), packs: packs,
            former: try use.add(versions.filter { !known.contains($0) }, of: number),
            inFlight: try use.add([layout.staging, layout.root.appending("downloads")]),
            scratch: try use.add([layout.root.appending("scratch")]), generations: try use.add([layout.generations]))
    }

    /// Names in a folder that may be gone, or not be one.
    private static func entries(_ folder: FilePath) throws -> [String] {
        do {
            return try FileDescriptor.currentDirectory.entries(at: folder).map(\.name)
        } catch let error as Errno where error == .noSuchFileOrDirectory || error == .notDirectory {
            return []
        }
    }

    /// Every group's folder; unmanaged downloads in them are listed with their apps.
    private static func groupFolders(_ paths: LarderPaths) throws -> [String] {
        let folder = paths.state.appending("groups")
        guard FileDescriptor.currentDirectory.exists(at: folder) else { return [] }
        return try FileDescriptor.currentDirectory.entries(at: folder).filter { $0.kind == .directory }.map(\.name)
            .sorted()
    }
}

extension AppStorage {
    /// The base app, of which nothing is recorded as long as it is being installed.
    fileprivate mutating func add(_ base: Int, of found: DiskUse.Result) {
        if baseSize == 0 { baseSize = found.parts[base].logical }
        baseAllocatedSize = found.parts[base].allocated
        baseUniqueSize = found.parts[base].unique
    }
}

extension FolderStorage {
    fileprivate init(_ share: DiskUse.Share) { self.init(size: share.logical, allocatedSize: share.allocated) }
}
