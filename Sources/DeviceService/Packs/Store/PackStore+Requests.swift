// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Database
import Kit
import PackNamespace
import System

extension PackStore {
    /// Makes the app's first, empty generation, unless it has one.
    /// - Throws: `StoreError`
    package func prepare(app: String) async throws {
        let generations = try generations(of: app)
        try await blocking { try generations.prepare() }
    }

    /// Registers fetches; they are journaled when this returns. What is in flight already is joined, and promoted if it
    /// ranks higher now; another version in flight is replaced. For what is local at that version `finished` follows at
    /// once.
    /// - Throws: `StoreError`, `DatabaseError`; then nothing was registered.
    package func request(_ requests: [PackRequest]) async throws {
        try await inTurn {
            guard !isClosed else { throw StoreError(.system, "The device service is ending; try again.") }
            var wanted: [PackRequest] = []
            var local: [(PackRequest, LocalPack)] = []
            var inventories: [String: [LocalPack]] = [:]
            for request in requests {
                if let problem = AssetPackIdentifier.problem(with: request.pack.id) {
                    throw StoreError(.badArchive, "The pack id \"\(request.pack.id)\" \(problem).")
                }
                if inventories[request.app] == nil {
                    inventories[request.app] = try await localPacks(app: request.app)
                }
                let pack = inventories[request.app]?.first { $0.id == request.pack.id }
                if let pack, pack.version == request.pack.version {
                    local.append((request, pack))
                } else {
                    wanted.append(request)
                }
            }
            let journaled = wanted.map { promoted($0) }
            try await database.write { connection in
                for request in journaled { try connection.insert(request) }
            }
            for request in journaled { await submit(request) }
            for (request, pack) in local {
                hub.tell(PackEvent(app: request.app, pack: request.pack, kind: request.kind, change: .finished(pack)))
            }
        }
    }

    /// The request with the higher rank of what is wanted and what is in flight.
    private func promoted(_ request: PackRequest) -> PackRequest {
        let key = TransferKey(app: request.app, pack: request.pack.id)
        guard let known = jobs[key]?.request, known.pack.version == request.pack.version else { return request }
        let isHigher =
            (request.rankClass, request.priority) > (known.rankClass, known.priority)
        guard !isHigher else { return request }
        var kept = request
        kept.kind = known.kind
        kept.foreground = known.foreground
        kept.importance = known.importance
        return kept
    }

    func submit(_ request: PackRequest, paused: Bool = false, isRepair: Bool = false) async {
        let key = TransferKey(app: request.app, pack: request.pack.id)
        let known = jobs[key]
        failures[key] = nil
        jobs[key, default: Job(request: request)].request = request
        jobs[key]?.isRepair = isRepair
        governor.rank(key, request.rankClass)
        await transfer {
            $0.submit(
                key, host: TransferQueue.host(of: request.pack.url), kind: request.kind, foreground: request.foreground,
                importance: request.importance, paused: paused,
                replacing: known.map { PackDownload(request.pack).replaces(PackDownload($0.request.pack)) } ?? false,
                now: .now)
        }
    }

    /// Ranks a download that is under way anew, up or down. Nothing happens when there is none.
    package func rank(app: String, pack: String, foreground: Bool, importance: FetchImportance) async {
        await inTurn {
            let key = TransferKey(app: app, pack: pack)
            guard var request = jobs[key]?.request else { return }
            request.foreground = foreground
            request.importance = importance
            jobs[key]?.request = request
            governor.rank(key, request.rankClass)
            await transfer { $0.rank(key, request.rankClass, priority: request.priority, now: .now) }
        }
    }

    // MARK: - Pause, resume, cancel

    /// Pauses the app's downloads, or one, until they are resumed; survives a restart. Returns when they have stopped.
    /// - Returns: how many are under way.
    /// - Throws: `DatabaseError`
    @discardableResult
    package func pause(app: String, pack: String?) async throws -> Int {
        let keys = try await inTurn {
            let keys = activeKeys(app, pack)
            try await database.write { connection in for key in keys { try connection.setPaused(true, key) } }
            for key in keys { await transfer { $0.pause(key, now: .now) } }
            return keys
        }
        await settle(keys)
        return keys.count
    }

    /// Goes on with paused downloads, and at once with those that wait.
    /// - Returns: how many are under way.
    /// - Throws: `DatabaseError`
    @discardableResult
    package func resume(app: String, pack: String?) async throws -> Int {
        try await inTurn {
            let keys = activeKeys(app, pack)
            try await database.write { connection in for key in keys { try connection.setPaused(false, key) } }
            for key in keys { await transfer { $0.resume(key, now: .now) } }
            return keys.count
        }
    }

    /// Ends downloads and deletes what they staged, also of those that had failed. Nothing being there is fine, and so is
    /// cancelling again. Returns when they are gone.
    /// - Returns: how many there were.
    /// - Throws: `DatabaseError`
    @discardableResult
    package func cancel(app: String, pack: String?) async throws -> Int {
        // Files first: on a full disk their room is what the rows need to go.
        let (active, failed) = await inTurn {
            let active = activeKeys(app, pack)
            let failed = failures.keys.filter { $0.app == app && (pack == nil || $0.pack == pack) }
            for key in failed {
                failures[key] = nil
                await discard(key)
            }
            for key in active { await transfer { $0.cancel(key, now: .now) } }
            return (active, failed)
        }
        await settle(active)
        try await inTurn {
            // Not those that were requested again meanwhile.
            let gone = (active + failed).filter { jobs[$0] == nil }
            guard !gone.isEmpty else { return }
            try await database.write { connection in for key in gone { try connection.deleteTransfer(key) } }
        }
        return active.count + failed.count
    }

    private func activeKeys(_ app: String, _ pack: String?) -> [TransferKey] {
        jobs.keys.filter { $0.app == app && (pack == nil || $0.pack == pack) }.sorted()
    }

    // MARK: - Removing

    /// Takes a local pack out of the app's tree, and ends an update of it. Its files go when no reader holds them. Not
    /// being there is fine.
    /// - Throws: `StoreError`, `DatabaseError`
    package func remove(app: String, pack: String) async throws {
        try await cancel(app: app, pack: pack)
        try await inTurn {
            let generations = try generations(of: app)
            try await blocking { _ = try generations.remove([pack]) }
            try await database.write { try $0.deletePack(TransferKey(app: app, pack: pack)) }
        }
    }

    /// Takes a local pack away to make room, with its files, unless somebody uses it (`PackUses`).
    /// - Returns: whether it is gone.
    /// - Throws: `StoreError`
    package func purge(app: String, pack: String) async throws -> Bool {
        try await inTurn {
            let key = TransferKey(app: app, pack: pack)
            guard jobs[key] == nil else { return false }
            let generations = try generations(of: app)
            guard try await blocking({ try generations.purge(pack) }) else { return false }
            await write { try $0.deletePack(key) }
            return true
        }
    }

    /// Puts links to all local tagged packs into the base that is in force now.
    /// - Throws: `StoreError`
    package func linkResources(app: String) async throws {
        let generations = try generations(of: app)
        try await blocking { try generations.linkAll() }
    }

    /// Forgets everything of an app that is going: downloads, packs, generations. Its folder may be deleted afterwards.
    /// - Throws: `StoreError`, `DatabaseError`
    package func removeAll(app: String) async throws {
        try await cancel(app: app, pack: nil)
        try await inTurn {
            let generations = try generations(of: app)
            try await blocking { try generations.retire() }
            forget(app: app)
            try await database.write { try $0.deleteEverything(app: app) }
        }
    }

    /// Deletes what no reader holds any more. Not needed in the normal course: a lease that is let go is noticed.
    package func collect(app: String) async throws {
        let generations = try generations(of: app)
        try await blocking { generations.collect() }
    }

    // MARK: - Start and end

    /// Brings disk and database in step after a start, and goes on with what was not paused.
    /// - Throws: `DatabaseError`
    package func recover() async throws {
        try await inTurn {
            let rows = try await database.read { try $0.transferRows() }
            let folder = state.appending("apps")
            let names = try await blocking { () -> [String] in
                guard FileDescriptor.currentDirectory.exists(at: folder) else { return [] }
                return try FileDescriptor.currentDirectory.entries(at: folder).filter { $0.kind == .directory }.map(
                    \.name)
            }
            var committed: Set<TransferKey> = []
            for app in names {
                let wanted = rows.filter { $0.request.app == app }
                do {
                    for pack in try await recover(app: app, keeping: wanted) {
                        committed.insert(TransferKey(app: app, pack: pack))
                    }
                } catch {
                    log.error("The packs of an app cannot be put in order", ["app": app, "error": "\(error)"])
                }
            }
            for row in rows {
                let key = TransferKey(app: row.request.app, pack: row.request.pack.id)
                if committed.contains(key) {
                    await write { try $0.recordLocal(row.request) }
                } else if !names.contains(key.app) {
                    await write { try $0.deleteTransfer(key) }
                } else if let failed = row.failed {
                    var job = Job(request: row.request, isRepair: row.replaces != nil)
                    job.lastError = StoreError(.network, failed)
                    failures[key] = status(key, job, .failed)
                } else {
                    await submit(row.request, paused: row.paused, isRepair: row.replaces != nil)
                }
            }
        }
    }

    /// - Returns: which of the wanted packs are local: a crash came between their commit and their row. The version that a repair
    ///   is to replace is not the one that is wanted, though it has its number.
    private func recover(app: String, keeping wanted: [TransferRow]) async throws -> [String] {
        let generations = try generations(of: app)
        let (local, committed) = try await blocking {
            try generations.recover(keeping: Set(wanted.map(\.request.pack.id)))
            let local = Dictionary(try generations.localPacks().map { ($0.id, $0) }) { $1 }
            let committed = wanted.filter { row in
                guard let local = local[row.request.pack.id] else { return false }
                return local.version == PackDownload(row.request.pack).version && local.directory != row.replaces
            }.map(\.request.pack.id)
            // The crash may have come while the staging folder was being deleted.
            for id in committed { try StagedPack(layout: generations.layout, id: id).remove() }
            return (Set(local.keys), committed)
        }
        try await database.write { try $0.keepPacks(app: app, local) }
        return committed
    }

    /// Stops transfers where they can go on from, and ends all streams of events.
    package func close() async {
        isClosed = true
        transfers.stop()
        let running = jobs.filter { $0.value.fetch != nil }.map(\.key)
        for key in running { jobs[key]?.fetch?.attempt.stop() }
        for key in running {
            while jobs[key]?.fetch != nil { await waitForEnd(of: key) }
        }
        hub.close()
        if let sweeper = space?.sweeper { try? await offload { sweeper.wait() } }
    }

    /// Runs work that blocks on a thread of its own, and says what went wrong in the store's words.
    func blocking<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        do {
            return try await offload(body)
        } catch let error as StoreError {
            throw error
        } catch  where StoreError.isNoSpace(error) {
            throw StoreError(.noSpace, "The disk is full. Free some space and try again.", cause: error)
        } catch {
            throw StoreError(.system, "The packs on the disk could not be read or changed.", cause: error)
        }
    }
}
