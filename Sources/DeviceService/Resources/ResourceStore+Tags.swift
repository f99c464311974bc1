// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import DeviceProtocol
import Kit

/// What is known of tags, and what is to be kept of them (F4).
extension ResourceStore {
    /// Notes a use of tags; whoever waits for room looks again.
    /// - Throws: `DeviceError`, `DatabaseError`
    func noteUse(_ request: ResourcesUsedRequest) async throws {
        let packs = try await existingTags(of: request.app).packs(of: request.tags, app: request.app)
        notices.released()
        try await tools.tables.noteUse(request.app, packs, at: min(request.time ?? .now, .now))
        notices.changed()
    }

    /// An element at once, and whenever the list of tags may have changed; changes that follow each other closely are one.
    nonisolated func changes(of app: String?) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let sources = (tools.store.events(ofApp: app), notices.changes())
        let packs = Task { for await _ in sources.0 { continuation.yield() } }
        let uses = Task { for await _ in sources.1 { continuation.yield() } }
        continuation.onTermination = { _ in
            packs.cancel()
            uses.cancel()
        }
        continuation.yield()
        return stream
    }

    /// - Throws: `DeviceError` with code `unknownTag`, `DatabaseError`
    func setPriority(_ request: SetPreservationPriorityRequest) async throws {
        _ = try await existingTags(of: request.app).packs(of: request.tags, app: request.app)
        let priority = Preservation(.whole, priority: request.priority).priority
        try await tools.tables.setPriority(request.app, request.tags, priority)
        notices.changed()
    }

    /// Every tag, by name.
    /// - Throws: `DeviceError`, `DatabaseError`, `StoreError`
    func list(_ app: String) async throws -> [ResourceTagListing] {
        let tags = try await existingTags(of: app)
        let local = Dictionary(try await tools.store.localPacks(app: app).map { ($0.id, $0) }) { $1 }
        let transfers = Dictionary(try await tools.store.transfers(app: app).map { ($0.pack, $0) }) { $1 }
        let manifest = try await tools.registry.manifest(app)
        let used = try await tools.used(Set(tags.tagsByPackID.keys), of: app)
        let noted = try await tools.tables.packs(app)
        let priorities = try await tools.tables.priorities(app)
        return tags.packIDsByTag.sorted { $0.key < $1.key }.map { tag, ids in
            let packs = ids.map { id in
                TagState.Pack(
                    isLocal: local[id] != nil,
                    isDownloading: transfers[id].map { ![.failed, .paused].contains($0.state) } ?? false,
                    downloaded: local[id]?.downloadSize ?? transfers[id]?.downloaded ?? 0, isUsed: used.contains(id),
                    wasPurged: noted[id]?.wasPurged ?? false)
            }
            return ResourceTagListing(
                tag: tag, state: TagState.state(packs), packs: ids,
                downloaded: packs.reduce(0) { $0.addingClamped($1.downloaded) },
                downloadSize: ids.reduce(0) {
                    $0.addingClamped(
                        local[$1]?.downloadSize ?? manifest?[$1]?.downloadSize ?? transfers[$1]?.expected ?? 0)
                },
                allocatedSize: ids.reduce(0) { $0.addingClamped(local[$1]?.allocatedSize ?? 0) },
                preservationPriority: priorities[tag] ?? 0, lastUse: ids.compactMap { noted[$0]?.lastUse }.max())
        }
    }
}
