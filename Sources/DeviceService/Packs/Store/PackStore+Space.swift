// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import DeviceProtocol
import Kit
import System

/// Local packs stay until they are removed; what failed downloads left may go to make room (C10).
extension PackStore: SpaceUser {
    func outstanding(besides key: TransferKey?) -> Int64 {
        jobs.reduce(0) { sum, job in
            guard job.key != key, job.value.fetch != nil else { return sum }
            return sum.addingClamped(
                Self.least(job.value.request.pack, written: job.value.progress?.unpacked ?? 0))
        }
    }

    /// Bytes that a pack will write at the least: those of its files, or of its archive when nobody says more.
    static func least(_ pack: DownloadManifestPack, written: Int64) -> Int64 {
        let info = pack.larder
        return max(0, (info?.installedSize ?? pack.downloadSize).addingClamped(-written))
    }

    func purgeable() async -> [PurgePlan.Candidate] {
        var candidates: [PurgePlan.Candidate] = []
        for key in failures.keys where jobs[key] == nil {
            guard let staged = try? staged(key),
                let size = try? await offload({ try TreeSize.measure(staged.directory) }), let last = size.lastChange
            else { continue }
            candidates.append(
                PurgePlan.Candidate(
                    key: key, allocated: size.allocated, preservation: Preservation(.rest), lastUse: last,
                    isInUse: false))
        }
        return candidates
    }

    func purge(_ key: TransferKey) async -> Bool {
        guard key.owner == .packs else { return false }
        return await inTurn {
            guard failures[key] != nil, jobs[key] == nil, let staged = try? staged(key) else { return false }
            await discard(key)
            failures[key]?.downloaded = 0
            return (try? await offload { !staged.exists }) ?? false
        }
    }

    private func staged(_ key: TransferKey) throws -> StagedPack {
        StagedPack(layout: try generations(of: key.app).layout, id: key.pack)
    }

    /// What an attempt asks before its first byte; nil when nobody looks after the room.
    func roomCheck(_ key: TransferKey, _ pack: DownloadManifestPack) -> PackFetch.RoomCheck? {
        guard let space else { return nil }
        let state = state
        return { rest in
            let failure = try waitFor { () -> (any Error)? in
                do {
                    let unit = try await offload { try FileSystemSpace(at: state) }
                    let planner = SpacePlanner(space: unit, reserved: 0)
                    let (planned, least): (SpacePlanner.Pack, Int64)
                    switch rest {
                    case .archive(let fetched, let written):
                        planned = Self.planned(pack, fetched: fetched, written: written)
                        least = Self.least(pack, written: written)
                    case .update(let update):
                        planned = Self.planned(pack, update)
                        least = update.toWrite
                    }
                    try await space.makeRoom(for: key, expected: planner.plan([planned]).peak, least: least)
                    return nil
                } catch {
                    return error
                }
            }
            if let failure = failure as? DeviceError { throw StoreError(.noSpace, failure.message) }
            if let failure { throw failure }
        }
    }
}
