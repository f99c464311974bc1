// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import PackNamespace
import System

/// Local packs of tags stay until their room is needed, and longer while a request of any process uses them (C10, F3).
extension ResourceStore: SpaceUser {
    /// The store of packs tells what they will write.
    func outstanding(besides key: TransferKey?) -> Int64 { 0 }

    func purgeable() async -> [PurgePlan.Candidate] {
        var candidates: [PurgePlan.Candidate] = []
        for app in (try? await tools.registry.apps()) ?? [] {
            do {
                candidates += try await purgeable(app.id)
            } catch {
                tools.log.warning("An app's resources could not be looked at", ["app": app.id, "error": "\(error)"])
            }
        }
        return candidates
    }

    private func purgeable(_ app: String) async throws -> [PurgePlan.Candidate] {
        guard let tags = try await tags(of: app) else { return [] }
        let local = try await tools.store.localPacks(app: app).filter { tags.has(pack: $0.id) }
        guard !local.isEmpty else { return [] }
        let priorities = try await tools.tables.priorities(app)
        let noted = try await tools.tables.packs(app)
        let used = try await tools.used(local.map(\.id), of: app)
        let root = tools.paths.appRoot(app)
        return try await offload {
            local.map { pack in
                // What was never used counts from when it came.
                let came = try? FileDescriptor.currentDirectory.status(at: root.appending(pack.directory)).changeTime
                return PurgePlan.Candidate(
                    key: TransferKey(app: app, resources: pack.id), allocated: pack.allocatedSize,
                    preservation: tags.preservation(of: pack.id, priorities),
                    lastUse: noted[pack.id]?.lastUse ?? came ?? Timestamp(seconds: 0),
                    isInUse: used.contains(pack.id))
            }
        }
    }

    func purge(_ key: TransferKey) async -> Bool {
        guard key.owner == .resources else { return false }
        do {
            guard try await tools.store.purge(app: key.app, pack: key.pack) else { return false }
        } catch {
            tools.log.warning("Resources could not be purged", ["pack": key.description, "error": "\(error)"])
            return false
        }
        do {
            try await tools.tables.notePurge(key.app, key.pack)
        } catch {
            // Its tags then count as never downloaded.
            tools.log.warning("A purge could not be noted", ["pack": key.description, "error": "\(error)"])
        }
        notices.changed()
        return true
    }
}
