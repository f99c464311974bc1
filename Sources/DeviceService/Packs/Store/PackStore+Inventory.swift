// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Database
package import DeviceProtocol
import Kit
import PackNamespace
import System

extension PackStore {
    /// The packs whose files the app can read now, sorted by id.
    /// - Throws: `StoreError`
    package func localPacks(app: String) async throws -> [LocalPack] {
        let generations = try generations(of: app)
        return try await blocking { try generations.localPacks().map(LocalPack.init) }
    }

    /// How the app's local packs came; nil for those of which nothing was recorded.
    /// - Throws: `DatabaseError`
    package func arrivals(app: String) async throws -> [String: PackArrival] {
        try await database.read { try $0.arrivals(app: app) }
    }

    /// Downloads that are under way, wait, or failed, of one app or all.
    package func transfers(app: String?) async throws -> [TransferStatus] {
        var result: [TransferStatus] = []
        for (key, job) in jobs where app == nil || key.app == app {
            let state: TransferStatus.State
            switch transfers.state(of: key) {
            case .running: state = job.progress?.isFinishing == true ? .unpacking : .downloading
            case .stopping(then: .paused), .paused: state = .paused
            // Packs have no challenges.
            case .waiting, .challenged: state = .waiting
            case .queued where job.hold != nil: state = .waiting
            case .queued, .stopping: state = .queued
            // Over: its end is being recorded and told.
            case nil: continue
            }
            result.append(status(key, job, state))
        }
        result += failures.filter { app == nil || $0.key.app == app }.map(\.value)
        return result.sorted { ($0.app, $0.pack) < ($1.app, $1.pack) }
    }

    /// Paths that several local packs of the app hold: how many, and the first hundred.
    /// - Throws: `StoreError`
    package func collisions(app: String) async throws -> PathCollisions {
        let generations = try generations(of: app)
        return try await blocking {
            try generations.withCurrentTable { table in
                PathCollisions(count: table?.collisionCount ?? 0, listed: table?.collisions(limit: 100) ?? [])
            }
        }
    }

    /// What fetching would take and what there is, counting what transfers under way will still write.
    /// - Parameter bytes: what the caller will write besides, such as the base app.
    /// - Throws: `StoreError`
    package func plan(_ requests: [PackRequest], alsoWriting bytes: Int64) async throws -> SpacePlan {
        let (root, sweeper) = (state, space?.sweeper)
        let unit = try await blocking { try sweeper?.space(at: root) ?? FileSystemSpace(at: root) }
        var planner = SpacePlanner(space: unit, reserved: 0)
        let asked = Set(requests.map { TransferKey(app: $0.app, pack: $0.pack.id) })
        planner.reserved = jobs.reduce(0) { sum, job in
            guard !asked.contains(job.key) else { return sum }
            return sum.addingClamped(planner.remaining(Self.planned(job.value.request.pack, job.value.progress)))
        }
        planner.reserved = planner.reserved.addingClamped(await space?.outstanding(besides: nil, of: self) ?? 0)
        var packs: [SpacePlanner.Pack] = []
        var wanted: [(request: PackRequest, local: Int?)] = []
        for request in requests {
            let key = TransferKey(app: request.app, pack: request.pack.id)
            let local = try await localPacks(app: request.app).first { $0.id == request.pack.id }?.version
            guard local != request.pack.version else { continue }
            packs.append(Self.planned(request.pack, jobs[key]?.progress))
            wanted.append((request, local))
        }
        let plan = planner.plan(packs, alsoWriting: bytes)
        guard !plan.fits else { return plan }
        // Updates write less than all files of their packs. How much is only asked for where it matters: that takes their indexes.
        for (number, wanted) in wanted.enumerated() {
            guard let local = wanted.local, let update = await update(wanted.request, from: local) else { continue }
            packs[number] = Self.planned(wanted.request.pack, update)
        }
        return planner.plan(packs, alsoWriting: bytes)
    }

    /// What an update takes that can go on from what is local; nil when nothing of it is known.
    private func update(_ request: PackRequest, from local: Int) async -> SpacePlanner.Update? {
        // One reading of `larder`: two of them crash the optimizer of Swift 6.3.1.
        let info = request.pack.larder
        guard let index = info?.index else { return nil }
        let key = TransferKey(app: request.app, pack: request.pack.id)
        if let known = forecasts[key], known.local == local, known.index == index.sha256 {
            return known.forecast.space
        }
        guard let forecast = try? await forecast(app: request.app, pack: request.pack) else { return nil }
        forecasts[key] = (local, index.sha256, forecast)
        return forecast.space
    }

    static func planned(_ pack: DownloadManifestPack, _ update: SpacePlanner.Update) -> SpacePlanner.Pack {
        var planned = planned(pack, fetched: 0, written: 0)
        planned.update = update
        return planned
    }

    private static func planned(_ pack: DownloadManifestPack, _ progress: PackFetch.Progress?) -> SpacePlanner.Pack {
        planned(pack, fetched: progress?.downloaded ?? 0, written: progress?.unpacked ?? 0)
    }

    static func planned(_ pack: DownloadManifestPack, fetched: Int64, written: Int64) -> SpacePlanner.Pack {
        // One reading of `larder`: two of them crash the optimizer of Swift 6.3.1.
        let info = pack.larder
        return SpacePlanner.Pack(
            downloadSize: pack.downloadSize, installedSize: info?.installedSize, fileCount: info?.fileCount,
            fetched: fetched, written: written)
    }
}
