// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import DeviceProtocol
import Kit

extension AppAssets {
    /// Schedules what is missing and waits until each pack is local or has failed. Cancelling leaves downloads going on.
    func ensureLocalAvailability(
        _ request: EnsureLocalAvailabilityRequest
    ) async throws -> EnsureLocalAvailabilityRequest.Reply {
        let app = request.app
        let local = Dictionary(try await store.localPacks(app: app).map { ($0.id, $0) }) { $1 }
        let ids = Array(Set(request.packs)).sorted()
        let keys = try await keys(app)
        // Without need the server is not asked: what is local stays so without a network.
        if !request.requireLatestVersions, ids.allSatisfy({ local[$0] != nil }) {
            let known = try await registry.manifest(app)
            let packs = ids.compactMap { id in
                known?[id].map { PackDescription($0) } ?? local[id].map { PackDescription($0) }
            }
            return EnsureLocalAvailabilityRequest.Reply(successes: packs, failures: [])
        }
        let manifest = try await catalogue.fetch(app, keys: keys).manifest
        var reply = EnsureLocalAvailabilityRequest.Reply(successes: [], failures: [])
        var waiting: [String: DownloadManifestPack] = [:]
        for id in ids {
            if let offered = manifest[id] {
                let isEnough =
                    local[id].map { $0.version == offered.version || !request.requireLatestVersions } ?? false
                if isEnough { reply.successes.append(PackDescription(offered)) } else { waiting[id] = offered }
            } else if let pack = local[id], !request.requireLatestVersions {
                reply.successes.append(PackDescription(pack))
            } else {
                reply.failures.append(
                    EnsureLocalAvailabilityRequest.Failure(id: id, pack: nil, error: Self.notFound(id, app)))
            }
        }
        if !waiting.isEmpty {
            try await registry.noteAsked(app, waiting.keys.sorted())
            try await fetch(waiting, app: app, kind: .onDemand, isForeground: true, &reply)
        }
        return reply
    }

    /// Schedules packs, by id, and waits until each is local or has failed.
    func fetch(
        _ packs: [String: DownloadManifestPack], app: String, kind: FetchKind, isForeground: Bool,
        _ reply: inout EnsureLocalAvailabilityRequest.Reply
    ) async throws {
        // Listening begins before asking: what is already under way may end in between.
        let events = store.events(ofApp: app)
        let requests = packs.values.sorted { $0.id < $1.id }.map {
            PackRequest(app: app, pack: $0, kind: kind, foreground: isForeground)
        }
        let names = requests.map(\.pack.id).joined(separator: ", ")
        let store = store
        let figures = try await space.plan(for: names, app: app) { try await store.plan(requests, alsoWriting: 0) }
        guard figures.fits else { throw figures.refusal(of: names) }
        try await store.request(requests)
        var waiting = packs
        for await event in events {
            guard let pack = waiting[event.pack.id], event.pack.version == pack.version else { continue }
            switch event.change {
            case .finished: reply.successes.append(PackDescription(pack))
            case .failed(let error):
                reply.failures.append(
                    EnsureLocalAvailabilityRequest.Failure(
                        id: pack.id, pack: PackDescription(pack), error: DeviceError(wrapping: error)))
            default: continue
            }
            waiting[pack.id] = nil
            if waiting.isEmpty { return }
        }
        try Task.checkCancellation()
        throw DeviceError(.unavailable, "The device service is stopping. The downloads go on with its next start.")
    }

    /// Download events; for one pack they end with it.
    func statusUpdates(_ request: StatusUpdatesRequest, emit: @escaping @Sendable (DownloadEvent) -> Void) async throws
    {
        let events = store.events(ofApp: request.app)
        _ = try await registry.existing(request.app)
        if let id = request.pack, try await tellIfLocal(id, request.app, emit) { return }
        for await event in events {
            if let id = request.pack, event.pack.id != id { continue }
            let told = DownloadEvent(event)
            emit(told)
            if request.pack != nil, [.finished, .failed].contains(told.change) { return }
        }
    }

    /// A local pack that nothing is fetched for gets the events it would have had (BA 1.15).
    private func tellIfLocal(
        _ id: String, _ app: String, _ emit: @Sendable (DownloadEvent) -> Void
    ) async throws -> Bool {
        guard let local = try await store.localPacks(app: app).first(where: { $0.id == id }) else { return false }
        let transfers = try await store.transfers(app: app)
        guard !transfers.contains(where: { $0.pack == id && $0.state != .failed }) else { return false }
        let known = try await registry.manifest(app)
        let pack =
            known?[id].flatMap { $0.version == local.version ? PackDescription($0) : nil } ?? PackDescription(local)
        emit(DownloadEvent(.began, pack: pack, total: pack.downloadSize))
        emit(DownloadEvent(.finished, pack: pack, completed: pack.downloadSize, total: pack.downloadSize))
        return true
    }
}

extension DownloadEvent {
    init(_ event: PackEvent) {
        let pack = PackDescription(event.pack)
        let size = pack.downloadSize
        switch event.change {
        case .began: self.init(.began, pack: pack, total: size)
        case .paused, .held: self.init(.paused, pack: pack, total: size)
        case .progress(let progress):
            self.init(.downloading, pack: pack, completed: progress.downloaded, total: progress.expected)
        case .waiting(_, let error):
            self.init(.downloading, pack: pack, total: size, error: DeviceError(wrapping: error))
        case .finished: self.init(.finished, pack: pack, completed: size, total: size)
        case .failed(let error): self.init(.failed, pack: pack, total: size, error: DeviceError(wrapping: error))
        }
    }
}
